package plan

import (
	"strings"
	"testing"
)

func TestVerifyAcceptsTheCatalogueStructure(t *testing.T) {
	// Faults of meaning are the lint's; these plans break a rule of structure on purpose.
	wrong := map[string]string{
		"S11": "buffer a: A+768, 512 bytes, leaves the region of 1024 bytes",
	}
	for _, b := range catalogue(t) {
		p, err := Parse(b.id, []byte(b.text))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := Verify(p); err != nil {
			got = err.Error()
		}
		if got != wrong[b.id] {
			t.Errorf("%s: got %q, want %q", b.id, got, wrong[b.id])
		}
	}
}

func TestVerifyReports(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"clean", "plan ctx=100\nbuf kv S+0 400 valid=4*pos\nentry e rows=8\nop f r=kv[0:4*len] w=kv[4*pos:4*len]", ""},
		{"range at a corner", "plan ctx=100\nbuf kv S+0 396 valid=4*pos\nentry e rows=8\nop f r=kv[0:4*len]",
			"entry e, op f: kv[0:4*len] is [0:400) at n=1 pos=99, the buffer has 396 bytes"},
		{"range backwards", "buf a A+0 64\nop f w=a[8:4]", "op f: a[8:4] is [8:4) at n=1 pos=0, the buffer has 64 bytes"},
		{"range below zero", "buf a A+0 64\nop f w=a[-8:4]", "op f: a[-8:4] is [-8:4) at n=1 pos=0, the buffer has 64 bytes"},
		{"largest n", "buf a A+0 64\nentry e rows=9\nop f w=a[0:8*n]", "entry e, op f: a[0:8*n] is [0:72) at n=9 pos=0, the buffer has 64 bytes"},
		{"product overflows", "buf a A+0 64\nentry e rows=8\nop f w=a[0:4611686018427387904*n]",
			"entry e, op f: a[0:4611686018427387904*n] is [0:4611686018427387904) at n=1 pos=0, the buffer has 64 bytes"},
		{"no ctx", "buf a A+0 64\nop f w=a[0:8*len]", "op f: a[0:8*len] depends on pos, but the plan has no fact ctx"},
		{"valid without ctx", "buf a S+0 64 valid=8*pos\nop f w=a", "buffer a: valid=8*pos depends on a symbol, but the plan has no fact ctx"},
		{"valid too large", "plan ctx=9\nbuf a S+0 63 valid=8*pos\nop f w=a", "buffer a: valid=8*pos is 64 bytes at n=1 pos=8, it has 63"},
		{"offset overflows", "region A arena 18446744073709551615\nbuf a A+18446744073709551615 2",
			"buffer a: A+18446744073709551615, 2 bytes, leaves the region of 18446744073709551615 bytes"},
		{"view leaves parent", "buf a A+0 64\nbuf v A+32 64 of=a", "buffer v: leaves its parent a"},
		{"view in another region", "buf a A+0 64\nbuf v S+0 64 of=a", "buffer v: leaves its parent a"},
		{"in place elsewhere", "buf a A+0 64\nbuf b A+64 64 inplace_of=a", "buffer b: is in place of a but shares no byte with it"},
		{"alignment", "buf a A+0 64 align=48", "buffer a: alignment 48 is not a power of two"},
		{"shape", "buf a A+0 64 dtype=f32 shape=4x5", "buffer a: shape and type need 80 bytes, it has 64"},
		{"shape overflows", "buf a A+0 64 dtype=f32 shape=4294967295x4294967295x4294967295",
			"buffer a: shape and type need 18446744073709551615 bytes, it has 64"},
		{"life", "entry e\nbuf a A+0 64 life=0:2\nbuf b A+0 4 life=1:1\nop f w=a",
			"entry e, buffer a: life 0:2 of 1 steps\nentry e, buffer b: life 1:1 of 1 steps"},
		{"two controls", "buf c S+0 64 role=control\nbuf d A+0 32 role=control",
			"buffer d: a second control buffer after c\nbuffer d: a control buffer has 64 bytes or more in a state region"},
		{"arena", "region A arena 64\nentry e arena=128\nbuf a A+0 64\nentry f arena=32\nbuf a A+0 64",
			"entry f, buffer a: ends at 64 of an arena of 32 bytes\nentry e: needs an arena of 128 bytes, the largest has 64"},
		{"rows", "entry e rows=0\nentry f rows=1 outs=2", "entry e: 0 rows, 0 of output: want at least 1, and no more out than in\n" +
			"entry f: 1 rows, 2 of output: want at least 1, and no more out than in"},
		{"facts", "plan ctx=many tp=0", "fact ctx=many: want a positive number\nfact tp=0: want a positive number"},
		{"weights", "buf a A+0 64\nbuf w W+0 64\nweight a type=f32 dims=4 buf=a\nweight b dims=0\nweight c dims=4 axis=0 part=2:5 buf=w",
			"weight a lies in region A of kind arena, want const\nweight b has no buffer\nweight b has a dimension of 0\nweight c: part 2:5 of axis 0, which has 4 elements"},
		{"launch", "kernel k params=a,b\nbuf a A+0 4\nlaunch 0 kernel=k grid=1x0x1 block=1x1x1\nop f launch=0\nlaunch 1 kernel=k grid=1x1x1 block=2048x1x1\nop g w=a blocks=1 threads=8 launch=1\nrec e @main\nop h @s blocks=1 threads=8 launch=1",
			"launch 0: grid [1 0 1] and block [1 1 1] must not be empty\nlaunch 1: ops g and h are on different streams\nlaunch 1: a block of [2048 1 1] is over 1024 threads\nop h: an event stands inside launch 1"},
		{"parameters", "kernel k params=a\nbuf a A+0 4\nlaunch 0 kernel=k grid=1x1x1 block=1x1x1\nop f w=a launch=0",
			"launch 0: kernel k has 1 parameters, op f needs 2: one per operand and the control buffer"},
		{"first beside nothing", "launch 0 grid=1x1x1 block=32x1x1\nop f par launch=0", "launch 0: op f is the first, there is nothing that it could run beside (par)"},
		{"no shares", "kernel k\nlaunch 0 kernel=k grid=2x1x1 block=32x1x1\nop f launch=0\nop g par launch=0",
			"launch 0: op f has blocks 0 to 0 and 0 of 32 threads: blocks= and threads= say how many are its own"},
		{"shares of a plane", "kernel k\nlaunch 0 kernel=k grid=2x2x1 block=32x1x1\nop f blocks=2 threads=32 launch=0\nop g blocks=2 threads=32 par launch=0",
			"launch 0: grid [2 2 1] and block [32 1 1] of a launch with several ops: want one dimension"},
		{"blocks left over", "kernel k\nlaunch 0 kernel=k grid=4x1x1 block=32x1x1\nop f blocks=2 threads=32 launch=0\nop g blocks=1 threads=16 par launch=0\nop h blocks=1 threads=32 launch=0",
			"launch 0: its parts have 3 blocks, the grid has 4"},
		{"another number of blocks in a part", "kernel k\nlaunch 0 kernel=k grid=2x1x1 block=32x1x1\nop f blocks=2 threads=32 launch=0\nop g blocks=1 threads=32 launch=0",
			"launch 0: op g has blocks 0 to 0 and 32 of 32 threads: blocks= and threads= say how many are its own"},
		{"padded placement", "entry e\nbuf a A+0 64 pad=0\nbuf b A+0 64 pad=127\nbuf v A+8 8 of=a pad=4",
			"entry e, buffer v: lies elsewhere in its parent a in the padded placement\n" +
				"entry e, buffer b: starts at 127 in the padded placement, a ends at 64: want 64 bytes between"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Parse("t", []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if err := Verify(p); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestSound breaks each rule of the form in a good plan.
func TestSound(t *testing.T) {
	tests := []struct {
		name string
		do   func(*Plan)
		want string
	}{
		{"string 0", func(p *Plan) { p.Strings[0] = "x" }, "string 0 must be the empty string"},
		{"string range", func(p *Plan) { p.Bufs[0].Name = 9999 }, "refers to string 9999"},
		{"string twice", func(p *Plan) { p.Strings[5] = p.Strings[4] }, "occur twice"},
		{"attribute kind", func(p *Plan) { p.Attrs[0].Kind = 3 }, "kind 3"},
		{"attribute text", func(p *Plan) { p.Attrs[0] = Attr{p.Attrs[0].Key, Text, [3]byte{}, 1 << 32} }, "refers to string 4294967296"},
		{"float", func(p *Plan) { p.Attrs[0].Kind, p.Attrs[0].Val = Float, 0x7ff8000000000002 }, "unusual not-a-number"},
		{"reserved key", func(p *Plan) { p.Attrs[p.Steps[1].Attrs.Off].Key = str(p, "launch") }, `"launch" cannot be the key`},
		{"attributes unsorted", func(p *Plan) { a := p.AttrList(p.Steps[2].Attrs); a[0], a[1] = a[1], a[0] }, "want them sorted"},
		{"facts unsorted", func(p *Plan) { p.Meta[0], p.Meta[1] = p.Meta[1], p.Meta[0] }, "want plain words, sorted"},
		{"region kind", func(p *Plan) { p.Regions[0].Kind = 7 }, "unknown kind 7"},
		{"region name", func(p *Plan) { p.Regions[0].Name = p.Regions[1].Name }, "region names are unique"},
		{"buffer name", func(p *Plan) { p.Bufs[0].Name = p.Bufs[1].Name }, "buffer names are unique"},
		{"shared name", func(p *Plan) { p.Bufs[len(p.Bufs)-1].Name = p.Bufs[0].Name }, "buffer names are unique"},
		{"no name", func(p *Plan) { p.Bufs[3].Name = 0 }, "a buffer has no name"},
		{"buffer region", func(p *Plan) { p.Bufs[0].Region = 99 }, "region 99 of 5"},
		{"buffer order", func(p *Plan) { p.Bufs[0].Entry = 2 }, "want the shared buffers first"},
		{"cycle", func(p *Plan) { p.Bufs[1].Parent, p.Bufs[2].Parent = 2, 1 }, "is a view of itself"},
		{"parent elsewhere", func(p *Plan) { p.Bufs[0].Parent = 6 }, "belongs to another entry"},
		{"half a life", func(p *Plan) { p.Bufs[0].LifeLo = 1 }, "want indices or none"},
		{"role", func(p *Plan) { p.Bufs[0].Role = 5 }, "unknown role 5"},
		{"buffer flags", func(p *Plan) { p.Bufs[0].Flags = 8 }, "unknown flags 0x8"},
		{"dims", func(p *Plan) { p.Bufs[0].Dims = 5 }, "5 dimensions"},
		{"unused dim", func(p *Plan) { p.Bufs[0].Shape[0] = 1 }, "unused dimension is 1"},
		{"valid", func(p *Plan) { p.Bufs[0].Valid.C = 1 }, "not marked"},
		{"pads", func(p *Plan) { p.Pads = make([]uint64, 1) }, "padded placement has 1 offsets"},
		{"symbol", func(p *Plan) { p.Operands[1].Lo.Sym = 9 }, "malformed"},
		{"symbol without factor", func(p *Plan) { p.Operands[1].Hi = Lin{Sym: SymN} }, "malformed"},
		{"whole from 1", func(p *Plan) { p.Operands[0].Lo.C = 1 }, "starts at 0, not 1"},
		{"columns", func(p *Plan) { p.Operands[0].Col = 1 }, "columns 1+0"},
		{"effect", func(p *Plan) { p.Operands[0].Effect = 5 }, "unknown effect 5"},
		{"effect order", func(p *Plan) { p.Ops(&p.Steps[1])[0].Effect = Scr }, "want r, rw, acc, w, scr"},
		{"operand buffer", func(p *Plan) { p.Operands[0].Buf = -1 }, "has no buffer"},
		{"expected elsewhere", func(p *Plan) { p.Expects[0] = 0 }, "expected op 0 is not of this entry"},
		{"operand span", func(p *Plan) { p.Steps[0].Operands.Len = 999 }, "leaves its table"},
		{"step flags", func(p *Plan) { p.Steps[0].Flags = 1 << 12 }, "unknown flags"},
		{"step name", func(p *Plan) { p.Steps[1].Name = p.Steps[2].Name }, "op names are unique"},
		{"main stream", func(p *Plan) { p.Steps[0].Stream = str(p, "main") }, "must be written as the empty string"},
		{"source", func(p *Plan) { p.Steps[0].Source = 2 }, "source 2 of 2"},
		{"entry gap", func(p *Plan) { p.Entries[1].Steps.Off++ }, "no gap, no overlap"},
		{"entry name", func(p *Plan) { p.Entries[1].Name = p.Entries[0].Name }, "entry names are unique"},
		{"item order", func(p *Plan) { p.Items[1].Index = 2 }, "each step once, ascending"},
		{"item kind", func(p *Plan) { p.Items[1].Kind = 4 }, "unknown kind 4"},
		{"step left out", func(p *Plan) { p.Items[0].Kind = NextStep }, "its order runs 0 of 1 steps"},
		{"event name", func(p *Plan) { p.Items[2].Name = 0 }, "the event has no name"},
		{"launch steps", func(p *Plan) { p.Launches[0].Count = 9 }, "want one or more of entry"},
		{"launch disagrees", func(p *Plan) { p.Steps[1].Launch = 1 }, "which names launch 1"},
		{"launch not listed", func(p *Plan) { p.Steps[0].Launch = 0 }, "1 steps name a launch that does not list them"},
		{"launch kernel", func(p *Plan) { p.Launches[0].Kernel = 3 }, "kernel 3 of 3"},
		{"kernel name", func(p *Plan) { p.Kernels[0].Name = p.Kernels[1].Name }, "kernel names are unique"},
		{"kernel text", func(p *Plan) { p.Kernels[0].PTX.Len = 1 << 30 }, "leaves its table"},
		{"parameter", func(p *Plan) { p.Kernels[0].Params.Off++ }, "want its number and a name"},
		{"weight buffer", func(p *Plan) { p.Weights[0].Buf = 6 }, "want a shared one"},
		{"weight axis", func(p *Plan) { p.Weights[0].Axis = 4 }, "axis 4 of 4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, p := rich(t)
			tt.do(p)
			err := Sound(p)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want ... %s ...", err, tt.want)
			}
			if _, err := Encode(p); err == nil {
				t.Error("Encode accepts it")
			}
		})
	}
}

// str interns s.
func str(p *Plan, s string) Str {
	for i, have := range p.Strings {
		if have == s {
			return Str(i)
		}
	}
	p.Strings = append(p.Strings, s)
	return Str(len(p.Strings) - 1)
}

func TestDiff(t *testing.T) {
	_, a := rich(t)
	tests := []struct {
		name string
		do   func(*Plan)
		want string
	}{
		{"same", func(p *Plan) {}, ""},
		{"buffer", func(p *Plan) { p.Bufs[5].Off = 72 }, "entry decode: buf ids: in+0 against in+72"},
		{"operand", func(p *Plan) { p.Steps[2].Flags |= EW }, "entry decode: op topk: mayread against ew"},
		{"value", func(p *Plan) { p.Entries[2].Rows = 9 }, "entry prefill: rows=512 against rows=9"},
	}
	for _, tt := range tests {
		b := a.Clone()
		tt.do(b)
		if got := Diff(a, b); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
