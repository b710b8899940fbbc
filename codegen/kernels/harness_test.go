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
	// unread names operands, separated by spaces, that a kernel of this shape need not read.
	unread string
}

type step struct{ n, pos int }

// check runs trials: one module, one llc run.
func check(t *testing.T, trials []trial) {
	t.Helper()
	set := compileTrials(t, "sm_120", trials)
	for i := range trials {
		tr := &trials[i]
		e := &set.Entries[i]
		t.Run(tr.name+tr.spec.Key(), func(t *testing.T) {
			if u := e.Usage; u.SpillLoad+u.SpillStore > 0 {
				t.Errorf("%s spills registers: %+v", e.Name, u)
			}
			tr.analyze(t, e.Does)
			run, err := emu.Compile(set.Module, e.Name)
			if err != nil {
				t.Fatal(err)
			}
			steps := tr.steps
			if steps == nil {
				steps = []step{{tr.spec.Rows, 0}}
			}
			for _, st := range steps {
				tr.run(t, run, ptx.Launch{Grid: e.Launch.Grid, Block: e.Launch.Block, DynShared: int(e.Launch.Shared)}, st)
			}
		})
	}
}

var findPtxas = sync.OnceValues(ptxas.Find)

// compileTrials makes the kernels of trials for one target; ptxas is run where there is one.
func compileTrials(t *testing.T, name string, trials []trial) *Set {
	t.Helper()
	tools := Tools{Version: "test"}
	var err error
	if tools.LLC, err = llc.Find(); err != nil {
		t.Skip(err)
	}
	if tools.Ptxas, err = findPtxas(); err != nil {
		t.Log(err)
	}
	g, err := codegen.FindTarget(name)
	if err != nil {
		t.Fatal(err)
	}
	var specs []*codegen.Spec
	for i := range trials {
		trials[i].spec.Target = g
		specs = append(specs, &trials[i].spec)
	}
	set, err := Compile(g, specs, tools)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// analyze holds what the checker can prove against the effects that the op declares.
func (tr *trial) analyze(t *testing.T, sum *ptx.Summary) {
	t.Helper()
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
		if want := modes[o.Effect]; !slices.Contains(want, p.Mode) && (p.Mode != "-" || !slices.Contains(strings.Fields(tr.unread), o.Name)) {
			t.Errorf("operand %s: mode %s, the op declares %s", o.Name, p.Mode, want)
		}
	}
}

var modes = map[ir.Effect][]string{
	ir.Read: {"r", "nc"}, ir.Write: {"w", "rw"}, ir.ReadWrite: {"rw", "w", "r"}, ir.Accumulate: {"acc"}, ir.Scratch: {"rw", "w", "acc", "-"},
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

// run executes the kernel in the emulator and the op's reference on the same random data; then
// once more for every input that the output may lie on.
func (tr *trial) run(t *testing.T, k *emu.Kernel, l ptx.Launch, st step) {
	t.Helper()
	in := tr.inputs(st)
	args := tr.reference(t, in, st)
	tr.emulate(t, k, l, st, in, args, -1, -1)
	op := ops.Find(tr.spec.Op)
	for _, a := range op.Alias {
		x, y := op.Operand(a.In), op.Operand(a.Out)
		o := tr.spec.Operands[x]
		if o.Cols == 0 && o.DType == tr.spec.Operands[y].DType && slices.Equal(o.Shape, tr.spec.Operands[y].Shape) {
			tr.emulate(t, k, l, st, in, args, x, y)
		}
	}
}

// inputs makes the content of the operands that are read; nil for others.
func (tr *trial) inputs(st step) [][]byte {
	r := quant.NewRand(uint64(st.n)*1000 + uint64(st.pos) + 1)
	in := make([][]byte, len(tr.spec.Operands))
	for i, o := range ops.Find(tr.spec.Op).Operands {
		if o.Effect == ir.Read || o.Effect == ir.ReadWrite {
			in[i] = tr.data(o.Name, tr.spec.Operands[i], st, r)
		}
	}
	return in
}

// reference runs the op's reference and returns its operands.
func (tr *trial) reference(t *testing.T, in [][]byte, st step) []ref.Arg {
	t.Helper()
	s := &tr.spec
	op := mustLookup(s.Op)
	args := make([]ref.Arg, len(in))
	for i, o := range s.Operands {
		content := slices.Clone(in[i])
		if content == nil {
			content = slices.Repeat([]byte{0xff}, bytesOf(o))
		}
		a, err := ref.NewArg(typeOf(o), o.Shape, o.Col, o.Cols, content)
		if err != nil {
			t.Fatal(err)
		}
		args[i] = a
	}
	if err := op.Bind(args); err != nil {
		t.Fatal(err)
	}
	c := &ref.Call{N: st.n, Pos: st.pos, Len: st.pos + st.n, Hi: min(st.n, tr.rows()), Args: args, Attrs: refAttrs(s), Work: &ref.Work{}}
	op.Run(c)
	if c.Work.Err != nil {
		t.Fatal(c.Work.Err)
	}
	return args
}

// emulate runs the kernel and compares what it wrote with want; operand y lies on the bytes of
// operand x when they are not negative.
func (tr *trial) emulate(t *testing.T, k *emu.Kernel, l ptx.Launch, st step, in [][]byte, want []ref.Arg, x, y int) {
	t.Helper()
	s := &tr.spec
	op := ops.Find(s.Op)
	what := fmt.Sprintf("%+v", st)
	if x >= 0 {
		what += " in place of " + op.Operands[x].Name
	}
	cfg := emu.LaunchConfig{Launch: l}
	bufs := make([]*emu.Buffer, len(in))
	for i, o := range op.Operands {
		spec := s.Operands[i]
		size := bytesOf(spec)
		bufs[i] = emu.NewBuffer(o.Name, size)
		if in[i] != nil {
			bufs[i] = emu.BufferOf(o.Name, slices.Clone(in[i]))
			live := liveBytes(spec, s, st)
			if o.State {
				live = (st.pos + st.n) * rowBytes(spec)
			}
			if o.Effect == ir.Read && live < size {
				bufs[i].Forget(live, size) // dead rows may not be read
			}
		}
		p := emu.Param{Name: o.Name, Access: emu.Read, Const: o.Packed}
		if o.Effect != ir.Read {
			p.Access = emu.Read | emu.Write | emu.Accum
		}
		switch o.Effect {
		case ir.Write:
			p.Writes = tr.written(o.Name, spec, st)
			p.Cover = p.Writes
		case ir.Scratch:
			p.Multi = true
		}
		if i == y {
			bufs[i] = bufs[x]
		}
		p.Buf = bufs[i]
		cfg.Params = append(cfg.Params, p)
	}
	cfg.Params = append(cfg.Params, emu.Param{Name: "control", Buf: emu.BufferOf("control", control(st)), Access: emu.Read})
	rep, err := k.Launch(cfg, emu.Options{Target: s.Target.Name})
	if err == nil {
		err = rep.Err()
	}
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for i, o := range op.Operands {
		if o.Effect == ir.Write || o.Effect == ir.ReadWrite {
			got := bufs[i].Data
			if i == y { // dead rows keep what the input had
				got = slices.Clone(got)
				live := liveBytes(s.Operands[i], s, st)
				copy(got[live:], want[i].Data[live:])
			}
			compare(t, what+": "+o.Name, s.Operands[i], op.Tol, got, &want[i])
		}
	}
}

// rows is the number of rows of the results: that of the step, or fewer after take_rows.
func (tr *trial) rows() int {
	op := ops.Find(tr.spec.Op)
	for i, o := range op.Operands {
		if o.Effect == ir.Write && !o.State {
			return tr.spec.Operands[i].Shape[0]
		}
	}
	return tr.spec.Rows
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
// largest in their row (not counting what lies behind the values of rows of half_rows), all else equal.
func compare(t *testing.T, what string, o codegen.OperandSpec, tol ir.Tol, got []byte, ref *ref.Arg) {
	t.Helper()
	n, want := rowBytes(o), ref.Data
	for row := 0; row*n < len(want); row++ {
		g, w := got[row*n:][:n], want[row*n:][:n]
		if exact := o.DType != "f32" && (o.DType != "f16" || tol.Rel == 0); exact {
			if !slices.Equal(g, w) {
				t.Fatalf("%s: row %d differs: got %s, want %s", what, row, brief(o, g), brief(o, w))
			}
			continue
		}
		var largest float64
		for j := range min(ref.Cols, o.Width()) {
			if x := math.Abs(float64(number(o, w, j))); x > largest && !math.IsInf(x, 0) {
				largest = x
			}
		}
		for j := range o.Width() {
			x, y := number(o, g, j), number(o, w, j)
			if math.Float32bits(x) == math.Float32bits(y) {
				continue
			}
			if d := math.Abs(float64(x) - float64(y)); !(d <= tol.Abs+tol.Rel*largest) {
				t.Fatalf("%s: row %d column %d: got %v, want %v (off by %.3g, allowed %.3g)", what, row, j, x, y, d, tol.Abs+tol.Rel*largest)
			}
		}
	}
}

// number is element i of a row of f32 or f16.
func number(o codegen.OperandSpec, b []byte, i int) float32 {
	if o.DType == "f16" {
		return quant.F16ToF32(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return f32At(b, i)
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
