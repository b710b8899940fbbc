// Package cases holds what dsac bench kernels times: every kind of kernel at the shapes of
// GLM-5, as small graphs that go through the passes like a model. It must not import models
// or a device.
package cases

import (
	"fmt"

	"dsac/ir"
	"dsac/ir/ops"
	"dsac/passes"
)

// Ctx is the context of the plan of cases; the rows that the caches hold are each case's own.
const Ctx = 131072

// piece is a graph to be timed at several numbers of rows.
type piece struct {
	name  string
	rows  []int
	lens  []int // rows in the caches; none: it reads no cache
	graph string
	draw  []byte // parameters of the choice of a token; nil: none is chosen
}

// List returns the cases in the order of the table.
func List() ([]passes.Case, error) {
	var out []passes.Case
	for _, p := range table() {
		g, err := ir.Parse(p.graph, ops.Find)
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", p.name, err)
		}
		lens := p.lens
		if lens == nil {
			lens = []int{0}
		}
		for _, l := range lens {
			for _, t := range p.rows {
				c := passes.Case{Name: fmt.Sprintf("%s/T%d", p.name, t), Rows: t, Len: max(l, t), Graph: g, Draw: p.draw}
				if l > 0 {
					c.Name = fmt.Sprintf("%s/T%d/L%d", p.name, t, l)
				}
				out = append(out, c)
			}
		}
	}
	return out, nil
}
