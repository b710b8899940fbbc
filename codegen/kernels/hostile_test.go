package kernels

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"dsac/codegen"
	"dsac/codegen/emu"
	"dsac/codegen/ptx"
	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// Whatever numbers lie in lists and in the control buffer, the indexer, the attention and the
// choice of a token stay inside their operands, and end.
func TestForeignNumbersStayInside(t *testing.T) {
	attend := mqaCase{rows: 2, heads: 3, rank: 64, rope: 32, ctx: 50, list: 40, splits: 2, kv: "f16"}
	scale := ir.Attrs{{Name: "scale", Val: 1.0}}
	top := ir.Attrs{{Name: "k", Val: int64(16)}}
	index := operands(dense(2, 3, 32), dense(2, 3), typed("f16", 70, 32))
	specs := []codegen.Spec{
		{Op: "index_scores", Operands: append(index, dense(2, ops.ScoreWidth(70))), Attrs: scale.With("width", int64(ops.ScoreWidth(70)))},
		{Op: "select_topk", Operands: operands(dense(2, ops.ScoreWidth(70)), typed("i32", 2, 16)), Attrs: top},
		{Op: "index_topk", Operands: append(index, typed("i32", 2, 16), dense(1, 70)), Attrs: append(top, scale...)},
		{Op: "mqa_partial", Operands: append(attend.inputs(), typed("f16", 2, 2, 3, 64), dense(2, 2, 3, 2)), Attrs: scale.With("splits", int64(2))},
		{Op: "mqa_combine", Operands: operands(typed("f16", 2, 2, 3, 64), dense(2, 2, 3, 2), dense(2, 3, 64))},
		{Op: "mqa_attend", Operands: append(attend.inputs(), dense(2, 3, 64)), Attrs: scale},
	}
	specs = append(specs, choiceSpecs(1, 40)...)
	var trials []trial
	for _, s := range specs {
		s.Rows, s.Context = 2, 70
		trials = append(trials, trial{spec: s})
	}
	set := compileTrials(t, "sm_120", trials)
	for i := range trials {
		e, s := &set.Entries[i], &trials[i].spec
		k, err := emu.Compile(set.Module, e.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range []struct{ n, pos uint64 }{
			{math.MaxUint64, math.MaxUint64}, {1 << 31, 1 << 31}, {2, math.MaxInt32}, {math.MaxInt32, 0}, {2, 69}, {0, 0}, {0, 1 << 40},
		} {
			t.Run(fmt.Sprintf("%s n=%d pos=%d", s.Op, st.n, st.pos), func(t *testing.T) {
				control := make([]byte, plan.CtlSize)
				binary.LittleEndian.PutUint64(control[plan.CtlN:], st.n)
				binary.LittleEndian.PutUint64(control[plan.CtlPos:], st.pos)
				cfg := emu.LaunchConfig{Launch: ptx.Launch{Grid: e.Launch.Grid, Block: e.Launch.Block, DynShared: int(e.Launch.Shared)}}
				r := quant.NewRand(1)
				for j, o := range ops.Find(s.Op).Operands {
					b := make([]byte, bytesOf(s.Operands[j]))
					r.Fill(b) // NaNs, infinities and any list
					p := emu.Param{Name: o.Name, Buf: emu.BufferOf(o.Name, b), Access: emu.Read}
					if o.Effect != ir.Read {
						p.Access, p.Multi = emu.Read|emu.Write|emu.Accum, o.Effect == ir.Scratch
					}
					cfg.Params = append(cfg.Params, p)
				}
				cfg.Params = append(cfg.Params, emu.Param{Name: "control", Buf: emu.BufferOf("control", control), Access: emu.Read})
				rep, err := k.Launch(cfg, emu.Options{Target: "sm_120"})
				if err == nil {
					err = rep.Err()
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}
