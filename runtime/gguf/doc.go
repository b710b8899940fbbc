// Package gguf reads and writes GGUF model files (versions 2 and 3, little-endian, split or
// whole), as docs/spec/glm-dsa.md sections 4.1 to 4.3 describe them. Readers map the file:
// tensor data and the strings of arrays are views of the mapping and are valid until Close.
//
// Every error names the file, and the key or tensor that it is about. No count in a file is
// trusted before it is checked against the size of the file.
//
// It imports runtime/quant and the standard library only.
package gguf
