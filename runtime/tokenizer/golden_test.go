package tokenizer

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"dsac/internal/fixture"
)

// tiny returns the tokenizer of the model that is always in the repository.
func tiny(t testing.TB) *Tokenizer {
	t.Helper()
	tok, err := New(vocabOf(t, fixture.Path(t, "golden", "tiny", "q2_k.gguf")))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// checkGolden compares with the ids that the original tokenizer gives, both ways.
func checkGolden(t *testing.T, model, golden string) {
	tok, err := New(vocabOf(t, model))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text string
		IDs  []int32
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatalf("%s holds no cases", golden)
	}
	for _, c := range cases {
		got := tok.Encode(c.Text, true)
		if !slices.Equal(got, c.IDs) {
			t.Errorf("%q:\n got %v\nwant %v", c.Text, got, c.IDs)
		}
		if text, err := tok.Decode(c.IDs); err != nil || !bytes.Equal(text, []byte(c.Text)) {
			t.Errorf("decode: got %q, %v, want %q", text, err, c.Text)
		}
	}
}

func TestGolden(t *testing.T) {
	checkGolden(t, fixture.Path(t, "golden", "tiny", "q2_k.gguf"), fixture.Path(t, "golden", "tiny", "tokenizer.golden.json"))
}

func TestGoldenWiderSet(t *testing.T) {
	for _, c := range [][2]string{
		{"tiny", "bf16.gguf"}, {"realdims", "q8_0.gguf"}, {"shared", "q8_0.gguf"}, {"calm", "q8_0.gguf"}, {"edge", "q8_0.gguf"},
		{"edge", "public-00001-of-00003.gguf"},
	} {
		t.Run(c[0]+"/"+c[1], func(t *testing.T) {
			checkGolden(t, fixture.Golden(t, c[0], c[1]), fixture.Golden(t, c[0], "tokenizer.golden.json"))
		})
	}
}

func TestTinyFacts(t *testing.T) {
	tok := tiny(t)
	if got, want := tok.Size(), 1024; got != want {
		t.Errorf("size: got %d, want %d", got, want)
	}
	if got, want := tok.StopIDs(), []int32{1003, 1010, 1012}; !slices.Equal(got, want) {
		t.Errorf("stop ids: got %v, want %v", got, want)
	}
	if !tok.Stop(1010) || tok.Stop(1011) {
		t.Errorf("stop: got %v %v, want true false", tok.Stop(1010), tok.Stop(1011))
	}
	if id, ok := tok.Special("<sop>"); id != 1007 || !ok {
		t.Errorf("<sop>: got %d %v, want 1007", id, ok)
	}
	if got := len(tok.Specials()); got != 21 {
		t.Errorf("specials: got %d, want 21", got)
	}
	if !tok.Control(1007) || tok.Control(5) || tok.Control(-1) || tok.Control(5000) {
		t.Errorf("control: got %v %v, want true false", tok.Control(1007), tok.Control(5))
	}
}
