package codegen_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"dsac/codegen"
	"dsac/codegen/emu"
	"dsac/codegen/llc"
	"dsac/codegen/ptx"
	"dsac/codegen/ptxas"
)

// probe is a kernel of one warp: it reads 32 words of input and writes 32 words of output.
type probe struct {
	name string
	emit func(k *codegen.K, x codegen.I32) codegen.I32 // x is the thread's word
	want func(lane int, in []uint32) uint32
	line string // must be in the PTX
}

func f(bits uint32) float32 { return math.Float32frombits(bits) }
func b(x float32) uint32    { return math.Float32bits(x) }

// I32 is for brevity.
type I32 = codegen.I32

var probes = []probe{
	{"ints", func(k *codegen.K, x I32) I32 {
		return x.UDiv(7).Add(x.URem(10)).Mul(3).Xor(x.Shl(3)).Sub(x.Shr(5)).Or(1).And(-2)
	}, func(l int, in []uint32) uint32 { x := in[l]; return (((x/7+x%10)*3 ^ x<<3 - x>>5) | 1) &^ 1 }, ""},
	{"clamp", func(k *codegen.K, x I32) I32 { return x.Clamp(-5, 100) },
		func(l int, in []uint32) uint32 { return uint32(max(-5, min(100, int32(in[l])))) }, "max.s32"},
	{"sar", func(k *codegen.K, x I32) I32 { return x.Sar(4) }, func(l int, in []uint32) uint32 { return uint32(int32(in[l]) >> 4) }, "shr.s32"},
	{"wide", func(k *codegen.K, x I32) I32 { return x.I64().Mul(x.I64()).High() },
		func(l int, in []uint32) uint32 { return uint32(uint64(in[l]) * uint64(in[l]) >> 32) }, ""},
	{"mulhi64", func(k *codegen.K, x I32) I32 { return k.Join(x, x).MulHi(k.Join(x, x)).I32() },
		func(l int, in []uint32) uint32 {
			v := uint64(in[l]) | uint64(in[l])<<32
			hi, _ := bits.Mul64(v, v)
			return uint32(hi)
		}, "mul.hi.u64"},
	{"floats", func(k *codegen.K, x I32) I32 {
		v := x.And(0xffff).F32()
		return v.Mul(0.1).Add(2).Div(v.Add(1)).Bits()
	}, func(l int, in []uint32) uint32 {
		v := float32(int32(in[l] & 0xffff))
		return b((float32(v*0.1) + 2) / (v + 1))
	}, "div.rn.f32"},
	{"fma", func(k *codegen.K, x I32) I32 { v := x.And(0xffff).F32(); return v.Fma(v, 0.5).Bits() },
		func(l int, in []uint32) uint32 {
			v := float64(in[l] & 0xffff)
			return b(float32(v*v + 0.5))
		}, "fma.rn.f32"},
	{"unfused", func(k *codegen.K, x I32) I32 { v := x.F32(); return v.Mul(v).Add(v).Bits() },
		func(l int, in []uint32) uint32 { v := float32(int32(in[l])); return b(float32(v*v) + v) }, "mul.rn.f32"},
	{"half", func(k *codegen.K, x I32) I32 {
		h := k.PackH2(x.And(1023).F32(), x.Shr(22).F32())
		return h.Fma(h, h).Add(h).Sub(h).Max(h).Bits()
	}, nil, "fma.rn.f16x2"},
	{"pack", func(k *codegen.K, x I32) I32 {
		h := k.PackH2(x.And(1023).F32(), x.Shr(22).F32())
		return h.Lo().Add(h.Hi()).Add(h.Lo().F16().FromF16()).Bits()
	}, func(l int, in []uint32) uint32 {
		lo, hi := float32(in[l]&1023), float32(in[l]>>22)
		return b(lo + hi + lo)
	}, "cvt.rn.f16x2.f32"},
	{"bf16", func(k *codegen.K, x I32) I32 { return k.PackB2(x.And(127).F32(), x.Shr(25).F32()) },
		func(l int, in []uint32) uint32 { return b(float32(in[l]&127))>>16 | b(float32(in[l]>>25))&0xffff0000 }, "cvt.rn.bf16x2.f32"},
	{"bits", func(k *codegen.K, x I32) I32 {
		return k.Lop3(x, 0xff00ff, 0x1234, 0xea).Add(k.Prmt(x, 0x01020304, 0x5140)).Add(x.Popc()).Add(x.Clz()).Add(k.FunnelR(x, x, 8))
	}, nil, "lop3.b32"},
	{"dp4a", func(k *codegen.K, x I32) I32 { return k.Dp4a(x, x, k.I32(5)) }, func(l int, in []uint32) uint32 {
		sum := int32(5)
		for i := range 4 {
			v := int32(int8(in[l] >> (8 * i)))
			sum += v * v
		}
		return uint32(sum)
	}, "dp4a.s32.s32"},
	{"xor shuffle", func(k *codegen.K, x I32) I32 { return codegen.ShflXor(x, 5) }, func(l int, in []uint32) uint32 { return in[l^5] }, "shfl.sync.bfly"},
	{"down shuffle", func(k *codegen.K, x I32) I32 { return codegen.ShflDown(x, 3) },
		func(l int, in []uint32) uint32 {
			if l+3 > 31 {
				return in[l]
			}
			return in[l+3]
		}, "shfl.sync.down"},
	{"up shuffle", func(k *codegen.K, x I32) I32 { return codegen.ShflUp(x, 3) },
		func(l int, in []uint32) uint32 {
			if l < 3 {
				return in[l]
			}
			return in[l-3]
		}, "shfl.sync.up"},
	{"index shuffle", func(k *codegen.K, x I32) I32 { return codegen.ShflIdx(x, k.Lane().Add(7).And(31)) },
		func(l int, in []uint32) uint32 { return in[(l+7)&31] }, "shfl.sync.idx"},
	{"float shuffle", func(k *codegen.K, x I32) I32 { return codegen.ShflXor(x.AsF32(), 1).Bits() }, func(l int, in []uint32) uint32 { return in[l^1] }, ""},
	{"warp sum", func(k *codegen.K, x I32) I32 { return k.WarpSum(x.And(0xff).F32()).Bits() }, func(l int, in []uint32) uint32 {
		sum := uint32(0)
		for _, x := range in {
			sum += x & 0xff
		}
		return b(float32(sum))
	}, ""},
	{"redux", func(k *codegen.K, x I32) I32 { return k.WarpMaxU32(x).Sub(k.WarpMinU32(x)).Add(k.WarpSumI32(x)) }, func(l int, in []uint32) uint32 {
		lo, hi, sum := in[0], in[0], uint32(0)
		for _, x := range in {
			lo, hi, sum = min(lo, x), max(hi, x), sum+x
		}
		return hi - lo + sum
	}, "redux.sync.max.u32"},
	{"ballot", func(k *codegen.K, x I32) I32 {
		odd := k.Ballot(x.And(1).Ne(0))
		return codegen.Select(k.Any(x.Eq(x)).And(k.All(x.Eq(x))), odd.And(k.LanesBelow()).Popc(), k.I32(-1))
	}, func(l int, in []uint32) uint32 {
		n := uint32(0)
		for _, x := range in[:l] {
			n += x & 1
		}
		return n
	}, "vote.sync.ballot"},
	{"for", func(k *codegen.K, x I32) I32 {
		sum, other := codegen.Let(k.I32(0)), codegen.Let(x)
		k.For(0, x.And(7), 2, func(i I32) {
			k.If(i.Ne(4), func() { sum.Set(sum.Get().Add(i.Add(1))) })
		})
		return sum.Get().Add(other.Get())
	}, func(l int, in []uint32) uint32 {
		sum := in[l]
		for i := uint32(0); i < in[l]&7; i += 2 {
			if i != 4 {
				sum += i + 1
			}
		}
		return sum
	}, ""},
	{"while", func(k *codegen.K, x I32) I32 {
		v, steps := codegen.Let(x.Or(1)), codegen.Let(k.I32(0))
		k.While(func() codegen.Pred { return v.Get().Ne(1).And(steps.Get().Lt(100)) }, func() {
			k.IfElse(v.Get().And(1).Eq(0), func() { v.Set(v.Get().Shr(1)) }, func() { v.Set(v.Get().Shr(2).Add(1)) })
			steps.Set(steps.Get().Add(1))
		})
		return v.Get().Shl(8).Add(steps.Get())
	}, func(l int, in []uint32) uint32 {
		v, n := in[l]|1, uint32(0)
		for v != 1 && n < 100 {
			if v&1 == 0 {
				v >>= 1
			} else {
				v = v>>2 + 1
			}
			n++
		}
		return v<<8 + n
	}, ""},
	{"shared", func(k *codegen.K, x I32) I32 {
		p := k.Shared("words", 128)
		p.Elem(k.Lane(), 4).StI32(x)
		k.Sync()
		return p.Elem(k.Lane().Xor(9), 4).LdI32()
	}, func(l int, in []uint32) uint32 { return in[l^9] }, "bar.sync"},
	{"cp.async", func(k *codegen.K, x I32) I32 {
		p := k.Dynamic()
		k.CopyAsync(p.Elem(k.Lane(), 4), k.Arg(0).Elem(k.Lane().Xor(3), 4), 4)
		k.CopyAsync(p.At(128).Elem(k.Lane().And(7), 16), k.Arg(0).Elem(k.Lane().And(7), 16).When(k.Lane().Lt(8)), 16)
		k.CopyCommit()
		k.CopyAsyncZero(p.At(256).Elem(k.Lane(), 4), k.Arg(0).Elem(k.Lane(), 4), 4, codegen.Select(k.Lane().Lt(16), k.I32(4), k.I32(0)))
		k.CopyCommit()
		k.CopyWait(0)
		k.SyncWarp()
		return p.Elem(k.Lane().Xor(3), 4).LdI32().Add(p.At(128).Elem(k.Lane().Xor(31), 4).LdI32()).Add(p.At(256).Elem(k.Lane().Xor(31), 4).LdI32())
	}, func(l int, in []uint32) uint32 {
		x := in[l] + in[l^31]
		if l^31 < 16 {
			x += in[l^31]
		}
		return x
	}, "cp.async.cg.shared.global"},
	{"ldmatrix", func(k *codegen.K, x I32) I32 {
		p := k.Shared("tile", 512)
		for i := range 4 {
			p.At(128*i).Elem(k.Lane(), 4).StI32(x.Add(i))
		}
		k.SyncWarp()
		m := k.LdMatrix(p.Elem(k.Lane(), 16), 4, false)
		t := k.LdMatrix(p.Elem(k.Lane(), 16), 1, true)
		return m[0].Add(m[1]).Sub(m[2]).Xor(m[3]).Add(t[0].And(0xffff))
	}, func(l int, in []uint32) uint32 {
		x := (in[l] + in[l] + 1 - (in[l] + 2)) ^ (in[l] + 3)
		r, c := 2*(l%4), l/4 // element (r, c) of the matrix of halves
		w := in[r*4+c/2]
		return x + w>>(16*(c%2))&0xffff
	}, "ldmatrix.sync.aligned.m8n8.x4.shared.b16"},
	{"mma f16", func(k *codegen.K, x I32) I32 {
		one := k.PackH2(k.F32(1), k.F32(1)).Bits()
		row := k.PackH2(k.Lane().Shr(2).F32(), k.F32(0)).Bits()
		c := k.MmaF16([4]I32{row, row, row, row}, [2]I32{one, one}, [4]codegen.F32{k.F32(1), k.F32(0), k.F32(0), k.F32(0)})
		return c[0].Bits()
	}, func(l int, in []uint32) uint32 { return b(float32(l/4)*8 + 1) }, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"},
	{"mma bf16", func(k *codegen.K, x I32) I32 {
		one := k.PackB2(k.F32(1), k.F32(2))
		return k.MmaBF16([4]I32{one, one, one, one}, [2]I32{one, one}, [4]codegen.F32{k.F32(0), k.F32(0), k.F32(0), k.F32(0)})[3].Bits()
	}, func(l int, in []uint32) uint32 { return b(40) }, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"},
	{"mma s8", func(k *codegen.K, x I32) I32 {
		a := k.I32(0x01ff02fe)
		return k.MmaS8([4]I32{a, a, a, a}, [2]I32{a, a}, [4]I32{k.Lane(), k.I32(0), k.I32(0), k.I32(0)})[0]
	}, func(l int, in []uint32) uint32 { return uint32(80 + l) }, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"},
	{"predicated", func(k *codegen.K, x I32) I32 {
		even := k.Lane().And(1).Eq(0)
		v := k.Arg(0).ReadOnly().Elem(k.Lane().And(28), 4).When(even).LdI32s(4)
		return v[0].Add(v[3])
	}, func(l int, in []uint32) uint32 {
		if l%2 != 0 {
			return 0
		}
		return in[l&28] + in[l&28+3]
	}, "ld.global.nc.v4.b32"},
	{"predicated bytes", func(k *codegen.K, x I32) I32 {
		k.Prefetch(k.Arg(0))
		p := k.Arg(0).Elem(k.Lane(), 4).When(k.Lane().Lt(20))
		return p.LdU8().Add(p.At(1).LdS8()).Add(p.At(2).LdU16())
	}, func(l int, in []uint32) uint32 {
		if l >= 20 {
			return 0
		}
		return in[l]&255 + uint32(int32(int8(in[l]>>8))) + in[l]>>16
	}, "ld.global.u8"},
	{"stream", func(k *codegen.K, x I32) I32 {
		v := k.Arg(0).Stream().Elem(k.Lane().And(30), 4).LdI32s(2)
		return v[0].Add(v[1])
	}, func(l int, in []uint32) uint32 { return in[l&30] + in[l&30+1] }, "ld.global.nc.L1::no_allocate.v2.b32"},
	{"bytes", func(k *codegen.K, x I32) I32 {
		p := k.Arg(0).Elem(k.Lane(), 4)
		return p.LdU8().Add(p.At(1).LdS8()).Add(p.At(2).LdU16())
	}, func(l int, in []uint32) uint32 { return in[l]&255 + uint32(int32(int8(in[l]>>8))) + in[l]>>16 }, "ld.global.u8"},
	{"atomics", func(k *codegen.K, x I32) I32 {
		p := k.Shared("count", 32)
		k.If(k.Lane().Eq(0), func() { p.StI32s(k.I32(0), k.I32(0), k.I32(0), k.I32(0)) })
		k.SyncWarp()
		p.AtomicAdd(x)
		p.At(4).AtomicOr(x)
		p.At(8).CountI64(x.I64())
		k.SyncWarp()
		return p.LdI32().Add(p.At(4).LdI32()).Add(p.At(8).LdI64().High())
	}, func(l int, in []uint32) uint32 {
		var sum uint64
		var or uint32
		for _, x := range in {
			sum, or = sum+uint64(x), or|x
		}
		return uint32(sum) + or + uint32(sum>>32)
	}, "atom.shared.add.u32"},
	{"table", func(k *codegen.K, x I32) I32 {
		return k.Table("squares", []uint64{0, 1, 4, 9}).Elem(k.Lane().And(3), 8).LdI64().I32()
	}, func(l int, in []uint32) uint32 { return uint32(l&3) * uint32(l&3) }, ""},
	{"time", func(k *codegen.K, x I32) I32 {
		k.Sleep(20)
		k.Fence()
		k.SyncPart(1, 32)
		k.Meet(2, 32)
		return x
	}, func(l int, in []uint32) uint32 { return in[l] }, "griddepcontrol.wait"},
	{"narrow stores", func(k *codegen.K, x I32) I32 {
		p := k.Shared("bytes", 128).Elem(k.Lane(), 4)
		p.StU16(x)
		p.At(2).StU8(x.Shr(16))
		p.At(3).StU8(x.Shr(24))
		return p.LdI32()
	}, func(l int, in []uint32) uint32 { return in[l] }, "st.shared.u8"},
}

// TestInstructions runs every operation of the builder in the emulator, with every llc.
func TestInstructions(t *testing.T) {
	tools := llc.All()
	if len(tools) == 0 {
		_, err := llc.Find()
		t.Skip(err)
	}
	g := target(t, "sm_120")
	m := codegen.NewModule(g)
	for i, p := range probes {
		m.Kernel(fmt.Sprintf("p%d", i), []string{"in", "out"}, 32, func(k *codegen.K) {
			k.MinBlocks(2)
			x := k.Arg(0).Elem(k.Lane(), 4).LdI32()
			k.Arg(1).Elem(k.Lane(), 4).StI32(p.emit(k, x))
		})
	}
	ir, err := m.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		t.Run("llc "+tool.Version, func(t *testing.T) {
			text, err := tool.Compile(ir, g, "test")
			if err != nil {
				t.Fatal(err)
			}
			if as, err := ptxas.Find(); err != nil {
				t.Log(err)
			} else if _, err := as.Assemble(text, g); err != nil {
				t.Error(err)
			}
			mod, err := ptx.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			for i := range probes {
				runProbe(t, mod, text, i)
			}
		})
	}
}

func runProbe(t *testing.T, mod *ptx.Module, text string, i int) {
	p := probes[i]
	name := fmt.Sprintf("p%d", i)
	_, body, _ := strings.Cut(text, ".entry "+name+"(")
	body, _, _ = strings.Cut(body, "-- End function")
	if !strings.Contains(body, p.line) {
		t.Errorf("%s: no %q in\n%s", p.name, p.line, body)
	}
	kernel, err := emu.Compile(mod, name)
	if err != nil {
		t.Errorf("%s: %v", p.name, err)
		return
	}
	in := make([]uint32, 32)
	data := make([]byte, 128)
	for l := range in {
		in[l] = uint32(l)*0x9e3779b9 + 12345
		binary.LittleEndian.PutUint32(data[4*l:], in[l])
	}
	out := emu.NewBuffer("out", 128)
	l := ptx.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, DynShared: 1024}
	rep, err := kernel.Launch(emu.LaunchConfig{Launch: l, Params: []emu.Param{
		{Name: "in", Buf: emu.BufferOf("in", data), Access: emu.Read}, {Name: "out", Buf: out, Access: emu.Write}, {Name: "control", Value: 0},
	}}, emu.Options{Target: "sm_120"})
	if err == nil {
		err = rep.Err()
	}
	if err != nil {
		t.Errorf("%s: %v", p.name, err)
		return
	}
	for l := 0; l < 32 && p.want != nil; l++ {
		if got, want := binary.LittleEndian.Uint32(out.Data[4*l:]), p.want(l, in); got != want {
			t.Errorf("%s: lane %d of input %#x: got %#x (%v), want %#x (%v)", p.name, l, in[l], got, f(got), want, f(want))
			return
		}
	}
}

func target(t testing.TB, name string) *codegen.Target {
	t.Helper()
	g, err := codegen.FindTarget(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
