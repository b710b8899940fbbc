package passes

import (
	"encoding/json"

	"dsac/codegen/cache"
	"dsac/codegen/llc"
)

// kernelIndex says which kernel each batch of a plan has got, and where the PTX of all is kept.
// With it a plan that is compiled again is compiled without its kernels being built: that they
// would be the same follows from the key, which names all that they are made from (a batch's key
// says all of it, the program's hash how it is made into text).
type kernelIndex struct {
	Names []string // by batch
	Parts []indexPart
}

type indexPart struct {
	Kernels []string
	PTX     string // key in llc's cache
}

// indexKind is the cache's for indices.
const indexKind = "index"

// indexKey is empty when there can be no index.
func (g *kernelSet) indexKey(t *tools) string {
	program, err := cache.Program()
	if err != nil {
		return ""
	}
	parts := []string{program, t.version, t.llc.Version, g.gpu.Name}
	for _, w := range g.wanted {
		parts = append(parts, w.key)
	}
	return cache.Key(parts...)
}

// recall names the kernels that are wanted and returns their code as an earlier compile left it;
// nil when something of it is not there.
func (g *kernelSet) recall(key string, t *tools) ([]*compiled, error) {
	var index kernelIndex
	if key == "" {
		return nil, nil
	}
	b, ok := cache.Kept(indexKind, key)
	if !ok || json.Unmarshal(b, &index) != nil || len(index.Names) != len(g.wanted) {
		return nil, nil
	}
	parts := make([]*compiled, len(index.Parts))
	parallel(len(parts), func(i int) {
		p := index.Parts[i]
		if ptx, ok := llc.Kept(p.PTX); ok {
			parts[i] = &compiled{kernels: p.Kernels, key: p.PTX, ptx: ptx}
			t.assemble(parts[i], g.gpu)
		}
	})
	for _, c := range parts {
		if c == nil {
			return nil, nil
		}
	}
	for i, w := range g.wanted {
		w.name = index.Names[i]
	}
	return parts, firstError(parts)
}

// remember keeps what recall asks for.
func (g *kernelSet) remember(key string, parts []*compiled) {
	if key == "" {
		return
	}
	var index kernelIndex
	for _, w := range g.wanted {
		index.Names = append(index.Names, w.name)
	}
	for _, c := range parts {
		index.Parts = append(index.Parts, indexPart{c.kernels, c.key})
	}
	if b, err := json.Marshal(index); err == nil {
		cache.Keep(indexKind, key, b)
	}
}
