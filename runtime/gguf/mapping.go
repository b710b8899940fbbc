package gguf

import "os"

// mapping is an open file of a model.
type mapping struct {
	bytes []byte   // a read-only view of the file
	file  *os.File // nil where bytes is a copy of the file
	close func() error
}
