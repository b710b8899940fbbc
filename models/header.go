package models

import "dsac/runtime/quant"

// Header is what Bind needs of a model file. FromGGUF makes one of a *gguf.File.
type Header interface {
	// Arch returns general.architecture.
	Arch() string
	// Value returns the value of a key by its full name: int64, float64, bool, string or Array.
	Value(key string) (any, bool)
	// Tensors returns the tensors in file order, names unique.
	Tensors() []Tensor
}

// Tensor is an entry of the file's tensor table.
type Tensor struct {
	Name string
	Type quant.Type
	Dims []int // outermost first, the reverse of the order in the file
}
