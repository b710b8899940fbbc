package plan

import (
	"os"
	"testing"
)

// use does with a sound plan what readers do. It must not panic.
func use(t *testing.T, p *Plan) {
	t.Helper()
	text := p.Text()
	q, err := Parse("again", []byte(text))
	if err != nil {
		t.Fatalf("text of a sound plan does not parse: %v\n%s", err, text)
	}
	if got := q.Text(); got != text {
		t.Fatalf("text changes on the way round:\n%s", firstDiff(got, text))
	}
	if _, err := Encode(p); err != nil {
		t.Fatalf("sound plan does not encode: %v", err)
	}
	_ = Verify(p) // any verdict will do
	_ = Report(p).String()
}

func FuzzParse(f *testing.F) {
	text, err := os.ReadFile("testdata/rich.plan.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	for _, b := range catalogue(f) {
		f.Add([]byte(b.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse("fuzz", text)
		if err != nil {
			_ = err.Error()
			return
		}
		use(t, p)
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(f))
	for _, b := range catalogue(f)[:8] {
		p, err := Parse(b.id, []byte(b.text))
		if err != nil {
			f.Fatal(err)
		}
		data, err := Encode(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := Decode(data); err == nil {
			use(t, p)
		}
		if len(data) < headSize || !IsPlan(data) {
			return
		}
		// The hash stops nearly everything: make it right to reach the checks behind it.
		forged := append([]byte(nil), data...)
		if p, err := Decode(rehash(forged)); err == nil {
			use(t, p)
		}
	})
}
