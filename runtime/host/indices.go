package host

import (
	"fmt"

	"dsac/runtime/ref"
)

// indexRule says which integers of an op are indices, and of what.
type indexRule struct {
	operand int
	least   int32 // -1 where lists end with -1
	limit   func(c *ref.Call) int
}

func rowsOf(k int) func(c *ref.Call) int { return func(c *ref.Call) int { return c.Args[k].Rows } }
func length(c *ref.Call) int             { return c.Len }
func matrices(c *ref.Call) int           { return c.Args[1].Shape[0] }

// indexRules lists the ops that use an operand as an index.
var indexRules = map[string]indexRule{
	"embed":           {0, 0, rowsOf(1)},
	"mla_attend":      {4, -1, length},
	"mqa_attend":      {3, -1, length},
	"mqa_partial":     {3, -1, length},
	"gate_weights":    {1, 0, func(c *ref.Call) int { return c.Args[0].Cols }},
	"expert_matmul":   {2, 0, matrices},
	"expert_gate_up":  {3, 0, matrices},
	"expert_down":     {2, 0, matrices},
	"expert_down_add": {2, 0, matrices},
}

// indices checks the indices of the live rows before s uses them.
func (d *Device) indices(s *step) error {
	rule, ok := indexRules[s.op]
	if !ok {
		return nil
	}
	c := &s.call
	a := &c.Args[rule.operand]
	width := a.Width
	if len(a.Shape) < 2 {
		width = 1
	}
	limit := int32(rule.limit(c))
	for i, v := range a.I32[:c.N*width] {
		if v < rule.least || v >= limit {
			o := d.plan.Ops(&d.plan.Steps[s.index])[rule.operand]
			return fmt.Errorf("buffer %s holds index %d at byte %d, want %d to %d",
				d.plan.Str(d.plan.Bufs[o.Buf].Name), v, 4*i, rule.least, limit-1)
		}
	}
	return nil
}
