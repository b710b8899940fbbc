package cuda

import (
	"slices"
	"strings"
	"testing"

	"dsac/runtime/plan"
)

// pad gives the plan a padded placement: buffers one after the other, in reverse.
func pad(p *plan.Plan) {
	p.Pads = make([]uint64, len(p.Bufs))
	at := make([]uint64, len(p.Regions))
	for i := len(p.Bufs) - 1; i >= 0; i-- {
		r := p.Bufs[i].Region
		p.Pads[i] = at[r] + guard
		at[r] = p.Pads[i] + (p.Bufs[i].Size+63)/64*64 + guard
	}
}

func TestPaddedPlacement(t *testing.T) {
	p := toyPlan(t)
	if err := (&binding{plan: p}).place(true); err == nil || !strings.Contains(err.Error(), "no padded placement") {
		t.Errorf("a plan without pads: got %v", err)
	}
	pad(p)
	d, _ := loadFake(t, p, Options{Padded: true})
	got := generate(t, d, toyPrompt, 5)
	checkToy(t, d, toyPrompt, got)
	for i := range p.Bufs {
		if d.Offset(int32(i)) != p.Pads[i] {
			t.Errorf("buffer %s lies at %d, want %d", d.name(int32(i)), d.Offset(int32(i)), p.Pads[i])
		}
	}
}

// What a comparison with another device does: a hook replaces the inputs of a step and reads
// its outputs.
func TestHooksReplaceInputs(t *testing.T) {
	p := toyPlan(t)
	d, _ := loadFake(t, p, Options{})
	find := func(name string) int32 {
		return int32(slices.IndexFunc(p.Bufs, func(b plan.Buf) bool { return p.Str(b.Name) == name && b.Entry <= 0 }))
	}
	x, a := find("x"), find("a")
	mine := make([]byte, 256)
	for i := range toyWidth {
		putF(mine, i, float32(i))
	}
	var seen []byte
	d.Observe(func(s int32) error {
		if p.Str(p.Steps[s].Name) == "a" {
			return d.SetBufferAt(x, mine)
		}
		return nil
	}, func(s int32) error {
		if p.Str(p.Steps[s].Name) == "a" {
			seen = d.BufferAt(a)
		}
		return nil
	})
	if err := d.Run(0, 1); err != nil {
		t.Fatal(err)
	}
	for i := range toyWidth {
		if got, want := getF(seen, i), float32(2*i); got != want {
			t.Fatalf("value %d of the step's output is %v, want %v", i, got, want)
		}
	}
	if err := d.SetBufferAt(x, make([]byte, 257)); err == nil {
		t.Error("more bytes than the buffer has were taken")
	}
	if err := d.WriteAt(x, 8, []byte{1, 2, 3, 4}); err != nil {
		t.Error(err)
	}
	got := make([]byte, 2)
	if err := d.ReadAt(x, 9, got); err != nil || !slices.Equal(got, []byte{2, 3}) {
		t.Errorf("read %v, want 2 3 (%v)", got, err)
	}
	for _, off := range []uint64{255, 257, 1<<64 - 1} {
		if d.ReadAt(x, off, got) == nil || d.WriteAt(x, off, got) == nil {
			t.Errorf("2 bytes at %d of a buffer of 256 were copied", off)
		}
	}
	if err := d.FillRegion(0, 0x7fff7fff); err != nil {
		t.Fatal(err)
	}
	if b, err := d.Region(0); err != nil || le.Uint32(b[512:]) != 0x7fff7fff {
		t.Errorf("the arena was not filled (%v)", err)
	}
	d.Observe(nil, nil)
	if err := d.Run(0, 1); err != nil {
		t.Error(err)
	}
}
