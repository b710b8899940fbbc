package cache

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDoMakesOnce(t *testing.T) {
	t.Setenv("DSAC_CACHE", t.TempDir())
	made := 0
	make := func() ([]byte, error) { made++; return []byte("content"), nil }
	key := Key("a", "b")
	for range 3 {
		b, err := Do("kind", key, make)
		if err != nil || string(b) != "content" {
			t.Fatalf("got %q, %v", b, err)
		}
	}
	if made != 1 {
		t.Errorf("made %d times, want once", made)
	}
	if _, err := Do("other", key, make); err != nil || made != 2 {
		t.Errorf("another kind shares the key")
	}
}

func TestDamagedFileIsMadeAnew(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DSAC_CACHE", dir)
	key := Key("x")
	path := filepath.Join(dir, "kind", key[:2], key)
	want := "the right bytes"
	get := func() string {
		b, err := Do("kind", key, func() ([]byte, error) { return []byte(want), nil })
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	get()
	for _, damage := range []func(b []byte) []byte{
		func(b []byte) []byte { b[40] ^= 1; return b },
		func(b []byte) []byte { return b[:10] },
		func(b []byte) []byte { return nil },
	} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, damage(b), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := get(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A cubin in the place of another would make a plan that no lint finds fault with.
func TestFileInThePlaceOfAnotherIsMadeAnew(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DSAC_CACHE", dir)
	at := func(kind, key string) string { return filepath.Join(dir, kind, key[:2], key) }
	one, other := Key("one"), Key("other")
	Keep("kind", one, []byte("one"))
	b, err := os.ReadFile(at("kind", one))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ kind, key string }{{"kind", other}, {"sort", one}} {
		Keep(c.kind, c.key, []byte("other"))
		if err := os.WriteFile(at(c.kind, c.key), b, 0o644); err != nil {
			t.Fatal(err)
		}
		if got, ok := Kept(c.kind, c.key); ok {
			t.Errorf("%s/%.4s: got %q, which is kept elsewhere", c.kind, c.key, got)
		}
	}
}

func TestWhatIsNoFileIsNotRead(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DSAC_CACHE", dir)
	key := Key("endless")
	Keep("kind", key, nil)
	path := filepath.Join(dir, "kind", key[:2], key)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.DevNull, path); err != nil {
		t.Skip(err)
	}
	read, err := read(path, "kind", key)
	if err == nil || !strings.Contains(err.Error(), "is no file") {
		t.Errorf("got %q, %v", read, err)
	}
}

func TestErrorsAreNotKept(t *testing.T) {
	t.Setenv("DSAC_CACHE", t.TempDir())
	bad := errors.New("bad")
	if _, err := Do("kind", Key("e"), func() ([]byte, error) { return nil, bad }); !errors.Is(err, bad) {
		t.Errorf("got %v", err)
	}
	if b, err := Do("kind", Key("e"), func() ([]byte, error) { return []byte("good"), nil }); err != nil || string(b) != "good" {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestUnusableFolderIsNoError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DSAC_CACHE", file)
	if b, err := Do("kind", Key("u"), func() ([]byte, error) { return []byte("made"), nil }); err != nil || string(b) != "made" {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestKeysTellPartsApart(t *testing.T) {
	if Key("ab", "c") == Key("a", "bc") || Key("a") == Key("a", "") {
		t.Error("different parts, same key")
	}
}
