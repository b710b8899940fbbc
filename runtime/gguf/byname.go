package gguf

import "fmt"

// ByName gives the data of tensors by their names: the weights of a device.
type ByName struct{ *File }

// Data returns the bytes of the tensor with that name. See File.Data.
func (b ByName) Data(name string) ([]byte, error) {
	t, err := b.named(name)
	if err != nil {
		return nil, err
	}
	return b.File.Data(t)
}

// Read fills dst with bytes of the tensor with that name. See File.Read.
func (b ByName) Read(dst []byte, name string, off uint64) error {
	t, err := b.named(name)
	if err != nil {
		return err
	}
	return b.File.Read(dst, t, off)
}

func (b ByName) named(name string) (*Tensor, error) {
	if t := b.Tensor(name); t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("%s has no tensor %q", b.Path, name)
}
