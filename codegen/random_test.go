package codegen_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"dsac/codegen"
	"dsac/codegen/emu"
	"dsac/codegen/llc"
	"dsac/codegen/ptx"
)

// Random structured programs over four variables: what the builder emits, run by the
// emulator, must give what the program gives when it is simply followed.

// node is a statement. The operands are numbers of variables; those from 4 on are loop counters
// in scope and stand for variable n%4 where there are fewer.
type node struct {
	kind        string // set, if, for, while
	op          int
	to, a, b    int
	con         int
	then, other []node
}

var randomOps = []struct {
	build func(a, b I32) I32
	eval  func(a, b uint32) uint32
}{
	{func(a, b I32) I32 { return a.Add(b) }, func(a, b uint32) uint32 { return a + b }},
	{func(a, b I32) I32 { return a.Sub(b) }, func(a, b uint32) uint32 { return a - b }},
	{func(a, b I32) I32 { return a.Mul(b) }, func(a, b uint32) uint32 { return a * b }},
	{func(a, b I32) I32 { return a.Xor(b) }, func(a, b uint32) uint32 { return a ^ b }},
	{func(a, b I32) I32 { return a.Min(b) }, func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }},
	{func(a, b I32) I32 { return a.UMax(b) }, func(a, b uint32) uint32 { return max(a, b) }},
	{func(a, b I32) I32 { return a.Shr(b.And(31)) }, func(a, b uint32) uint32 { return a >> (b & 31) }},
	{func(a, b I32) I32 { return codegen.Select(a.ULt(b), a, b.Shl(1)) }, func(a, b uint32) uint32 {
		if a < b {
			return a
		}
		return b << 1
	}},
	{func(a, b I32) I32 { return b }, func(a, b uint32) uint32 { return b }}, // a copy: phis of phis
	{func(a, b I32) I32 { return a.Sub(a).Add(7) }, func(a, b uint32) uint32 { return 7 }},
}

func randomBody(r *rand.Rand, depth int) []node {
	var out []node
	for range 1 + r.IntN(4) {
		n := node{kind: "set", op: r.IntN(len(randomOps)), to: r.IntN(4), a: r.IntN(6), b: r.IntN(6), con: r.IntN(4)}
		if depth > 0 && r.IntN(2) == 0 {
			n.kind = []string{"if", "if else", "for", "for known", "while"}[r.IntN(5)]
			n.then = randomBody(r, depth-1)
			if n.kind == "if else" {
				n.other = randomBody(r, depth-1)
			}
		}
		out = append(out, n)
	}
	return out
}

// emitBody builds the statements; counters are the loop counters in scope.
func emitBody(k *codegen.K, body []node, vars []*codegen.Var[I32], counters []I32) {
	read := func(i int) I32 {
		if i < 4 || len(counters) == 0 {
			return vars[i%4].Get()
		}
		return counters[(i-4)%len(counters)]
	}
	with := func(i I32) []I32 { return append(counters[:len(counters):len(counters)], i) }
	for _, n := range body {
		switch n.kind {
		case "set":
			vars[n.to].Set(randomOps[n.op].build(read(n.a), read(n.b)))
		case "if":
			k.If(read(n.a).Lt(read(n.b)), func() { emitBody(k, n.then, vars, counters) })
		case "if else":
			k.IfElse(read(n.a).And(1).Eq(0), func() { emitBody(k, n.then, vars, counters) }, func() { emitBody(k, n.other, vars, counters) })
		case "for":
			k.For(n.con, read(n.b).And(3), 1, func(i I32) { emitBody(k, n.then, vars, with(i)) })
		case "for known":
			k.For(0, n.con, 2, func(i I32) { emitBody(k, n.then, vars, with(i)) })
		case "while":
			left := codegen.Let(read(n.a).And(3))
			k.While(func() codegen.Pred { return left.Get().Ne(0) }, func() {
				left.Set(left.Get().Sub(1))
				emitBody(k, n.then, vars, counters)
			})
		}
	}
}

// follow runs the statements.
func follow(body []node, vars *[4]uint32, counters []uint32) {
	read := func(i int) uint32 {
		if i < 4 || len(counters) == 0 {
			return vars[i%4]
		}
		return counters[(i-4)%len(counters)]
	}
	with := func(i int) []uint32 { return append(counters[:len(counters):len(counters)], uint32(i)) }
	for _, n := range body {
		switch n.kind {
		case "set":
			vars[n.to] = randomOps[n.op].eval(read(n.a), read(n.b))
		case "if":
			if int32(read(n.a)) < int32(read(n.b)) {
				follow(n.then, vars, counters)
			}
		case "if else":
			if read(n.a)&1 == 0 {
				follow(n.then, vars, counters)
			} else {
				follow(n.other, vars, counters)
			}
		case "for":
			end := int(read(n.b) & 3)
			for i := n.con; i < end; i++ {
				follow(n.then, vars, with(i))
			}
		case "for known":
			for i := 0; i < n.con; i += 2 {
				follow(n.then, vars, with(i))
			}
		case "while":
			for left := read(n.a) & 3; left != 0; left-- {
				follow(n.then, vars, counters)
			}
		}
	}
}

func TestRandomPrograms(t *testing.T) {
	tool, err := llc.Find()
	if err != nil {
		t.Skip(err)
	}
	const programs = 60
	g := target(t, "sm_90")
	m := codegen.NewModule(g)
	bodies := make([][]node, programs)
	for i := range bodies {
		bodies[i] = randomBody(rand.New(rand.NewPCG(uint64(i), 3)), 3)
		m.Kernel(fmt.Sprintf("p%d", i), []string{"in", "out"}, 32, func(k *codegen.K) {
			vars := make([]*codegen.Var[I32], 4)
			for j := range vars {
				vars[j] = codegen.Let(k.Arg(0).Elem(k.Lane().Mul(4).Add(j), 4).LdI32())
			}
			emitBody(k, bodies[i], vars, nil)
			for j := range vars {
				k.Arg(1).Elem(k.Lane().Mul(4).Add(j), 4).StI32(vars[j].Get())
			}
		})
	}
	ir, err := m.Build()
	if err != nil {
		t.Fatal(err)
	}
	text, err := tool.Compile(ir, g, "test")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := ptx.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	in := make([]byte, 512)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 128 {
		binary.LittleEndian.PutUint32(in[4*i:], r.Uint32()>>r.IntN(32))
	}
	for i, body := range bodies {
		kernel, err := emu.Compile(mod, fmt.Sprintf("p%d", i))
		if err != nil {
			t.Fatal(err)
		}
		out := emu.NewBuffer("out", 512)
		rep, err := kernel.Launch(emu.LaunchConfig{
			Launch: ptx.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}},
			Params: []emu.Param{{Buf: emu.BufferOf("in", in), Access: emu.Read}, {Buf: out, Access: emu.Write}, {Value: 0}},
		}, emu.Options{Target: "sm_90"})
		if err == nil {
			err = rep.Err()
		}
		if err != nil {
			t.Fatalf("program %d: %v", i, err)
		}
		for lane := range 32 {
			var vars, got [4]uint32
			for j := range vars {
				vars[j] = binary.LittleEndian.Uint32(in[16*lane+4*j:])
				got[j] = binary.LittleEndian.Uint32(out.Data[16*lane+4*j:])
			}
			follow(body, &vars, nil)
			if got != vars {
				t.Fatalf("program %d %+v, lane %d: got %v, want %v", i, body, lane, got, vars)
			}
		}
	}
}
