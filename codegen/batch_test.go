package codegen_test

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dsac/codegen"
	"dsac/codegen/emu"
	"dsac/codegen/llc"
	"dsac/codegen/ptx"
)

// plane writes, for blocks and threads of several dimensions, where each thread is.
func plane(grid, block [3]uint32) codegen.Stage {
	return codegen.Stage{Operands: []string{"out"}, Launch: codegen.Launch{Grid: grid, Block: block}, Emit: func(k *codegen.K) {
		at := k.BlockZ().Mul(int(grid[1])).Add(k.BlockY()).Mul(int(grid[0])).Add(k.BlockX())
		at = at.Mul(int(block[1])).Add(k.ThreadY()).Mul(int(block[0])).Add(k.Thread())
		word := k.BlockX().Or(k.BlockY().Shl(8)).Or(k.BlockZ().Shl(16)).Or(k.Thread().Shl(20)).Or(k.ThreadY().Shl(26))
		k.Arg(0).Elem(at, 4).StI32(word)
	}}
}

// fold is one block whose threads exchange words through shared memory and write y[i] = x[i] +
// x[n-1-i]. Of the threads, half leave at the end before the others.
func fold(n int) codegen.Stage {
	return codegen.Stage{Operands: []string{"x", "y"}, Launch: codegen.Line(1, n), Emit: func(k *codegen.K) {
		s := k.Shared("words", 4*n)
		t := k.Thread()
		x := k.Arg(0).Elem(t, 4).LdI32()
		s.Elem(t, 4).StI32(x)
		k.Sync()
		sum := x.Add(s.Elem(k.I32(n-1).Sub(t), 4).LdI32())
		k.Sync()
		k.Arg(1).Elem(t, 4).StI32(sum)
		k.ReturnIf(t.Ge(n / 2))
		s.Elem(t, 4).StI32(sum)
	}}
}

// mirror is one block of fewer threads than a warp: y[i] = x[n-1-i].
func mirror(n int) codegen.Stage {
	return codegen.Stage{Operands: []string{"x", "y"}, Launch: codegen.Line(1, n), Emit: func(k *codegen.K) {
		k.Arg(1).Elem(k.Thread(), 4).StI32(k.Arg(0).Elem(k.I32(n-1).Sub(k.Thread()), 4).LdI32())
	}}
}

// batched is a kernel of four parts, three planes and a chain.
var batched = []codegen.Chain{
	{plane([3]uint32{3, 4, 2}, [3]uint32{8, 4, 1})},
	{fold(64), mirror(16)},
	{plane([3]uint32{4, 1, 5}, [3]uint32{96, 1, 1})},
	{plane([3]uint32{1, 1, 1}, [3]uint32{5, 1, 1})},
}

func compileBatch(t *testing.T, parts []codegen.Chain) (text string, m *ptx.Module) {
	t.Helper()
	tool, err := llc.Find()
	if err != nil {
		t.Skip(err)
	}
	g := target(t, "sm_120")
	mod := codegen.NewModule(g)
	mod.Batch("batch", parts)
	ir, err := mod.Build()
	if err != nil {
		t.Fatal(err)
	}
	if text, err = tool.Compile(ir, g, "test"); err != nil {
		t.Fatal(err)
	}
	if m, err = ptx.Parse(text); err != nil {
		t.Fatal(err)
	}
	return text, m
}

// run launches a batch in the emulator; it returns the words of each operand and what was found.
func runBatch(t *testing.T, parts []codegen.Chain, m *ptx.Module) (words [][]uint32, found []emu.Finding) {
	t.Helper()
	k, err := emu.Compile(m, "batch")
	if err != nil {
		t.Fatal(err)
	}
	var bufs []*emu.Buffer
	var params []emu.Param
	whole := func(b *emu.Buffer, a emu.Access) {
		bufs = append(bufs, b)
		params = append(params, emu.Param{Buf: b, Access: a, Size: len(b.Data)})
	}
	for _, p := range parts {
		var last *emu.Buffer
		for i := range p {
			n := 4 * p[i].Launch.Threads() * p[i].Launch.Blocks()
			if len(p[i].Operands) == 2 {
				if last == nil {
					last = emu.NewBuffer("x", n)
					for j := range n / 4 {
						binary.LittleEndian.PutUint32(last.Data[4*j:], uint32(j*j+1))
					}
					last.MarkInit(0, n)
				}
				whole(last, emu.Read)
			}
			last = emu.NewBuffer("y", n)
			whole(last, emu.Write)
		}
	}
	whole(emu.NewBuffer("ctl", 64), emu.Read)
	l := codegen.BatchLaunch(parts)
	rep, err := k.Launch(emu.LaunchConfig{Launch: ptx.Launch{Grid: l.Grid, Block: l.Block, DynShared: int(l.Shared)}, Params: params}, emu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bufs {
		var w []uint32
		for i := 0; i+4 <= len(b.Data); i += 4 {
			w = append(w, binary.LittleEndian.Uint32(b.Data[i:]))
		}
		words = append(words, w)
	}
	return words, rep.Findings
}

// Stages see the blocks and threads of launches of their own, and a chain passes on what its
// stages make.
func TestBatch(t *testing.T) {
	text, m := compileBatch(t, batched)
	words, found := runBatch(t, batched, m)
	for _, f := range found {
		t.Error(f.String())
	}
	at := 0
	for _, p := range batched {
		l := p[0].Launch
		if len(p) > 1 {
			at += 4
			continue
		}
		for i, got := range words[at] {
			u := uint32(i)
			x, y := u%l.Block[0], u/l.Block[0]%l.Block[1]
			u /= l.Block[0] * l.Block[1]
			want := u%l.Grid[0] | u/l.Grid[0]%l.Grid[1]<<8 | u/l.Grid[0]/l.Grid[1]<<16 | x<<20 | y<<26
			if got != want {
				t.Fatalf("launch %v, thread %d: got %#x, want %#x", l, i, got, want)
			}
		}
		at++
	}
	x, y, z := words[1], words[2], words[4]
	for i := range y {
		if want := x[i] + x[63-i]; y[i] != want {
			t.Fatalf("first stage, word %d: got %d, want %d", i, y[i], want)
		}
	}
	for i := range z {
		if z[i] != y[15-i] {
			t.Fatalf("second stage, word %d: got %d, want %d", i, z[i], y[15-i])
		}
	}
	if n := strings.Count(text, ".shared .align"); n != 1 {
		t.Errorf("got %d variables in shared memory, want one for all parts:\n%s", n, text)
	}
	if l := codegen.BatchLaunch(batched); l != codegen.Line(24+1+20+1, 96) {
		t.Errorf("got launch %+v", l)
	}
}

// A chain whose stages are not kept apart is a race.
func TestChainWithoutBarrier(t *testing.T) {
	parts := []codegen.Chain{{fold(64), mirror(64)}}
	text, _ := compileBatch(t, parts)
	barrier := regexp.MustCompile(`bar\.sync 15, 64;`)
	if n := len(barrier.FindAllString(text, -1)); n != 1 {
		t.Fatalf("got %d barriers between two stages, want 1:\n%s", n, text)
	}
	m, err := ptx.Parse(barrier.ReplaceAllString(text, ""))
	if err != nil {
		t.Fatal(err)
	}
	_, found := runBatch(t, parts, m)
	if !slices.ContainsFunc(found, func(f emu.Finding) bool { return f.Kind == emu.GlobalRace }) {
		t.Errorf("got %v, want a race in global memory", found)
	}
}

// The analysis of a part's window sees the part alone, as exactly as in a launch of its own.
func TestWindowsOfABatch(t *testing.T) {
	for _, parts := range [][]codegen.Chain{batched, repeated} {
		_, m := compileBatch(t, parts)
		l := codegen.BatchLaunch(parts)
		launch := ptx.Launch{Grid: l.Grid, Block: l.Block}
		first, arg := 0, 0
		for i, p := range parts {
			for _, s := range p {
				w := ptx.Window{Blocks: [2]uint32{uint32(first), uint32(first + p.Blocks())}, Threads: [2]uint32{0, uint32(s.Launch.Threads())}}
				sum, err := ptx.AnalyzeWindow(m.Entries[0], launch, w, nil)
				if err != nil {
					t.Fatal(err)
				}
				arg += len(s.Operands)
				out := &sum.Params[arg-1]
				size := int64(4 * s.Launch.Threads() * s.Launch.Blocks())
				if got, want := fmt.Sprint(out.Mode, out.Cover, out.Exact, out.Stores), fmt.Sprint("w", []ptx.Span{{Lo: 0, Hi: size}}, true, ptx.Extent{Hi: size, Known: true}); got != want {
					t.Errorf("part %d, output: got %s, want %s", i, got, want)
				}
				for j := range sum.Params {
					if lo, hi := chainArgs(parts, i); (j < lo || j >= hi) && sum.Params[j].Mode != "-" {
						t.Errorf("part %d: touches parameter %d (%s)", i, j, sum.Params[j].Mode)
					}
				}
				if w.Threads[0] = w.Threads[1]; w.Threads[0] == l.Block[0] {
					continue
				}
				w.Threads[1] = l.Block[0]
				if sum, err = ptx.AnalyzeWindow(m.Entries[0], launch, w, nil); err != nil {
					t.Fatal(err)
				}
				if got := sum.Params[arg-1].Mode; got != "-" {
					t.Errorf("part %d: threads that it has not store to its output (%s)", i, got)
				}
			}
			first += p.Blocks()
		}
	}
}

// chainArgs returns the parameters of a part.
func chainArgs(parts []codegen.Chain, part int) (lo, hi int) {
	for i, p := range parts {
		for _, s := range p {
			if hi += len(s.Operands); i < part {
				lo = hi
			}
		}
		if i == part {
			break
		}
	}
	return lo, hi
}

// What cannot be part of a larger kernel says so.
func TestJoinable(t *testing.T) {
	for _, c := range []struct {
		l    codegen.Launch
		want string
	}{
		{codegen.Line(7, 96), ""},
		{codegen.Launch{Grid: [3]uint32{3, 8, 1}, Block: [3]uint32{16, 5, 1}}, ""},
		{codegen.Launch{Grid: [3]uint32{3, 8, 6}, Block: [3]uint32{16, 1, 1}}, "two extents of grid [3 8 6] are no powers of two"},
		{codegen.Launch{Grid: [3]uint32{4, 1, 1}, Block: [3]uint32{32, 1, 1}, Cluster: 4}, "its blocks are in clusters of 4"},
		{codegen.Launch{Grid: [3]uint32{3, 8, 1}, Block: [3]uint32{24, 2, 1}}, "the rows of block [24 2 1] are no power of two"},
	} {
		if got := c.l.Joinable(); got != c.want {
			t.Errorf("%v: got %q, want %q", c.l, got, c.want)
		}
	}
}

// A barrier needs whole warps in a block that has more.
func TestBarrierOfPartOfAWarp(t *testing.T) {
	m := codegen.NewModule(target(t, "sm_120"))
	m.Batch("batch", []codegen.Chain{{fold(48)}, {plane([3]uint32{1, 1, 1}, [3]uint32{64, 1, 1})}})
	if _, err := m.Build(); err == nil || !strings.Contains(err.Error(), "a barrier for 48 threads of a larger block: want whole warps") {
		t.Errorf("got %v", err)
	}
}
