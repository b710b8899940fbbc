package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"dsac/passes/cost"
	"dsac/runtime/cuda"
	"dsac/runtime/plan"
)

// modelBench measures a session.
type modelBench struct {
	*session
	flags  *modelFlags
	ctx    context.Context
	run    *benchRun
	before *benchRun
	out    io.Writer
}

// gpu returns the session's device if it is a GPU.
func (x *session) gpu() *cuda.Device {
	d, _ := x.dev.(*cuda.Device)
	return d
}

func (b *modelBench) measure() error {
	if d := b.gpu(); d != nil {
		var err error
		if b.run.Rates, err = d.Rates(b.ctx); err != nil {
			return err
		}
	}
	printModelHead(b.out, b.run)
	for _, d := range b.flags.depths {
		if err := b.depth(d); err != nil {
			return err
		}
	}
	return nil
}

// fill puts d random rows into the caches.
func (b *modelBench) fill(d int) error {
	if g := b.gpu(); g != nil {
		return g.MakeUpState(b.ctx, d)
	}
	b.dev.Reset()
	return b.dev.RandomState(1, d)
}

// depth measures prompts and decode steps after d rows.
func (b *modelBench) depth(d int) error {
	if err := b.fill(d); err != nil {
		return err
	}
	for _, p := range b.flags.prompts {
		if err := b.prefill(p, d); err != nil {
			return err
		}
	}
	if err := b.dev.Rewind(d); err != nil {
		return err
	}
	return b.decode(d)
}

// prefill measures a prompt of p tokens in the plan's chunks.
func (b *modelBench) prefill(p, d int) error {
	chunk := b.largest(b.isPrefill)
	if chunk == 0 {
		return errors.New("the plan has no prefill entry: compile with a larger --chunk")
	}
	row := benchRow{Name: fmt.Sprintf("prefill%d/d%d", p, d), What: "prefill", Depth: d, Tokens: p}
	first, rows := -1, min(chunk, p)
	var work cost.Work
	for at := 0; at < p; at += chunk {
		n := min(chunk, p-at)
		e, err := b.dev.EntryFor(n, b.isPrefill)
		if err != nil {
			return err
		}
		if work = work.Add(b.work(e, n, d+at)); first < 0 {
			first = e
		}
	}
	row.count(work)
	row.Attention = b.attentionOf(first, d+rows)
	ids := make([]int32, p)
	b.someIDs(ids)
	err := b.median(&row, b.flags.repeat, func() error { return b.dev.Rewind(d) }, func() error {
		return b.feed(b.ctx, ids, chunk, b.isPrefill, nil, func(int, int) error { return nil })
	})
	if err != nil {
		return err
	}
	return b.byKind(row.Name, first, rows, d)
}

// decode measures steps of one token, each after the one before.
func (b *modelBench) decode(d int) error {
	b.dev.IDs()[0] = 1
	e, err := b.dev.EntryFor(1, func(e *plan.Entry) bool { return strings.HasPrefix(b.plan.Str(e.Name), "decode") })
	if err != nil {
		return err
	}
	row := benchRow{Name: fmt.Sprintf("decode/d%d", d), What: "decode", Depth: d, Tokens: 1, Attention: b.attentionOf(e, d+1)}
	row.count(b.work(e, 1, d))
	err = b.median(&row, b.flags.steps, func() error { return nil }, func() error { return b.dev.RunContext(b.ctx, e, 1) })
	if err != nil {
		return err
	}
	return b.byKind(row.Name, e, 1, d)
}

// someIDs fills ids with tokens of the vocabulary.
func (b *modelBench) someIDs(ids []int32) {
	for i := range ids {
		ids[i] = int32(i*7919+13) % int32(b.plan.MetaInt(plan.MetaVocab))
	}
}

// median measures a row and prints it.
func (b *modelBench) median(row *benchRow, n int, before, once func() error) error {
	if terminal(os.Stderr) {
		fmt.Fprintf(os.Stderr, "\r\x1b[K%s", row.Name)
		defer fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	var took []float64
	for i := range n + 1 {
		if err := before(); err != nil {
			return err
		}
		start := time.Now()
		if err := once(); err != nil {
			return err
		}
		if i > 0 { // the first one warms up
			took = append(took, float64(time.Since(start).Nanoseconds())/1000)
		}
	}
	slices.Sort(took)
	row.Micros, row.Runs = took[n/2], n
	row.Spread = (took[n*3/4] - took[n/4]) / 2 / row.Micros
	row.Rate = float64(row.Tokens) / row.Micros * 1e6
	b.add(row)
	return nil
}

// add keeps a row and prints it.
func (b *modelBench) add(row *benchRow) {
	b.run.Rows = append(b.run.Rows, *row)
	if terminal(os.Stderr) {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	printModelRow(b.out, b.run, row, b.before)
}

// work is what an entry must read and compute for n rows after pos.
func (b *modelBench) work(entry, n, pos int) cost.Work {
	e := &b.plan.Entries[entry]
	var w cost.Work
	for i := range b.plan.EntrySteps(e) {
		w = w.Add(cost.Of(b.plan, int32(e.Steps.Off)+int32(i), plan.Point{N: int64(n), Pos: int64(pos), Len: int64(pos + n)}))
	}
	return w
}

// attentionOf says which ops attend in an entry, and whether they choose among the rows.
func (b *modelBench) attentionOf(entry, length int) string {
	p := b.plan
	var names []string
	width := 0
	steps := p.EntrySteps(&p.Entries[entry])
	for i := range steps {
		for _, o := range p.Ops(&steps[i]) {
			buf := &p.Bufs[o.Buf]
			if buf.Flags&plan.GrpBuf == 0 || o.Effect != plan.R {
				continue
			}
			width = int(buf.Shape[buf.Dims-1])
			if name := p.Str(steps[i].Op); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	switch {
	case names == nil:
		return "none"
	case length > width:
		return fmt.Sprintf("sparse, %d of %d rows (%s)", width, length, strings.Join(names, ", "))
	}
	return fmt.Sprintf("dense, all of %d rows (%s)", length, strings.Join(names, ", "))
}
