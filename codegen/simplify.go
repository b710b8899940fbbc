package codegen

import (
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/value"
)

// simplify removes phis that all paths give the same value, and those that nothing uses.
func simplify(f *ir.Func) {
	same := map[value.Value]value.Value{}
	final := func(v value.Value) value.Value {
		for {
			r, ok := same[v]
			if !ok {
				return v
			}
			v = r
		}
	}
	var phis []*ir.InstPhi
	for _, b := range f.Blocks {
		for _, in := range b.Insts {
			if p, ok := in.(*ir.InstPhi); ok {
				phis = append(phis, p)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range phis {
			if _, gone := same[p]; gone {
				continue
			}
			if v := onlyValue(p, final); v != nil {
				same[p] = v
				changed = true
			}
		}
	}
	live := map[*ir.InstPhi]bool{}
	var mark func(v value.Value)
	mark = func(v value.Value) {
		if p, ok := v.(*ir.InstPhi); ok && !live[p] {
			live[p] = true
			for _, inc := range p.Incs {
				inc.X = final(inc.X)
				mark(inc.X)
			}
		}
	}
	for _, b := range f.Blocks {
		for _, in := range b.Insts {
			if _, ok := in.(*ir.InstPhi); !ok {
				replace(in.Operands(), final, mark)
			}
		}
		replace(b.Term.Operands(), final, mark)
	}
	for _, b := range f.Blocks {
		kept := b.Insts[:0]
		for _, in := range b.Insts {
			if p, ok := in.(*ir.InstPhi); ok && !live[p] {
				continue
			}
			kept = append(kept, in)
		}
		b.Insts = kept
	}
}

// onlyValue returns the one value that a phi can have beside itself, or nil.
func onlyValue(p *ir.InstPhi, final func(value.Value) value.Value) value.Value {
	var only value.Value
	for _, inc := range p.Incs {
		x := final(inc.X)
		if x == value.Value(p) || x == only {
			continue
		}
		if only != nil {
			return nil
		}
		only = x
	}
	return only
}

func replace(operands []*value.Value, final func(value.Value) value.Value, use func(value.Value)) {
	for _, o := range operands {
		*o = final(*o)
		use(*o)
	}
}
