package ref

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dsac/runtime/quant"
)

// arg makes an operand with random normal values, or for i32 with ascending distinct indices.
func arg(t testing.TB, r *rand.Rand, dtype string, shape ...int) Arg {
	t.Helper()
	typ, err := quant.Parse(dtype)
	if err != nil {
		t.Fatal(err)
	}
	width := shape[len(shape)-1]
	rows := 1
	for _, d := range shape[:len(shape)-1] {
		rows *= d
	}
	size, err := typ.RowBytes(width)
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewArg(typ, shape, 0, 0, make([]byte, size*rows))
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float32, width)
	for i := range rows {
		if typ == quant.I32 {
			p := r.Perm(width + 2)[:width]
			slices.Sort(p)
			for j, v := range p {
				a.I32[i*width+j] = int32(v)
			}
			continue
		}
		if typ == quant.I8 {
			continue
		}
		for j := range row {
			row[j] = float32(r.NormFloat64())
		}
		if err := typ.Encode(a.Data[i*size:][:size], row); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// columns selects columns of an operand.
func columns(t testing.TB, a Arg, col, cols int) Arg {
	t.Helper()
	b, err := NewArg(a.Type, a.Shape, col, cols, a.Data)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// attrs makes attributes from pairs of a key and an int, float64 or string.
func attrs(kv ...any) Attrs {
	a := Attrs{Ints: map[string]int64{}, Floats: map[string]float64{}, Texts: map[string]string{}}
	for i := 0; i < len(kv); i += 2 {
		switch v := kv[i+1].(type) {
		case int:
			a.Ints[kv[i].(string)] = int64(v)
		case float64:
			a.Floats[kv[i].(string)] = v
		case string:
			a.Texts[kv[i].(string)] = v
		}
	}
	return a
}

// run binds operands and runs an op on rows [0, n) at position pos. The operands given are the
// ones that the op works on, folded if it wants.
func run(t testing.TB, op string, n, pos int, at Attrs, args ...Arg) {
	t.Helper()
	runRows(t, op, n, pos, 0, n, at, args...)
}

func runRows(t testing.TB, op string, n, pos, lo, hi int, at Attrs, args ...Arg) {
	t.Helper()
	o, ok := Lookup(op)
	if !ok {
		t.Fatalf("no op %s", op)
	}
	args = slices.Clone(args)
	if err := o.Bind(args); err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	for _, key := range o.Attrs {
		if !at.Has(key) {
			t.Fatalf("%s: attribute %s is missing", op, key)
		}
	}
	w := &Work{}
	o.Run(&Call{N: n, Pos: pos, Len: pos + n, Lo: lo, Hi: hi, Args: args, Attrs: at, Work: w})
	if w.Err != nil {
		t.Fatalf("%s: %v", op, w.Err)
	}
}

// near reports whether a and b differ by at most tol, relative to 1+|b|.
func near(a, b, tol float64) bool {
	d, m := a-b, b
	if d < 0 {
		d = -d
	}
	if m < 0 {
		m = -m
	}
	return d <= tol*(1+m)
}
