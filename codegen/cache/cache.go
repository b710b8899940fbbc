// Package cache keeps what slow tools made, by the content of what went in. It must not import
// anything but the standard library.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// Dir returns the folder: $DSAC_CACHE, or dsac in the user's cache folder.
func Dir() (string, error) {
	if d := os.Getenv("DSAC_CACHE"); d != "" {
		return d, nil
	}
	d, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder: %w; set DSAC_CACHE to one", err)
	}
	return filepath.Join(d, "dsac"), nil
}

// Key hashes the parts, each with its length, so that no two lists of parts are alike.
func Key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d ", len(p))
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Do returns the bytes kept under kind and key, or those that make gives, which it then keeps.
// The cache only saves time: a folder that cannot be written is no error, and a damaged file
// is made anew.
func Do(kind, key string, make func() ([]byte, error)) ([]byte, error) {
	if b, ok := Kept(kind, key); ok {
		return b, nil
	}
	b, err := make()
	if err != nil {
		return nil, err
	}
	Keep(kind, key, b)
	return b, nil
}

// Kept returns the bytes kept under kind and key, if there are any and they are whole.
func Kept(kind, key string) ([]byte, bool) {
	path, err := place(kind, key)
	if err != nil {
		return nil, false
	}
	b, err := read(path, kind, key)
	return b, err == nil
}

// Keep keeps bytes under kind and key, where it can.
func Keep(kind, key string, b []byte) {
	if path, err := place(kind, key); err == nil {
		_ = write(path, kind, key, b)
	}
}

func place(kind, key string) (string, error) {
	dir, err := Dir()
	if err == nil && len(key) < 2 {
		err = fmt.Errorf("cache key %q is no hash", key)
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, kind, key[:2], key), nil
}

// A file is its sum, then the content. The sum is of the content and of what it is kept under: a
// file that was moved or copied to the place of another is as good as damaged.
func sum(kind, key string, content []byte) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s ", kind, key)
	h.Write(content)
	return [sha256.Size]byte(h.Sum(nil))
}

func read(path, kind, key string) ([]byte, error) {
	if at, err := os.Stat(path); err != nil {
		return nil, err
	} else if !at.Mode().IsRegular() { // a pipe has no end
		return nil, fmt.Errorf("%s is no file", path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(b) < sha256.Size {
		return nil, fmt.Errorf("%s is cut off", path)
	}
	content := b[sha256.Size:]
	if want := sum(kind, key, content); !bytes.Equal(b[:sha256.Size], want[:]) {
		return nil, fmt.Errorf("%s is damaged", path)
	}
	return content, nil
}

// write makes the file in one step, so that nobody reads half of it.
func write(path, kind, key string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	head := sum(kind, key, content)
	_, err = f.Write(append(head[:], content...))
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
