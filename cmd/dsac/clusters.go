package main

import (
	"dsac/codegen/ptx"
	"dsac/runtime/plan"
)

// clustersOf returns a function that tells how many blocks are a cluster of a kernel, 1 where there
// are none: the plan does not say it, the PTX does.
func clustersOf(p *plan.Plan) func(kernel int32) int {
	sources := make(map[plan.Span]*ptx.Source)
	known := make(map[int32]int)
	return func(kernel int32) int {
		if n, ok := known[kernel]; ok {
			return n
		}
		k := &p.Kernels[kernel]
		if sources[k.PTX] == nil {
			sources[k.PTX] = ptx.Cut(string(p.Bytes(k.PTX)))
		}
		known[kernel] = 1
		name := p.Str(k.Name)
		if m, err := ptx.Parse(sources[k.PTX].Only(name)); err == nil && m.Entry(name) != nil {
			known[kernel] = m.Entry(name).Cluster()
		}
		return known[kernel]
	}
}
