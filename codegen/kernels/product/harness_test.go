package product

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
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
	"dsac/runtime/quant/repack"
	"dsac/runtime/ref"
)

// A product is run in the emulator on packed weights, and by the reference on the same weights
// as they lie in the file.

type trial struct {
	spec  codegen.Spec
	live  []int // rows to run with; all when nil
	idx   func(i int) int32
	scale float64         // of x; 1 when 0
	shape func(s *stream) // changes what was chosen, if not nil

	plant     func(x []float32) // changes x, if not nil
	overflows int               // rows that the kernel must count; their results are not compared
}

// make is Make, but for shape.
func (tr *trial) make() (codegen.Launch, func(k *codegen.K), error) {
	switch {
	case tr.spec.Op == "mqa_values":
		return MakeValues(&tr.spec)
	case tr.shape == nil:
		return Make(&tr.spec)
	}
	j, err := jobs[tr.spec.Op](&tr.spec)
	if err != nil {
		return codegen.Launch{}, nil, err
	}
	s := newStream(j)
	tr.shape(&s)
	return s.launch(), s.emit, nil
}

func check(t *testing.T, trials []trial) {
	t.Helper()
	tool, err := llc.Find()
	if err != nil {
		t.Skip(err)
	}
	g, err := codegen.FindTarget("sm_120")
	if err != nil {
		t.Fatal(err)
	}
	parsed, text, names := compile(t, tool, g, trials)
	for _, e := range parsed.Check(g.Target) {
		t.Error(e)
	}
	assemble(t, text, g)
	for i := range trials {
		tr := &trials[i]
		t.Run(tr.spec.Key(), func(t *testing.T) {
			l, _, err := tr.make()
			if err != nil {
				t.Fatal(err)
			}
			e := parsed.Entry(names[tr.spec.Name()])
			launch := ptx.Launch{Grid: l.Grid, Block: l.Block, DynShared: int(l.Shared)}
			tr.analyze(t, e, launch)
			k, err := emu.Compile(parsed, e.Name)
			if err != nil {
				t.Fatal(err)
			}
			live := tr.live
			if live == nil {
				live = []int{tr.spec.Rows}
			}
			for _, n := range live {
				tr.run(t, k, launch, n)
			}
		})
	}
}

func compile(t testing.TB, tool *llc.Tool, g *codegen.Target, trials []trial) (*ptx.Module, string, map[string]string) {
	t.Helper()
	m := codegen.NewModule(g)
	kernels := map[string]string{} // by name of the spec: several may share one
	for i := range trials {
		s := &trials[i].spec
		s.Target = g
		if kernels[s.Name()] != "" {
			continue
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		l, emit, err := trials[i].make()
		if err != nil {
			t.Fatalf("%s: %v", s.Key(), err)
		}
		var names []string
		for _, o := range ops.Find(s.Op).Operands {
			names = append(names, o.Name)
		}
		kernels[s.Name()] = m.Kernel(s.Name(), names, l.Threads(), emit)
	}
	ir, err := m.Build()
	if err != nil {
		t.Fatal(err)
	}
	text, err := tool.Compile(ir, g, "test")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := ptx.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed, text, kernels
}

var findPtxas = sync.OnceValues(ptxas.Find)

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
		t.Logf("%s: %d registers", name, u.Registers)
		if u.SpillLoad+u.SpillStore > 0 {
			t.Errorf("%s spills registers: %+v", name, u)
		}
	}
}

// analyze wants every access traced and inside of its operand.
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
		size := int64(packedBytes(tr.spec.Operands[i]))
		for what, x := range map[string]ptx.Extent{"loads": p.Loads, "stores": p.Stores} {
			if x.Known && (x.Lo < 0 || x.Hi > size) {
				t.Errorf("operand %s has %d bytes, %s reach [%d,%d)", o.Name, size, what, x.Lo, x.Hi)
			}
		}
		reads := slices.Contains([]string{"r", "nc", "rw"}, p.Mode)
		if reads && !p.Loads.Known || !reads && !p.Stores.Known {
			t.Errorf("operand %s (%s): extent unknown", o.Name, p.Mode)
		}
		if (o.Effect == ir.Read) != (p.Mode == "r" || p.Mode == "nc") {
			t.Errorf("operand %s: mode %s", o.Name, p.Mode)
		}
	}
}

func typeOf(o codegen.OperandSpec) quant.Type {
	t, err := quant.Parse(o.DType)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return t
}

func rowSize(o codegen.OperandSpec) int {
	n, err := typeOf(o).RowBytes(o.Width())
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return n
}

func flatBytes(o codegen.OperandSpec) int { return rowSize(o) * elems(o.Shape) / o.Width() }

// isWeight tells weights by their layout.
func isWeight(o codegen.OperandSpec) bool { return o.Layout != "" }

func packedBytes(o codegen.OperandSpec) int {
	if !isWeight(o) {
		return flatBytes(o)
	}
	l, err := repack.Named(o.Layout)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	n := len(o.Shape)
	b, err := l.Bytes(o.Shape[n-2], o.Shape[n-1])
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return int(b) * elems(o.Shape[:n-2])
}

// pack arranges weights, matrix by matrix.
func pack(o codegen.OperandSpec, flat []byte) []byte {
	l, _ := repack.Named(o.Layout)
	n := len(o.Shape)
	count := elems(o.Shape[:n-2])
	out := make([]byte, packedBytes(o))
	for i := range count {
		size, in := len(out)/count, len(flat)/count
		if err := l.Pack(out[i*size:][:size], flat[i*in:][:in], o.Shape[n-2], o.Shape[n-1]); err != nil {
			panic("BUG: " + err.Error())
		}
	}
	return out
}

func (tr *trial) run(t *testing.T, k *emu.Kernel, l ptx.Launch, n int) {
	t.Helper()
	s := &tr.spec
	op := ops.Find(s.Op)
	r := quant.NewRand(uint64(n) + 1)
	cfg := emu.LaunchConfig{Launch: l}
	var got *emu.Buffer
	var args []ref.Arg
	refOp, _ := ref.Lookup(s.Op)
	for i, o := range op.Operands {
		spec := s.Operands[i]
		p := emu.Param{Name: o.Name, Access: emu.Read, Const: o.Packed}
		flat := make([]byte, flatBytes(spec))
		switch {
		case o.Effect == ir.Write:
			got = emu.NewBuffer(o.Name, len(flat))
			copy(flat, got.Data)
			p.Buf, p.Access = got, emu.Read|emu.Write
			p.Writes = []emu.Range{{Lo: 0, Hi: len(flat) / spec.Shape[0] * n}}
			p.Cover = p.Writes
		case isWeight(spec):
			tr.random(flat, spec, r)
			p.Buf = emu.BufferOf(o.Name, pack(spec, flat))
		default:
			tr.random(flat, spec, r)
			if spec.DType == "f16" && o.Name == "x" {
				flat = tr.halves(spec, r)
			}
			if tr.plant != nil && o.Name == "x" {
				floats(flat, tr.plant)
			}
			p.Buf = emu.BufferOf(o.Name, slices.Clone(flat))
			if spec.Shape[0] == s.Rows {
				p.Buf.Forget(len(flat)/s.Rows*n, len(flat)) // dead rows may not be read
			}
		}
		cfg.Params = append(cfg.Params, p)
		a, err := ref.NewArg(typeOf(spec), spec.Shape, spec.Col, spec.Cols, flat)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, a)
	}
	if err := refOp.Bind(args); err != nil {
		t.Fatal(err)
	}
	ctl := make([]byte, plan.CtlSize)
	binary.LittleEndian.PutUint64(ctl[plan.CtlN:], uint64(n))
	control := emu.Param{Name: "ctl", Buf: emu.BufferOf("ctl", ctl), Access: emu.Read}
	if tr.overflows > 0 {
		control.Access |= emu.Accum
	}
	cfg.Params = append(cfg.Params, control)
	rep, err := k.Launch(cfg, emu.Options{Target: s.Target.Name})
	if err == nil {
		err = rep.Err()
	}
	if err != nil {
		t.Fatalf("%d rows: %v", n, err)
	}
	if tr.overflows > 0 {
		if got := binary.LittleEndian.Uint32(control.Buf.Data[plan.CtlOverflow:]); int(got) != tr.overflows {
			t.Errorf("%d rows: %d of them overflow, want %d", n, got, tr.overflows)
		}
		return
	}
	c := &ref.Call{N: n, Hi: n, Args: args, Work: &ref.Work{}, Attrs: ref.Attrs{Ints: map[string]int64{"heads": 1}}}
	refOp.Run(c)
	tr.compare(t, n, op.Tol, got.Data, args[len(args)-1])
}

func (tr *trial) random(b []byte, o codegen.OperandSpec, r *quant.Rand) {
	if o.DType == "i32" {
		for i := 0; i < len(b); i += 4 {
			binary.LittleEndian.PutUint32(b[i:], uint32(tr.idx(i/4)))
		}
		return
	}
	if err := typeOf(o).RandomRow(b, r, 1); err != nil {
		panic("BUG: " + err.Error())
	}
	if tr.scale != 0 && !isWeight(o) {
		for i := 0; i < len(b); i += 4 {
			x := math.Float32frombits(binary.LittleEndian.Uint32(b[i:]))
			binary.LittleEndian.PutUint32(b[i:], math.Float32bits(x*float32(tr.scale)))
		}
	}
}

func (tr *trial) compare(t *testing.T, n int, tol ir.Tol, got []byte, want ref.Arg) {
	t.Helper()
	at := func(i int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:])))
	}
	rows := want.Rows / want.Shape[0] * n
	var num, den float64
	for row := range rows {
		w := want.F32[row*want.Width:][:want.Width]
		var largest float64
		for _, x := range w {
			largest = max(largest, math.Abs(float64(x)))
		}
		for j, x := range w {
			d := at(row*want.Width+j) - float64(x)
			num, den = num+d*d, den+float64(x)*float64(x)
			if !(math.Abs(d) <= tol.Abs+tol.Rel*largest) {
				t.Fatalf("%d rows: row %d column %d: got %v, want %v (off by %.3g, allowed %.3g)", n, row, j,
					at(row*want.Width+j), x, math.Abs(d), tol.Abs+tol.Rel*largest)
			}
		}
	}
	t.Logf("%d rows: nmse %.2g", n, num/den)
}

// halves are random rows as half_rows makes them.
func (tr *trial) halves(o codegen.OperandSpec, r *quant.Rand) []byte {
	w := tr.spec.Operands[1]
	x := codegen.OperandSpec{DType: "f32", Shape: append(slices.Clone(o.Shape[:len(o.Shape)-1]), w.Width())}
	from := make([]byte, flatBytes(x))
	tr.random(from, x, r)
	to := make([]byte, flatBytes(o))
	in, err := ref.NewArg(quant.F32, x.Shape, 0, 0, from)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	out, err := ref.NewArg(quant.F16, o.Shape, 0, 0, to)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	op, _ := ref.Lookup("half_rows")
	op.Run(&ref.Call{N: o.Shape[0], Hi: o.Shape[0], Args: []ref.Arg{in, out}, Work: &ref.Work{}})
	return to
}

// dims and weights of test tables.

// half is the operand that half_rows makes of rows of so many columns.
func half(shape ...int) codegen.OperandSpec {
	shape[len(shape)-1] = plan.HalfWidth(shape[len(shape)-1])
	return codegen.OperandSpec{DType: "f16", Shape: shape}
}

func act(shape ...int) codegen.OperandSpec { return codegen.OperandSpec{DType: "f32", Shape: shape} }

func list(shape ...int) codegen.OperandSpec { return codegen.OperandSpec{DType: "i32", Shape: shape} }

func mat(dtype string, shape ...int) codegen.OperandSpec {
	o := codegen.OperandSpec{DType: dtype, Shape: shape}
	l, err := repack.For(typeOf(o))
	if err != nil {
		panic(fmt.Sprint("BUG: ", err))
	}
	o.Layout = l.Name
	return o
}

// matmul has x as its kernel wants it.
func matmul(dtype string, t, n, k int) codegen.Spec {
	x := act(t, k)
	if q, err := quant.Parse(dtype); err == nil && Halves("matmul", t, q) {
		x = half(t, k)
	}
	return codegen.Spec{Op: "matmul", Rows: t, Operands: []codegen.OperandSpec{x, mat(dtype, n, k), act(t, n)}}
}
