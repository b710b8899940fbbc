package passes

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"strconv"

	"dsac/ir"
	"dsac/runtime/plan"
)

// Source is a model bound to a GGUF header: what Compile starts from.
type Source struct {
	Arch  string    // DSL model name
	Model string    // general.name, for messages
	Graph *ir.Graph // symbolic T, R, C; inputs: ids
	Vocab int       // rows of the logits
}

// Compile makes the plan of a model: every entry through the pipeline, then emit, the plan's
// verifier and the lint, none of which can be left out. src.Graph is not changed.
func Compile(src Source, opt Options) (*plan.Plan, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	units, err := lowered(src, &opt)
	if err != nil {
		return nil, err
	}
	p, err := emitPlan(src, &opt, units)
	if err != nil {
		return nil, fmt.Errorf("emit: %w", err)
	}
	return p, check(p)
}

// lowered takes every entry through the pipeline: several at a time, or one after another for
// whoever watches. The first that fails, in the order of the entries, is reported.
func lowered(src Source, opt *Options) ([]*Unit, error) {
	entries := opt.entries()
	units := make([]*Unit, len(entries))
	errs := make([]error, len(entries))
	one := func(i int) {
		e := entries[i]
		u := &Unit{Entry: e, Opt: opt, G: src.Graph.Clone(), Bind: ir.Bind{T: e.Rows, R: e.Outs, C: opt.Ctx}}
		units[i], errs[i] = u, run(u)
	}
	if opt.Log != nil {
		fmt.Fprintf(opt.Log, "compiling %d entries\n", len(entries))
	}
	if opt.Observe == nil {
		parallel(len(entries), one)
		return units, cmp.Or(errs...)
	}
	for i := range entries {
		if one(i); errs[i] != nil {
			break
		}
	}
	return units, cmp.Or(errs...)
}

// emitPlan is emit, with a panic turned into an error like that of a pass.
func emitPlan(src Source, opt *Options, units []*Unit) (p *plan.Plan, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Crash{"emit", r, string(debug.Stack()), 0, 0, opt.Ctx, src.Graph.Text()}
		}
	}()
	return emit(src, opt, units)
}

func (o *Options) meta(src Source) map[string]string {
	logits := "last"
	if o.AllRows {
		logits = "all"
	}
	return map[string]string{
		plan.MetaArch: src.Arch, plan.MetaModel: src.Model, plan.MetaTarget: o.Target, plan.MetaKV: o.KV,
		plan.MetaCtx: strconv.Itoa(o.Ctx), plan.MetaChunk: strconv.Itoa(min(o.Chunk, o.Ctx)), plan.MetaTP: strconv.Itoa(max(1, o.TP)),
		plan.MetaVocab: strconv.Itoa(src.Vocab), plan.MetaLogits: logits, plan.MetaVersion: o.Version,
	}
}
