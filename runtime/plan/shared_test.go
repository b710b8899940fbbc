package plan

import (
	"bytes"
	"strings"
	"testing"
)

// Kernels of one module share its text: the file and the text form hold it once.
func TestKernelsShareTheirText(t *testing.T) {
	b := NewBuilder()
	ptx := "// " + strings.Repeat("x", 1000) + "\n"
	for _, name := range []string{"a", "b", "c"} {
		b.P.Kernels = append(b.P.Kernels, Kernel{Name: b.Str(name), PTX: b.AddBlob([]byte(ptx)), Cubin: b.AddBlob([]byte{0, 1, 2})})
	}
	if n := len(b.P.Blob); n != len(ptx)+3 {
		t.Fatalf("the blob has %d bytes, want each text once", n)
	}
	// The same bytes stored twice become one.
	twice := b.P.Clone()
	twice.Kernels[2].PTX = Span{uint32(len(twice.Blob)), uint32(len(ptx))}
	twice.Blob = append(twice.Blob, ptx...)
	file, err := Encode(b.P)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Encode(twice)
	if err != nil || !bytes.Equal(file, other) {
		t.Errorf("equal content gives other bytes: %v", err)
	}
	text := b.P.Text()
	if strings.Count(text, "xxxx") == 0 || strings.Count(text, ptx) != 1 {
		t.Errorf("the text form holds the text %d times", strings.Count(text, ptx))
	}
	again, err := Parse("p", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if again.Text() != text {
		t.Errorf("got:\n%s\nwant:\n%s", again.Text(), text)
	}
	for _, c := range [][2]string{
		{`ptx b as a`, `ptx b as z`}, {`ptx b as a`, `ptx b as c`}, {`ptx b as a`, `cubin b as b`},
	} {
		if _, err := Parse("p", []byte(strings.Replace(text, c[0], c[1], 1))); err == nil {
			t.Errorf("%q is accepted", c[1])
		}
	}
}
