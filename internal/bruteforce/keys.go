package bruteforce

import (
	"fmt"

	"dsac/runtime/gguf"
)

// keys reads hyper-parameters of one architecture and keeps the first error.
type keys struct {
	file   *gguf.File
	prefix string
	err    error
}

func (k *keys) keep(err error) {
	if k.err == nil {
		k.err = err
	}
}

func (k *keys) need(name string, ok bool, err error) {
	k.keep(err)
	if err == nil && !ok {
		k.keep(fmt.Errorf("%s: no key %q", k.file.Path, k.prefix+name))
	}
}

func (k *keys) int(name string) int {
	v, ok, err := k.file.Uint(k.prefix + name)
	k.need(name, ok, err)
	return int(v)
}

func (k *keys) intOr(name string, otherwise int) int {
	v, ok, err := k.file.Uint(k.prefix + name)
	k.keep(err)
	if !ok {
		return otherwise
	}
	return int(v)
}

func (k *keys) float(name string) float64 {
	v, ok, err := k.file.Float(k.prefix + name)
	k.need(name, ok, err)
	return v
}

func (k *keys) floatOr(name string, otherwise float64) float64 {
	v, ok, err := k.file.Float(k.prefix + name)
	k.keep(err)
	if !ok {
		return otherwise
	}
	return v
}

// bool is false for an absent key.
func (k *keys) bool(name string) bool {
	v, _, err := k.file.Bool(k.prefix + name)
	k.keep(err)
	return v
}

// text is empty for an absent key.
func (k *keys) text(name string) string {
	v, _, err := k.file.String(k.prefix + name)
	k.keep(err)
	return v
}
