package passes

import (
	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/plan"
)

// choiceSteps is the number of steps that choose a token on a GPU, all but the last over many
// blocks. The host has one.
const choiceSteps = 4

// draw emits the choice of a token.
func (x *entryEmitter) draw(logits *ir.Value, at int32) error {
	var lo plan.Operand
	lo.Hi = plan.Whole
	if err := x.read(&lo, ir.Use{Val: logits}, &ops.Sample.Operands[0]); err != nil {
		return err
	}
	given := []plan.Operand{lo, whole(x.smp, plan.R), whole(x.mask, plan.R)}
	hist := whole(x.hist, plan.RW)
	token := plan.Operand{Buf: x.ctl, Effect: plan.W, Lo: plan.Fixed(plan.CtlRNG), Hi: plan.Fixed(plan.CtlError)}
	if x.u.Opt.target().GPU == nil {
		x.add(ops.Sample, "sample", append(given, hist, token), nil, at)
		return nil
	}
	return x.drawInParts(given, hist, token, at)
}

// drawInParts emits the steps of a GPU. What they pass on takes the start of the arena: when they
// run, nothing else lives there.
func (x *entryEmitter) drawInParts(given []plan.Operand, hist, token plan.Operand, at int32) error {
	seen := hist
	seen.Effect = plan.R
	four := append(given[:len(given):len(given)], seen)
	row := ir.Of(ir.F32, ir.Fixed(1), ir.Fixed(x.src.Vocab))
	mask, counts := ir.Of(ir.U8, ir.Fixed(x.src.Vocab)), ir.Of(ir.I32, ir.Fixed(x.src.Vocab))
	types := []ir.Type{row, mask, mask, counts}
	var end uint64
	// made adds what a step writes, as operands to write and to read; it lives for some steps.
	made := func(op *ir.Op, steps int32, names ...string) (out, in []plan.Operand, err error) {
		ts, err := op.Type(types, nil)
		if err != nil {
			return nil, nil, err
		}
		first := int32(len(x.b.P.Steps)) - int32(x.first)
		for i, name := range names {
			size, err := bytesOf(ts[i], x.u.Bind)
			if err != nil {
				return nil, nil, err
			}
			b := x.buf("sample."+name, regArena, ts[i], x.u.Bind, size)
			b.Entry, b.Align, b.Off, b.LifeLo, b.LifeHi = x.index, align, end, first, first+steps
			end += alignUp(size)
			buf := x.put(b)
			out, in = append(out, whole(buf, plan.W)), append(in, whole(buf, plan.R))
		}
		x.used[regArena] = max(x.used[regArena], end)
		return out, in, nil
	}
	step := func(op *ir.Op, name string, operands ...[]plan.Operand) int32 {
		var os []plan.Operand
		for _, o := range operands {
			os = append(os, o...)
		}
		x.add(op, name, os, nil, at)
		return int32(len(x.b.P.Steps)) - 1
	}
	from := func(o plan.Operand, steps ...int32) []plan.Operand {
		o.Expect = x.b.AddExpects(steps)
		return []plan.Operand{o}
	}

	out, in, err := made(ops.SamplePeaks, choiceSteps, "peaks", "masses")
	if err != nil {
		return err
	}
	p := step(ops.SamplePeaks, "sample.peaks", four, out)
	peaks := from(in[0], p)
	add := from(in[1], p)
	add[0].Effect = plan.Acc
	m := step(ops.SampleMasses, "sample.masses", four, peaks, add)
	masses := from(in[1], m)
	if out, in, err = made(ops.SampleSift, 2, "kept", "list"); err != nil {
		return err
	}
	s := step(ops.SampleSift, "sample.sift", four, peaks, masses, out)
	step(ops.SampleDraw, "sample", given, peaks, from(in[0], s), from(in[1], s), []plan.Operand{hist, token})
	return nil
}
