package plan

import (
	"bytes"
	"testing"
)

func TestPrintPart(t *testing.T) {
	_, p := rich(t)
	full := p.Text()
	tests := []struct {
		name string
		f    Filter
		want string
	}{
		{"all", Filter{}, full},
		{"entry", Filter{Entry: "prefill"}, `entry prefill rows=512 arena=1024
buf x arena+0 512
launch 2 grid=1x1x1 block=1x1x1
op embed w=x lin init launch=2
`},
		{"step in all entries", Filter{Step: "embed"}, `entry decode rows=8 outs=1 arena=524288
buf embd w+0 4294967296 dtype=q4_k shape=256x4096 lay=tiled16 align=256 pad.x=1 why="a = b"
buf ids in+0 64 dtype=i32 shape=8
buf x arena+0 196608 dtype=f32 shape=8x6144 align=256 life=0:3
launch 0 kernel=embed grid=8x1x1 block=256x1x1 shared=1024
op embed kind=embed r=ids[0:4*n],embd w=x[0:24576*n] scale=1.0 vec=16,16 rf src=0 launch=0
` + "# glm-dsa.dsl:12:3: x = embed(embd, ids)\t# \"rows\"" + `
entry prefill rows=512 arena=1024
buf x arena+0 512
launch 2 grid=1x1x1 block=1x1x1
op embed w=x lin init launch=2
`},
		{"history of shared bytes", Filter{Entry: "decode", Buf: "xb"}, `entry decode rows=8 outs=1 arena=524288
buf xb arena+0 196608 inplace_of=x
# 0 embed w x[0:24576*n]
# 1 topk r x[64+4*n:24576*n]{512:576}<embed>:f32/rows
# 1 topk r x
# 2 a rw x<topk|embed>
# 3 b r x<a>
# 3 b w xb
# 3 b w xv
`},
	}
	for _, tt := range tests {
		var b bytes.Buffer
		if err := PrintPart(&b, p, tt.f); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := b.String(); got != tt.want {
			t.Errorf("%s: %s\n%s", tt.name, firstDiff(got, tt.want), got)
		}
	}
}

func TestPrintPartFindsNothing(t *testing.T) {
	_, p := rich(t)
	tests := []struct {
		f    Filter
		want string
	}{
		{Filter{Entry: "x"}, "filter: the plan has no entry x"},
		{Filter{Step: "x"}, "filter: the plan has no op x"},
		{Filter{Entry: "load", Buf: "tk"}, "filter: the plan has no buffer tk in entry load"},
		{Filter{Step: "a", Buf: "x"}, "filter: give a step or a buffer, not both"},
	}
	for _, tt := range tests {
		if err := PrintPart(&bytes.Buffer{}, p, tt.f); err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}
