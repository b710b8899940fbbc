// Package models turns a model description (a DSL file, docs/dsl.md) and the header of a GGUF
// file into graphs. The built-in descriptions are the .dsl files beside this source; what they
// say about an architecture is said nowhere in Go. The way through: Parse reads the text and
// resolves its names, Bind gives it the hyper-parameters and tensors of one file, Graph hands
// out the entries.
//
// It must not import passes, codegen or any runtime package but runtime/gguf and runtime/quant.
package models

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed *.dsl
var builtin embed.FS

// builtinFiles maps general.architecture to the embedded file that describes it.
var builtinFiles = map[string]string{
	"glm-dsa":    "glm_dsa.dsl",
	"deepseek32": "deepseek_v32.dsl",
}

// Model is a parsed and resolved description.
type Model struct {
	Arch string // general.architecture of the files that it describes
	Doc  string
	src  *source
	file *fileNode
	defs map[string]*defNode
}

// Names returns the architectures that have a built-in description, sorted.
func Names() []string {
	var names []string
	for n := range builtinFiles {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Builtin returns the built-in description of an architecture. The error for an unknown one
// says which are known.
func Builtin(arch string) (*Model, error) {
	name, ok := builtinFiles[arch]
	if !ok {
		return nil, fmt.Errorf("architecture %q is not known; known are %s; describe it in a DSL file and give it with --model",
			arch, strings.Join(Names(), ", "))
	}
	text, err := builtin.ReadFile(name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return Parse(name, string(text))
}

// ParseFile reads a description from a file. Errors name the file by its base name.
func ParseFile(path string) (*Model, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(filepath.Base(path), string(text))
}

// Parse reads a description. name stands for the file in errors, which are of type Errors and
// show the place, the line and a caret. Syntax, names, ops, operand counts and attribute names
// are checked here; shapes and tensors need a file and are checked by Bind.
func Parse(name, text string) (*Model, error) {
	src := newSource(name, text)
	file, err := src.parse()
	if err != nil {
		return nil, err
	}
	m := &Model{Arch: file.Arch.text(), src: src, file: file}
	for _, d := range file.Decls {
		if d.Doc != nil {
			m.Doc = d.Doc.text()
		}
	}
	if err := resolve(m); err != nil {
		return nil, err
	}
	return m, nil
}
