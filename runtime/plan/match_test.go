package plan

import "testing"

func TestWeightsMatch(t *testing.T) {
	p, err := Parse("t", []byte("buf w W+0 64\nweight a.weight type=q4_k dims=256x2 buf=w\nweight b.weight type=f32 dims=8 buf=w\n"))
	if err != nil {
		t.Fatal(err)
	}
	a := Tensor{"a.weight", "q4_k", []uint64{256, 2, 1}}
	b := Tensor{"b.weight", "f32", []uint64{8}}
	const head = "plan was made for another model: "
	tests := []struct {
		name    string
		tensors []Tensor
		want    string
	}{
		{"same", []Tensor{b, a, {"mtp.weight", "f32", []uint64{1}}}, ""},
		{"missing", []Tensor{a}, head + "the model has no tensor b.weight"},
		{"type", []Tensor{{"a.weight", "q6_k", a.Dims}, b}, head + "tensor a.weight is q6_k, the plan wants q4_k"},
		{"shape", []Tensor{a, {"b.weight", "f32", []uint64{8, 2}}}, head + "tensor b.weight is [8 2], the plan wants [8]"},
		{"all", nil, head + "the model has no tensor a.weight (and 1 more tensors differ)"},
	}
	for _, tt := range tests {
		got := ""
		if err := WeightsMatch(p, tt.tensors); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
