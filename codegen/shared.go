package codegen

import (
	"fmt"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"

	"dsac/codegen/ptx"
)

// Shared reserves static shared memory, aligned to 16 bytes; all static memory of a kernel
// together is at most ptx.StaticShared.
func (k *K) Shared(name string, size int) Ptr {
	if k.pool != nil {
		return k.pool.take(size)
	}
	k.shared += (size + 15) &^ 15
	if size < 1 || k.shared > ptx.StaticShared {
		k.failf("%d bytes of static shared memory, at most %d: use Dynamic", k.shared, ptx.StaticShared)
		size = 16
	}
	g := k.m.global(fmt.Sprintf("%s_%s", k.name, name), types.NewArray(uint64(size), types.I8), Shared)
	g.Linkage = enum.LinkageInternal
	g.Init = constant.NewUndef(g.ContentType)
	k.globals = append(k.globals, g)
	return Ptr{k: k, v: constant.NewBitCast(g, bytes(Shared)), space: Shared}
}

// Dynamic returns the start of the dynamic shared memory, whose size the launch gives; it is
// aligned to 16 bytes.
func (k *K) Dynamic() Ptr {
	if k.m.dynamic == nil {
		k.m.dynamic = k.m.global("dynamic_shared", types.NewArray(0, types.I8), Shared)
		k.m.dynamic.Linkage = enum.LinkageExternal
	}
	return Ptr{k: k, v: constant.NewBitCast(k.m.dynamic, bytes(Shared)), space: Shared}
}

func (m *Module) global(name string, t types.Type, s Space) *ir.Global {
	g := ir.NewGlobal(name, t)
	m.globals = append(m.globals, g)
	g.AddrSpace = types.AddrSpace(s)
	g.Typ = pointer(t, s)
	g.Align = 16
	return g
}

// Table returns the address of constant words in the module; equal tables are stored once.
func (k *K) Table(name string, words []uint64) Ptr {
	key := fmt.Sprint(name, words)
	g := k.m.tables[key]
	if g == nil {
		elems := make([]constant.Constant, len(words))
		for i, w := range words {
			elems[i] = constant.NewInt(types.I64, int64(w))
		}
		init := constant.NewArray(types.NewArray(uint64(len(words)), types.I64), elems...)
		g = k.m.global(fmt.Sprintf("%s_%d", name, len(k.m.tables)), init.Type(), Global)
		g.Linkage, g.Init, g.Immutable = enum.LinkageInternal, init, true
		k.m.tables[key] = g
	}
	return Ptr{k: k, v: constant.NewBitCast(g, bytes(Global)), space: Global, nc: true}
}
