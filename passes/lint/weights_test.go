package lint

import (
	"strings"
	"testing"
)

// TestWeightTable: a tensor in the wrong buffer changes every number, and no op shows it.
func TestWeightTable(t *testing.T) {
	const sound = `
plan tp=2
buf x I+0 128
buf blk.0.norm W+0 128 dtype=f32 shape=32
buf blk.1.norm W+128 128 dtype=f32 shape=32
buf y O+0 128
weight blk.0.norm type=f32 dims=32 layout=gguf buf=blk.0.norm
weight blk.1.norm type=f32 dims=32 layout=gguf buf=blk.1.norm
op f r=x,blk.0.norm,blk.1.norm w=y
`
	for _, c := range []struct{ name, old, new, want string }{
		{"as it stands", "", "", ""},
		{"another layer's tensor", "weight blk.1.norm", "weight blk.0.norm", "D04"},
		{"two tensors exchanged", "weight blk.0.norm type=f32 dims=32 layout=gguf buf=blk.0.norm\nweight blk.1.norm type=f32 dims=32 layout=gguf buf=blk.1.norm",
			"weight blk.0.norm type=f32 dims=32 layout=gguf buf=blk.1.norm\nweight blk.1.norm type=f32 dims=32 layout=gguf buf=blk.0.norm", "D04"},
		{"names of the buffers are free", "blk.1.norm W+128 128 dtype=f32 shape=32\nbuf y O+0 128\nweight blk.0.norm type=f32 dims=32 layout=gguf buf=blk.0.norm\nweight blk.1.norm type=f32 dims=32 layout=gguf buf=blk.1.norm\nop f r=x,blk.0.norm,blk.1.norm",
			"other W+128 128 dtype=f32 shape=32\nbuf y O+0 128\nweight blk.0.norm type=f32 dims=32 layout=gguf buf=blk.0.norm\nweight blk.1.norm type=f32 dims=32 layout=gguf buf=other\nop f r=x,blk.0.norm,other", ""},
		{"a second tensor over the first", "weight blk.1.norm type=f32 dims=32 layout=gguf buf=blk.1.norm",
			"weight blk.1.norm type=f32 dims=32 layout=gguf buf=blk.1.norm\nweight other type=f32 dims=32 layout=gguf buf=blk.1.norm", "D04"},
		{"a copy in another layout", "blk.1.norm W+128 128 dtype=f32 shape=32\nbuf y O+0 128\nweight blk.0.norm type=f32 dims=32 layout=gguf buf=blk.0.norm\nweight blk.1.norm type=f32 dims=32 layout=gguf buf=blk.1.norm\nop f r=x,blk.0.norm,blk.1.norm",
			"blk.0.norm.rows W+128 128 dtype=f32 shape=32\nbuf y O+0 128\nweight blk.0.norm type=f32 dims=32 layout=gguf buf=blk.0.norm\nweight blk.0.norm type=f32 dims=32 layout=rows buf=blk.0.norm.rows\nop f r=x,blk.0.norm,blk.0.norm.rows", ""},
		{"another tensor in a copy in another layout", "blk.1.norm W+128 128 dtype=f32 shape=32\nbuf y O+0 128\nweight blk.0.norm type=f32 dims=32 layout=gguf buf=blk.0.norm\nweight blk.1.norm type=f32 dims=32 layout=gguf buf=blk.1.norm\nop f r=x,blk.0.norm,blk.1.norm",
			"blk.0.norm.rows W+128 128 dtype=f32 shape=32\nbuf y O+0 128\nweight blk.0.norm type=f32 dims=32 layout=gguf buf=blk.0.norm\nweight blk.1.norm type=f32 dims=32 layout=rows buf=blk.0.norm.rows\nop f r=x,blk.0.norm,blk.0.norm.rows", "D04"},
		{"a weight without a tensor", "weight blk.1.norm type=f32 dims=32 layout=gguf buf=blk.1.norm\n", "", "D03"},
		{"read as another type", "blk.1.norm W+128 128 dtype=f32 shape=32", "blk.1.norm W+128 64 dtype=f16 shape=32", "T01"},
		{"repacked as another type", "weight blk.1.norm type=f32 dims=32 layout=gguf", "weight blk.1.norm type=q8_0 dims=32 layout=rows", "T01"},
		{"another shape", "weight blk.1.norm type=f32 dims=32", "weight blk.1.norm type=f32 dims=16x2", "T02"},
		{"a rank's share", "weight blk.1.norm type=f32 dims=32 layout=gguf", "weight blk.1.norm type=f32 dims=64 layout=gguf axis=0 part=0:32", ""},
		{"another rank's share", "weight blk.1.norm type=f32 dims=32 layout=gguf", "weight blk.1.norm type=f32 dims=64 layout=gguf axis=0 part=32:64", "T02"},
		{"half of a rank's share", "weight blk.1.norm type=f32 dims=32 layout=gguf", "weight blk.1.norm type=f32 dims=128 layout=gguf axis=0 part=0:32", "T02"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(sound, c.old) {
				t.Fatalf("the plan has no %q", c.old)
			}
			if got := strings.Join(codesAt(t, strings.Replace(sound, c.old, c.new, 1)), " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
