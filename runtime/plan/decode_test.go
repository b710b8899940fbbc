package plan

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func encoded(t testing.TB) []byte {
	t.Helper()
	_, p := rich(t)
	data, err := Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// rehash makes the hash of a changed file right, so that the checks behind it are reached.
func rehash(data []byte) []byte {
	sum := hashOf(data)
	copy(data[offHash:], sum[:])
	return data
}

func TestDecodeRefusesForeignFiles(t *testing.T) {
	tests := []struct {
		name, data, want string
	}{
		{"empty", "", "not a dsac plan: it is empty"},
		{"gguf", "GGUF\x03\x00\x00\x00", "not a dsac plan: it is a GGUF model file: compile it first"},
		{"text", "# id: BASE\nbuf x I+0 512\n", "not a dsac plan: it is a text: if it is a plan in text form, read it as such"},
		{"elf", "\x7fELF\x02\x01\x01\x00\x00\xff", `not a dsac plan: it begins with "\x7fELF\x02\x01\x01\x00", want "dsacplan"`},
		{"short", "dsac\x00", `not a dsac plan: it begins with "dsac\x00", want "dsacplan"`},
	}
	for _, tt := range tests {
		_, err := Decode([]byte(tt.data))
		if !errors.Is(err, ErrNotPlan) || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestDecodeRefusesOtherVersions(t *testing.T) {
	for v, want := range map[uint32]string{version - 1: "recompile the model", version + 1: "it was made by a newer dsac"} {
		data := encoded(t)
		binary.LittleEndian.PutUint32(data[offVersion:], v)
		if _, err := Decode(rehash(data)); !errors.Is(err, ErrVersion) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("version %d: got %v, want ... %s", v, err, want)
		}
	}
}

func TestDecodeRefusesTruncatedFiles(t *testing.T) {
	data := encoded(t)
	cuts := []int{9, headSize - 1, headSize, headSize + 1, len(data) - 1}
	for i := range secFirst + len(sections) {
		cuts = append(cuts, int(binary.LittleEndian.Uint64(data[headSize+i*entrySize+8:])))
	}
	for _, n := range cuts {
		if n == len(data) {
			continue // an empty last section starts at the end
		}
		if _, err := Decode(bytes.Clone(data[:n])); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "truncated") {
			t.Errorf("cut to %d of %d: got %v", n, len(data), err)
		}
	}
	if _, err := Decode(append(bytes.Clone(data), 0)); !errors.Is(err, ErrDamaged) {
		t.Errorf("one byte appended: got %v", err)
	}
}

func TestDecodeRefusesFlippedBits(t *testing.T) {
	data := encoded(t)
	for i := range data {
		bit := byte(1) << (i % 8)
		data[i] ^= bit
		if _, err := Decode(data); err == nil {
			t.Errorf("bit flip in byte %d of %d goes unnoticed", i, len(data))
		}
		data[i] ^= bit
	}
}

// TestDecodeSurvivesForgedFiles changes bytes and makes the hash right again: what still
// decodes must be safe to use.
func TestDecodeSurvivesForgedFiles(t *testing.T) {
	data := encoded(t)
	rng := rand.New(rand.NewPCG(1, 2))
	refused := 0
	const tries = 4000
	for range tries {
		forged := bytes.Clone(data)
		for range 1 + rng.IntN(3) {
			forged[offHash+32+rng.IntN(len(data)-offHash-32)] = byte(rng.Uint32())
		}
		p, err := Decode(rehash(forged))
		if err != nil {
			refused++
			continue
		}
		use(t, p)
	}
	if refused < tries/10 {
		t.Errorf("only %d of %d forged files were refused", refused, tries)
	}
}

func TestOpenAndWriteFile(t *testing.T) {
	_, p := rich(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "m.plan")
	if err := WriteFile(path, p); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, p); err != nil {
		t.Fatalf("cannot replace a plan: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v (%v), want 0600", info.Mode(), err)
	}
	m, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	q := m.Clone()
	if got := Diff(m.Plan, p); got != "" {
		t.Errorf("file differs: %s", got)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if got := Diff(q, p); got != "" {
		t.Errorf("clone differs after Close: %s", got)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("got %d files in the folder (%v), want 1", len(files), err)
	}
}

func TestWriteFileKeepsOtherFiles(t *testing.T) {
	_, p := rich(t)
	dir := t.TempDir()
	model := filepath.Join(dir, "model.gguf")
	if err := os.WriteFile(model, []byte("GGUF\x03\x00\x00\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ path, want string }{
		{model, "exists and is not a dsac plan: choose another path or remove it"},
		{empty, "exists and is not a dsac plan: choose another path or remove it"},
		{dir, "exists and is not a regular file (d---------): choose another path"},
		{os.DevNull, "exists and is not a regular file (Dc---------): choose another path"},
	}
	for _, tt := range tests {
		err := WriteFile(tt.path, p)
		if want := "write " + tt.path + ": " + tt.want; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if got, _ := os.ReadFile(model); string(got) != "GGUF\x03\x00\x00\x00" {
		t.Errorf("the model was overwritten: %q", got)
	}
	if err := WriteFile(filepath.Join(dir, "no", "such", "a.plan"), p); err == nil {
		t.Error("no error for a missing folder")
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: got %v", err)
	}
	if _, err := Open(dir); !errors.Is(err, ErrNotPlan) {
		t.Errorf("directory: got %v", err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(empty); !errors.Is(err, ErrNotPlan) {
		t.Errorf("empty file: got %v", err)
	}
}

func TestStringOrderDoesNotMatter(t *testing.T) {
	base := synthetic(2, 3, 4, nil)
	want, err := Encode(base)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 5 {
		order := append([]string{"unused"}, base.Strings...)
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		got, err := Encode(synthetic(2, 3, 4, order))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Error("another order of the strings gives other bytes")
		}
	}
}

func TestPaddingIsZero(t *testing.T) {
	_, p := rich(t)
	p = Canonical(p)
	want, err := Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections { // dirty the padding in memory
		raw := s.view(p)
		for at := 0; at < len(raw); at += s.size {
			for _, g := range s.pad {
				for i := g.lo; i < g.hi; i++ {
					raw[at+i] = 0xff
				}
			}
		}
	}
	got, err := Encode(p)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("padding bytes reach the file (%v)", err)
	}
}

func TestUnalignedDataDecodes(t *testing.T) {
	data := encoded(t)
	shifted := append(make([]byte, 1, len(data)+1), data...)[1:]
	p, err := Decode(shifted)
	if err != nil {
		t.Fatal(err)
	}
	_, want := rich(t)
	if got := Diff(p, want); got != "" {
		t.Error(got)
	}
}
