package codegen

import (
	"reflect"
	"testing"

	"dsac/ir"
)

// A key says all of a spec: whatever field is another, the key is. A new field must get into
// Key, because compiled kernels are found again by it.
func TestKeyHasEveryField(t *testing.T) {
	sm90, sm120 := target(t, "sm_90"), target(t, "sm_120")
	fresh := func() *Spec {
		o := OperandSpec{DType: "f32", Shape: []int{2, 8}, Col: 1, Cols: 2, Layout: "a"}
		return &Spec{Op: "add", Operands: []OperandSpec{o, o}, Attrs: ir.Attrs{{Name: "k", Val: int64(3)}, {Name: "style", Val: "half"}}, Rows: 2, Context: 7, Target: sm90}
	}
	others := map[string]any{ // what takes the place of a field
		"Spec.Op": "mul", "Spec.Rows": 3, "Spec.Context": 8, "Spec.Beside": 9, "Spec.Part": true, "Spec.Target": sm120,
		"Spec.Operands": fresh().Operands[:1], "Spec.Attrs": fresh().Attrs[:1],
		"OperandSpec.DType": "f16", "OperandSpec.Shape": []int{8, 2}, "OperandSpec.Col": 2, "OperandSpec.Cols": 3, "OperandSpec.Layout": "",
		"Attr.Name": "n", "Attr.Val": int64(4),
	}
	change := func(what string, of func(s *Spec) any) {
		v := reflect.ValueOf(of(fresh())).Elem()
		for i := range v.NumField() {
			field := what + "." + v.Type().Field(i).Name
			other, ok := others[field]
			if !ok {
				t.Errorf("%s is new: put it into Spec.Key, and another value for it here", field)
				continue
			}
			s := fresh()
			reflect.ValueOf(of(s)).Elem().Field(i).Set(reflect.ValueOf(other))
			if s.Key() == fresh().Key() {
				t.Errorf("%s is %v, and the key is the same: %s", field, other, s.Key())
			}
		}
	}
	change("Spec", func(s *Spec) any { return s })
	for i := range 2 {
		change("OperandSpec", func(s *Spec) any { return &s.Operands[i] })
		change("Attr", func(s *Spec) any { return &s.Attrs[i] })
	}
	from := func(col, cols int) string {
		s := fresh()
		s.Operands[0].Col, s.Operands[0].Cols = col, cols
		return s.Key()
	}
	if from(0, 0) == from(1, 0) || from(1, 3) == from(2, 2) {
		t.Error("columns of two selections have one key")
	}
}

func target(t *testing.T, name string) *Target {
	t.Helper()
	g, err := FindTarget(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
