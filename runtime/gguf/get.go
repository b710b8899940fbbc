package gguf

import (
	"fmt"
	"iter"
)

// The getters return ok = false for an absent key and an error, naming file and key, for one
// of another kind than asked for.

// Key returns the entry of that name, or nil.
func (f *File) Key(name string) *Key {
	if i, ok := f.keyIndex[name]; ok {
		return &f.Keys[i]
	}
	return nil
}

func (f *File) wrongKind(k *Key, want string) error {
	return fmt.Errorf("%s: key %q is %s, want %s", f.Path, k.Name, k.TypeString(), want)
}

// Uint returns a non-negative integer stored in any integer width.
func (f *File) Uint(name string) (v uint64, ok bool, err error) {
	k := f.Key(name)
	if k == nil {
		return 0, false, nil
	}
	if k.Kind == Uint64 {
		// The only kind whose values may exceed an int64.
		return leUint64(k.raw), true, nil
	}
	n, isInt := intOf(k.Kind, k.raw)
	if !isInt {
		return 0, false, f.wrongKind(k, "an integer")
	}
	if n < 0 {
		return 0, false, fmt.Errorf("%s: key %q is %d, want 0 or more", f.Path, name, n)
	}
	return uint64(n), true, nil
}

// Float returns a float32 or float64 value.
func (f *File) Float(name string) (v float64, ok bool, err error) {
	k := f.Key(name)
	if k == nil {
		return 0, false, nil
	}
	if k.Kind != Float32 && k.Kind != Float64 {
		return 0, false, f.wrongKind(k, "a float")
	}
	return floatOf(k.Kind, k.raw), true, nil
}

// Bool returns a boolean.
func (f *File) Bool(name string) (v, ok bool, err error) {
	k := f.Key(name)
	if k == nil {
		return false, false, nil
	}
	if k.Kind != Bool {
		return false, false, f.wrongKind(k, "a bool")
	}
	return k.raw[0] != 0, true, nil
}

// String returns a string.
func (f *File) String(name string) (v string, ok bool, err error) {
	k := f.Key(name)
	if k == nil {
		return "", false, nil
	}
	if k.Kind != String {
		return "", false, f.wrongKind(k, "a string")
	}
	return string(k.raw), true, nil
}

// Ints returns an array of integers of any width.
func (f *File) Ints(name string) (v []int64, ok bool, err error) {
	k := f.Key(name)
	if k == nil {
		return nil, false, nil
	}
	if k.Kind != Array || k.Elem == Bool || k.Elem == String || k.Elem == Float32 || k.Elem == Float64 {
		return nil, false, f.wrongKind(k, "an array of integers")
	}
	v = make([]int64, 0, k.Count)
	for raw := range k.elems() {
		n, fits := intOf(k.Elem, raw)
		if !fits {
			return nil, false, fmt.Errorf("%s: key %q: element %d does not fit 63 bits", f.Path, name, len(v))
		}
		v = append(v, n)
	}
	return v, true, nil
}

// Bools returns an array of booleans.
func (f *File) Bools(name string) (v []bool, ok bool, err error) {
	k := f.Key(name)
	if k == nil {
		return nil, false, nil
	}
	if k.Kind != Array || k.Elem != Bool {
		return nil, false, f.wrongKind(k, "an array of bools")
	}
	v = make([]bool, 0, k.Count)
	for raw := range k.elems() {
		v = append(v, raw[0] != 0)
	}
	return v, true, nil
}

// Strings is an array of strings that are still bytes of the file, valid until Close.
type Strings struct{ key *Key }

// Len returns the number of strings.
func (s Strings) Len() int {
	if s.key == nil {
		return 0
	}
	return int(s.key.Count)
}

// All yields index and bytes of each string in order; the bytes must not be changed.
func (s Strings) All() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		if s.key == nil {
			return
		}
		i := 0
		for b := range s.key.elems() {
			if !yield(i, b) {
				return
			}
			i++
		}
	}
}

// Slice copies all strings.
func (s Strings) Slice() []string {
	v := make([]string, 0, s.Len())
	for _, b := range s.All() {
		v = append(v, string(b))
	}
	return v
}

// Strings returns an array of strings without copying any.
func (f *File) Strings(name string) (v Strings, ok bool, err error) {
	k := f.Key(name)
	if k == nil {
		return Strings{}, false, nil
	}
	if k.Kind != Array || k.Elem != String {
		return Strings{}, false, f.wrongKind(k, "an array of strings")
	}
	return Strings{k}, true, nil
}
