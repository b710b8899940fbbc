package passes

import (
	"slices"

	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/plan"
)

// choiceSteps is the number of steps that choose a token on a GPU, all but the last over many
// blocks. The host has one.
const choiceSteps = 4

// choice emits the choice of a token.
type choice struct {
	*entryEmitter
	source int32
	end    uint64 // bytes of what steps pass on, from the arena's start: when they run, nothing else lives there
}

// operands are operands of a step.
type operands = []plan.Operand

// draw emits the choice of a token.
func (x *entryEmitter) draw(logits *ir.Value, source int32) error {
	c := &choice{entryEmitter: x, source: source}
	row := plan.Operand{Hi: plan.Whole}
	if err := x.read(&row, ir.Use{Val: logits}, &ops.Sample.Operands[0]); err != nil {
		return err
	}
	given, hist := operands{row, whole(x.smp, plan.R), whole(x.mask, plan.R)}, operands{whole(x.hist, plan.RW)}
	token := operands{{Buf: x.ctl, Effect: plan.W, Lo: plan.Fixed(plan.CtlRNG), Hi: plan.Fixed(plan.CtlError)}}
	if x.u.Opt.target().GPU == nil {
		c.step(ops.Sample, "sample", given, hist, token)
		return nil
	}
	return c.inParts(given, hist, token)
}

// inParts emits the steps of a GPU.
func (c *choice) inParts(given, hist, token operands) error {
	made, err := c.pass(ops.SamplePeaks, choiceSteps, "peaks", "masses")
	if err != nil {
		return err
	}
	seen := append(slices.Clone(given), whole(c.hist, plan.R))
	step := c.step(ops.SamplePeaks, "sample.peaks", seen, made)
	peaks, sums := c.from(made[0], plan.R, step), c.from(made[1], plan.Acc, step)
	masses := c.from(made[1], plan.R, c.step(ops.SampleMasses, "sample.masses", seen, peaks, sums))
	if made, err = c.pass(ops.SampleSift, 2, "kept", "list"); err != nil {
		return err
	}
	step = c.step(ops.SampleSift, "sample.sift", seen, peaks, masses, made)
	kept, list := c.from(made[0], plan.R, step), c.from(made[1], plan.R, step)
	c.step(ops.SampleDraw, "sample", given, peaks, kept, list, hist, token)
	return nil
}

// pass makes buffers for what the next step writes, which live for some steps.
func (c *choice) pass(op *ir.Op, steps int32, names ...string) (made operands, err error) {
	vocab, bind := ir.Fixed(c.src.Vocab), c.u.Bind
	types, err := op.Type([]ir.Type{ir.Of(ir.F32, ir.Fixed(1), vocab), ir.Of(ir.U8, ir.Fixed(plan.SmpSize)), ir.Of(ir.U8, vocab), ir.Of(ir.I32, vocab)}, nil)
	if err != nil {
		return nil, err
	}
	first := int32(len(c.b.P.Steps)) - int32(c.first)
	for i, name := range names {
		size, err := bytesOf(types[i], bind)
		if err != nil {
			return nil, err
		}
		b := c.buf("sample."+name, regArena, types[i], bind, size)
		b.Entry, b.Align, b.Off, b.LifeLo, b.LifeHi = c.index, align, c.end, first, first+steps
		c.end += alignUp(size)
		made = append(made, whole(c.put(b), plan.W))
	}
	c.used[regArena] = max(c.used[regArena], c.end)
	return made, nil
}

// step adds a step and returns its number.
func (c *choice) step(op *ir.Op, name string, parts ...operands) int32 {
	c.add(op, name, slices.Concat(parts...), nil, c.source)
	return int32(len(c.b.P.Steps)) - 1
}

// from is what a step has made, as an operand of a later one.
func (c *choice) from(made plan.Operand, e plan.Effect, step int32) operands {
	made.Effect, made.Expect = e, c.b.AddExpects([]int32{step})
	return operands{made}
}
