package kernels

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"dsac/codegen"
	"dsac/codegen/emu"
	"dsac/codegen/llc"
	"dsac/codegen/ptx"
	"dsac/codegen/ptxas"
	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/ref"
)

// A kernel is tested by three judges: the PTX checker traces every access, the emulator runs
// it on random data against the reference of the op, ptxas assembles it where there is one.

// trial is one op at one shape, and the steps to run it with.
type trial struct {
	name string // what is special about it; the spec's key follows in the subtest's name
	spec codegen.Spec
	// steps are pairs of live rows and rows already cached; {Rows, 0} when there is none.
	steps []step
	// fill makes the bytes of an operand that random numbers do not suit, or returns nil.
	fill func(operand string, o codegen.OperandSpec, st step, r *quant.Rand) []byte
	// cover replaces the bytes of a written operand that the step must write, and may.
	cover func(operand string, st step) *emu.Range
	// moves says that stores go where a loaded number says, so that coverage is not static.
	moves bool
}

type step struct{ n, pos int }

// check runs trials: one module, one llc run.
func check(t *testing.T, trials []trial) {
	t.Helper()
	tool, err := llc.Find()
	if err != nil {
		t.Skip(err)
	}
	g, m := compileTrials(t, tool, trials)
	parsed, err := ptx.Parse(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range parsed.Check(g.Target) {
		t.Error(e)
	}
	assemble(t, m, g)
	for i := range trials {
		tr := &trials[i]
		t.Run(tr.name+tr.spec.Key(), func(t *testing.T) {
			k, err := Make(&tr.spec)
			if err != nil {
				t.Fatal(err)
			}
			e := parsed.Entry(tr.spec.Name())
			launch := ptx.Launch{Grid: k.Grid, Block: k.Block, DynShared: int(k.Shared)}
			tr.analyze(t, e, launch)
			run, err := emu.Compile(parsed, e.Name)
			if err != nil {
				t.Fatal(err)
			}
			steps := tr.steps
			if steps == nil {
				steps = []step{{tr.spec.Rows, 0}}
			}
			for _, st := range steps {
				tr.run(t, run, launch, st)
			}
		})
	}
}

// compileTrials puts all kernels into one module for one target.
func compileTrials(t *testing.T, tool *llc.Tool, trials []trial) (*codegen.Target, string) {
	t.Helper()
	g, err := codegen.FindTarget("sm_120")
	if err != nil {
		t.Fatal(err)
	}
	m := codegen.NewModule(g)
	for i := range trials {
		trials[i].spec.Target = g
		if _, err := Add(m, &trials[i].spec); err != nil {
			t.Fatalf("%s: %v", trials[i].spec.Key(), err)
		}
	}
	text, err := m.Build()
	if err != nil {
		t.Fatal(err)
	}
	out, err := tool.Compile(text, g, "test")
	if err != nil {
		t.Fatal(err)
	}
	return g, out
}

var findPtxas = sync.OnceValues(ptxas.Find)

// assemble runs ptxas, where there is one, and refuses spills.
func assemble(t *testing.T, text string, g *codegen.Target) {
	t.Helper()
	tool, err := findPtxas()
	if err != nil {
		t.Log(err)
		return
	}
	res, err := tool.Assemble(text, g)
	if err != nil {
		t.Error(err)
		return
	}
	for name, u := range res.Usage {
		if u.SpillLoad+u.SpillStore > 0 {
			t.Errorf("%s spills registers: %+v", name, u)
		}
	}
}

// analyze holds what the checker can prove against the effects that the op declares.
func (tr *trial) analyze(t *testing.T, e *ptx.Entry, l ptx.Launch) {
	t.Helper()
	sum, err := ptx.Analyze(e, l)
	if err != nil {
		t.Fatal(err)
	}
	for what, lines := range map[string][]string{
		"untraced store": sum.Unknown, "untraced load": sum.LostLoads, "store to a module variable": sum.GlobalStore,
		"address in 32 bits": sum.Index32, "alignment unknown": sum.Misaligned,
	} {
		for _, line := range lines {
			t.Errorf("%s: %s", what, line)
		}
	}
	for i, o := range ops.Find(tr.spec.Op).Operands {
		p := &sum.Params[i]
		size := int64(bytesOf(tr.spec.Operands[i]))
		for what, x := range map[string]ptx.Extent{"loads": p.Loads, "stores": p.Stores} {
			if x.Known && (x.Lo < 0 || x.Hi > size) {
				t.Errorf("operand %s has %d bytes, %s reach [%d,%d)", o.Name, size, what, x.Lo, x.Hi)
			}
		}
		loads, stores := slices.Contains([]string{"r", "nc", "rw"}, p.Mode), slices.Contains([]string{"w", "rw", "acc"}, p.Mode)
		if loads && !p.Loads.Known || stores && !p.Stores.Known {
			t.Errorf("operand %s: extent unknown: clamp what is loaded before it forms an address", o.Name)
		}
		if want := modes[o.Effect]; !slices.Contains(want, p.Mode) {
			t.Errorf("operand %s: mode %s, the op declares %s", o.Name, p.Mode, want)
		}
	}
}

var modes = map[ir.Effect][]string{
	ir.Read: {"r", "nc"}, ir.Write: {"w", "rw"}, ir.ReadWrite: {"rw", "w", "r"}, ir.Scratch: {"rw", "w", "acc", "-"},
}

func typeOf(o codegen.OperandSpec) quant.Type {
	if o.DType == "u8" {
		return quant.I8
	}
	t, err := quant.Parse(o.DType)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return t
}

func rowBytes(o codegen.OperandSpec) int {
	n, err := typeOf(o).RowBytes(o.Width())
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return n
}

func bytesOf(o codegen.OperandSpec) int { return rowBytes(o) * elems(o.Shape) / o.Width() }

// control makes the control buffer of a step.
func control(st step) []byte {
	b := make([]byte, plan.CtlSize)
	le := binary.LittleEndian
	le.PutUint64(b[plan.CtlPos:], uint64(st.pos))
	le.PutUint64(b[plan.CtlN:], uint64(st.n))
	le.PutUint64(b[plan.CtlLen:], uint64(st.pos+st.n))
	le.PutUint32(b[plan.CtlAccepted:], uint32(st.n))
	return b
}

// run executes the kernel in the emulator and the op's reference on the same random data.
func (tr *trial) run(t *testing.T, k *emu.Kernel, l ptx.Launch, st step) {
	t.Helper()
	s := &tr.spec
	op := ops.Find(s.Op)
	r := quant.NewRand(uint64(st.n)*1000 + uint64(st.pos) + 1)
	cfg := emu.LaunchConfig{Launch: l}
	bufs := make([]*emu.Buffer, len(s.Operands))
	args := make([]ref.Arg, len(s.Operands))
	for i, o := range op.Operands {
		spec := s.Operands[i]
		size := bytesOf(spec)
		p := emu.Param{Name: o.Name, Access: emu.Read}
		want := make([]byte, size)
		if o.Effect == ir.Read || o.Effect == ir.ReadWrite {
			want = tr.data(o.Name, spec, st, r)
			bufs[i] = emu.BufferOf(o.Name, slices.Clone(want))
			if rows := liveBytes(spec, s, st); o.Effect == ir.Read && rows < size {
				bufs[i].Forget(rows, size) // dead rows may not be read
			}
		} else {
			bufs[i] = emu.NewBuffer(o.Name, size)
			copy(want, bufs[i].Data)
			p.Access = emu.Read | emu.Write | emu.Accum
			p.Writes = tr.written(o.Name, spec, st)
			p.Cover = p.Writes
		}
		if o.Effect == ir.ReadWrite {
			p.Access = emu.Read | emu.Write | emu.Accum
		}
		if o.Effect == ir.Scratch {
			p.Writes, p.Cover, p.Multi = nil, nil, true
		}
		p.Buf = bufs[i]
		cfg.Params = append(cfg.Params, p)
		a, err := ref.NewArg(typeOf(spec), spec.Shape, spec.Col, spec.Cols, want)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(mustLookup(s.Op).Flat, i) {
			if a, err = a.Flat(); err != nil {
				t.Fatal(err)
			}
		}
		args[i] = a
	}
	cfg.Params = append(cfg.Params, emu.Param{Name: "ctl", Buf: emu.BufferOf("ctl", control(st)), Access: emu.Read})
	rep, err := k.Launch(cfg, emu.Options{Target: s.Target.Name})
	if err != nil {
		t.Fatalf("%+v: %v", st, err)
	}
	if err := rep.Err(); err != nil {
		t.Fatalf("%+v: %v", st, err)
	}
	c := &ref.Call{N: st.n, Pos: st.pos, Len: st.pos + st.n, Hi: st.n, Args: args, Attrs: refAttrs(s), Work: &ref.Work{}}
	mustLookup(s.Op).Run(c)
	if c.Work.Err != nil {
		t.Fatal(c.Work.Err)
	}
	for i, o := range op.Operands {
		if o.Effect == ir.Write || o.Effect == ir.ReadWrite {
			compare(t, fmt.Sprintf("%+v: %s", st, o.Name), s.Operands[i], op.Tol, bufs[i].Data, args[i].Data)
		}
	}
}

func mustLookup(op string) *ref.Op {
	o, ok := ref.Lookup(op)
	if !ok {
		panic("BUG: no reference for " + op)
	}
	return o
}

// liveBytes returns the bytes of the rows that a step may read; only operands with T rows have
// dead ones.
func liveBytes(o codegen.OperandSpec, s *codegen.Spec, st step) int {
	if len(o.Shape) < 2 && o.DType != "i32" || o.Shape[0] != s.Rows {
		return bytesOf(o)
	}
	return bytesOf(o) / o.Shape[0] * st.n
}

// written returns the bytes that a step must write of an operand: rows [0, n), or rows
// [pos, pos+n) of a cache; of each row the selected columns.
func (tr *trial) written(name string, o codegen.OperandSpec, st step) []emu.Range {
	if tr.cover != nil {
		if x := tr.cover(name, st); x != nil {
			return []emu.Range{*x}
		}
	}
	if len(o.Shape) == 1 && o.Shape[0] != tr.spec.Rows {
		return []emu.Range{{Lo: 0, Hi: bytesOf(o)}}
	}
	row := bytesOf(o) / o.Shape[0]
	first := 0
	op := ops.Find(tr.spec.Op)
	if op.Operands[op.Operand(name)].State {
		first = st.pos
	}
	return []emu.Range{{Lo: first * row, Hi: (first + min(st.n, o.Shape[0])) * row}}
}

// data makes the content of an operand.
func (tr *trial) data(name string, o codegen.OperandSpec, st step, r *quant.Rand) []byte {
	if tr.fill != nil {
		if b := tr.fill(name, o, st, r); b != nil {
			return b
		}
	}
	b := make([]byte, bytesOf(o))
	if typeOf(o) == quant.I32 || typeOf(o) == quant.I8 {
		panic("BUG: trial does not fill operand " + name)
	}
	n := rowBytes(o)
	for i := 0; i < len(b); i += n {
		if err := typeOf(o).RandomRow(b[i:i+n], r, 1); err != nil {
			panic("BUG: " + err.Error())
		}
	}
	return b
}

// refAttrs are the attributes that the reference wants, defaults included.
func refAttrs(s *codegen.Spec) ref.Attrs {
	a := ref.Attrs{Ints: map[string]int64{}, Floats: map[string]float64{}, Texts: map[string]string{}}
	for _, x := range ops.Find(s.Op).Attrs {
		switch x.Kind {
		case ir.IntAttr:
			a.Ints[x.Name] = int64(s.Int(x.Name))
		case ir.FloatAttr:
			a.Floats[x.Name] = s.Float(x.Name)
		case ir.TextAttr:
			a.Texts[x.Name] = s.Text(x.Name)
		}
	}
	return a
}

// compare holds bytes against the reference's: numbers within the op's tolerance of the
// largest in their row, all else equal.
func compare(t *testing.T, what string, o codegen.OperandSpec, tol ir.Tol, got, want []byte) {
	t.Helper()
	n := rowBytes(o)
	for row := 0; row*n < len(want); row++ {
		g, w := got[row*n:][:n], want[row*n:][:n]
		if o.DType != "f32" {
			if !slices.Equal(g, w) {
				t.Fatalf("%s: row %d differs: got %s, want %s", what, row, brief(o, g), brief(o, w))
			}
			continue
		}
		var largest float64
		for j := range o.Width() {
			if x := math.Abs(float64(f32At(w, j))); x > largest && !math.IsInf(x, 0) {
				largest = x
			}
		}
		for j := range o.Width() {
			x, y := f32At(g, j), f32At(w, j)
			if math.Float32bits(x) == math.Float32bits(y) {
				continue
			}
			if d := math.Abs(float64(x) - float64(y)); !(d <= tol.Abs+tol.Rel*largest) {
				t.Fatalf("%s: row %d column %d: got %v, want %v (off by %.3g, allowed %.3g)", what, row, j, x, y, d, tol.Abs+tol.Rel*largest)
			}
		}
	}
}

func f32At(b []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
}

func brief(o codegen.OperandSpec, b []byte) string {
	var out []string
	for i := 0; i+4 <= len(b) && i < 48; i += 4 {
		out = append(out, fmt.Sprint(int32(binary.LittleEndian.Uint32(b[i:]))))
	}
	return o.DType + "[" + strings.Join(out, " ") + "]"
}

// Shorthands of test tables.

func dense(shape ...int) codegen.OperandSpec { return codegen.OperandSpec{DType: "f32", Shape: shape} }

func typed(dtype string, shape ...int) codegen.OperandSpec {
	return codegen.OperandSpec{DType: dtype, Shape: shape}
}

func columns(o codegen.OperandSpec, lo, hi int) codegen.OperandSpec {
	o.Col, o.Cols = lo, hi-lo
	return o
}

func operands(os ...codegen.OperandSpec) []codegen.OperandSpec { return os }

// i32s makes the bytes of a list.
func i32s(xs ...int32) []byte {
	var b []byte
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}
