package kernels

import (
	"testing"

	"dsac/codegen"
	"dsac/ir"
)

func TestRope(t *testing.T) {
	attrs := func(off, dims int, style string, more ...ir.Attr) ir.Attrs {
		a := ir.Attrs{}.With("base", 8e6).With("off", int64(off)).With("dims", int64(dims)).With("style", style)
		for _, m := range more {
			a = a.With(m.Name, m.Val)
		}
		return a
	}
	yarn := []ir.Attr{{Name: "factor", Val: 40.0}, {Name: "orig_ctx", Val: int64(4096)}, {Name: "mscale", Val: 1.3}}
	steps := []step{{n: 2, pos: 0}, {n: 1, pos: 1_048_575}, {n: 2, pos: 77_777}}
	var trials []trial
	for _, c := range []struct {
		x     codegen.OperandSpec
		attrs ir.Attrs
	}{
		{dense(2, 3, 256), attrs(192, 64, "interleaved")},
		{dense(2, 3, 128), attrs(0, 64, "interleaved")},
		{dense(2, 3, 128), attrs(0, 64, "half")},
		{columns(dense(2, 576), 512, 576), attrs(0, 64, "interleaved")},
		{dense(2, 1, 64), attrs(0, 64, "interleaved")},
		{dense(2, 16, 24), attrs(8, 16, "interleaved")},
		{dense(2, 8, 24), attrs(8, 16, "half")},
		{dense(2, 2, 11), attrs(3, 6, "interleaved")},
		{dense(2, 2, 10), attrs(2, 6, "interleaved")},
		{dense(2, 2, 11), attrs(3, 6, "half")},
		{dense(2, 4, 64), attrs(0, 64, "half", yarn...)},
		{dense(2, 64, 256), attrs(192, 64, "interleaved", yarn...)},
	} {
		y := dense(append(append([]int(nil), c.x.Shape[:len(c.x.Shape)-1]...), c.x.Selected())...)
		trials = append(trials, trial{spec: codegen.Spec{Op: "rope", Operands: operands(c.x, y), Attrs: c.attrs, Rows: 2}, steps: steps})
	}
	check(t, trials)
}
