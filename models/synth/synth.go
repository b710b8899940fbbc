package synth

import (
	"errors"
	"fmt"
	"io"

	"dsac/runtime/gguf"
)

// Options describe a synthetic model. Zero values mean the geometry's own.
type Options struct {
	Geometry   string // one of Geometries
	Layers     int    // trunk layers; 0: all
	Experts    int    // routed experts per layer; 0: all
	Context    int    // context_length; 0: the model's
	Quant      string // one of Recipes; "": the geometry's default
	MTP        MTP    // whether the file has an MTP block
	Official   bool   // no indexer copies on layers that reuse a selection, and the types key
	NoVocab    bool   // tokenizer.ggml.model "none": no tokens, merges or template
	HeaderOnly bool
	Shards     int // files; the first of several holds no tensors, as in public models
	Seed       uint64

	Progress func(done, total uint64) // tensor bytes written; may be nil
	Cancel   <-chan struct{}          // when closed, writing stops with ErrCanceled and leaves no file; may be nil
}

// ErrCanceled is wrapped by the error of a write that Options.Cancel ended.
var ErrCanceled = errors.New("canceled")

// MTP chooses whether the multi-token-prediction block is written.
type MTP int

// By default a whole model has the block and one cut with Layers has not.
const (
	MTPDefault MTP = iota
	MTPWith
	MTPWithout
)

// Geometries returns the names that Options.Geometry takes, each with a line of explanation.
func Geometries() (names, docs []string) {
	for i := range geometries {
		names, docs = append(names, geometries[i].name), append(docs, geometries[i].doc)
	}
	return names, docs
}

// Model is a synthetic model that is ready to be written.
type Model struct {
	opts   Options
	writer *gguf.Writer
	specs  map[string]*spec
}

// New checks the options and lays the model out; nothing is drawn yet.
func New(o Options) (*Model, error) {
	g, err := o.geometry()
	if err != nil {
		return nil, err
	}
	if o.Quant == "" {
		o.Quant = g.quant
	}
	r, err := recipeOf(o.Quant)
	if err != nil {
		return nil, err
	}
	m := &Model{opts: o, writer: gguf.NewWriter(), specs: map[string]*spec{}}
	g.setKeys(m.writer, &o, &r)
	for _, s := range g.tensors(!o.Official) {
		dims := make([]uint64, len(s.dims))
		for i, d := range s.dims {
			dims[i] = uint64(d)
		}
		m.writer.Add(s.name, r.typeOf(&s, g.layers), dims...)
		m.specs[s.name] = &s
	}
	return m, nil
}

// geometry returns the named geometry with the options' changes.
func (o *Options) geometry() (*geometry, error) {
	names, _ := Geometries()
	for i := range geometries {
		if g := geometries[i]; g.name == o.Geometry {
			return &g, o.change(&g)
		}
	}
	return nil, fmt.Errorf("unknown geometry %q; known: %v", o.Geometry, names)
}

func (o *Options) change(g *geometry) error {
	for _, c := range []struct {
		flag string
		v    int
		max  int
	}{{"layers", o.Layers, 1000}, {"experts", o.Experts, 1 << 16}, {"context", o.Context, 1 << 31}, {"split", o.Shards, 65535}} {
		if c.v < 0 || c.v > c.max {
			return fmt.Errorf("%s is %d, want 1 to %d", c.flag, c.v, c.max)
		}
	}
	switch o.MTP {
	case MTPWith:
		g.mtp = true
	case MTPWithout:
		g.mtp = false
	default:
		g.mtp = g.mtp && (o.Layers == 0 || o.Layers == g.layers)
	}
	if o.Layers > 0 {
		g.layers = o.Layers
		g.dense = min(g.dense, g.layers)
	}
	if o.Experts > 0 {
		if o.Experts%g.groups != 0 {
			return fmt.Errorf("%d experts do not divide into %d groups", o.Experts, g.groups)
		}
		g.experts = o.Experts
		g.used = min(g.used, g.experts/g.groups*g.groupsUsed)
	}
	if o.Context > 0 {
		g.context = o.Context
	}
	return nil
}

// Tensors returns the tensors in file order, with types and sizes.
func (m *Model) Tensors() []gguf.Tensor { return m.writer.Tensors() }

// DataBytes returns the bytes of all tensors, padding not counted.
func (m *Model) DataBytes() uint64 { return m.writer.DataBytes() }

// WriteFile writes the model and returns the names of the files (see gguf.Writer.WriteFile).
func (m *Model) WriteFile(path string) ([]string, error) {
	var done uint64
	total := m.DataBytes()
	return m.writer.WriteFile(path, gguf.Options{
		Shards: m.opts.Shards, EmptyFirst: m.opts.Shards > 1, HeaderOnly: m.opts.HeaderOnly,
		Fill: func(t *gguf.Tensor, dst io.Writer) error {
			return fill(m.specs[t.Name], t, m.opts.Seed, writerFunc(func(b []byte) (int, error) {
				select {
				case <-m.opts.Cancel:
					return 0, ErrCanceled
				default:
				}
				n, err := dst.Write(b)
				done += uint64(n)
				if m.opts.Progress != nil {
					m.opts.Progress(done, total)
				}
				return n, err
			}))
		},
	})
}

type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// Write is New and WriteFile.
func Write(path string, o Options) ([]string, error) {
	m, err := New(o)
	if err != nil {
		return nil, err
	}
	return m.WriteFile(path)
}
