package gguf

import "fmt"

// ByName gives the data of tensors by their names: the weights of a device.
type ByName struct{ *File }

// Data returns the bytes of the tensor with that name. See File.Data.
func (b ByName) Data(name string) ([]byte, error) {
	t := b.Tensor(name)
	if t == nil {
		return nil, fmt.Errorf("%s has no tensor %q", b.Path, name)
	}
	return b.File.Data(t)
}
