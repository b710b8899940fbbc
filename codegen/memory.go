package codegen

import (
	"fmt"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/metadata"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// Loads and stores. A vector of n elements needs an address that is a multiple of its size.

// load emits a load of n elements of type t, which has size bytes.
func (p Ptr) load(t types.Type, size, n int) []value.Value {
	if p.when.v != nil || p.stream || p.peer {
		return p.loadAsm(t, size, n)
	}
	var vt types.Type = t
	if n > 1 {
		vt = types.NewVector(uint64(n), t)
	}
	ld := ir.NewLoad(vt, p.typed(vt))
	ld.Align = ir.Align(size * n)
	if p.nc {
		ld.Metadata = append(ld.Metadata, &metadata.Attachment{Name: "invariant.load", Node: p.k.m.emptyNode()})
	}
	p.k.emit(ld)
	if n == 1 {
		return []value.Value{ld}
	}
	out := make([]value.Value, n)
	for i := range out {
		out[i] = p.k.emit(ir.NewExtractElement(ld, constant.NewInt(types.I32, int64(i))))
	}
	return out
}

// loadAsm is load for the forms that LLVM has no words for. A byte is loaded into 16 bits.
func (p Ptr) loadAsm(t types.Type, size, n int) []value.Value {
	op, kind := "ld."+p.spaceName(), ordered
	if p.nc || p.stream && !p.placed {
		op, kind = op+".nc", pure
	} else if p.fixed {
		kind = pure
	}
	if p.stream {
		op += ".L1::no_allocate"
	}
	if n > 1 {
		op += fmt.Sprintf(".v%d", n)
	}
	op += fmt.Sprintf(".%s%d ", map[bool]string{true: "u", false: "b"}[size == 1], 8*size)
	if size == 1 {
		t = types.I16
	}
	results := repeat(t, n)
	if p.when.v == nil {
		return p.k.asm(kind, op+vector(0, n)+fmt.Sprintf(", [$%d];", n), results, p.v)
	}
	text := ""
	for i := range n {
		text += fmt.Sprintf("mov.b%d $%d, 0; ", max(16, 8*size), i)
	}
	text += fmt.Sprintf("@$%d %s%s, [$%d];", n+1, op, vector(0, n), n)
	return p.k.asmEarly(kind, text, results, p.v, p.when.v)
}

// store emits a store of elements of size bytes.
func (p Ptr) store(size int, vs ...value.Value) {
	n := len(vs)
	if p.when.v != nil {
		op := "st." + p.spaceName()
		if n > 1 {
			op += fmt.Sprintf(".v%d", n)
		}
		text := fmt.Sprintf("@$1 %s.b%d [$0], %s;", op, 8*size, vector(2, n))
		p.k.asm(ordered, text, nil, append([]value.Value{p.v, p.when.v}, vs...)...)
		return
	}
	if p.peer {
		p.k.asm(ordered, peerStore(size, n), nil, append([]value.Value{p.v}, vs...)...)
		return
	}
	x := vs[0]
	if n > 1 {
		vt := types.NewVector(uint64(n), vs[0].Type())
		x = constant.NewUndef(vt)
		for i, v := range vs {
			x = p.k.emit(ir.NewInsertElement(x, v, constant.NewInt(types.I32, int64(i))))
		}
	}
	st := ir.NewStore(x, p.typed(x.Type()))
	st.Align = ir.Align(size * n)
	p.k.cur.Insts = append(p.k.cur.Insts, st)
}

// emptyNode is the metadata that says no more than that it is there.
func (m *Module) emptyNode() *metadata.Tuple {
	if m.empty == nil {
		m.empty = &metadata.Tuple{MetadataID: 0}
	}
	return m.empty
}
