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
	b, err := read(path)
	return b, err == nil
}

// Keep keeps bytes under kind and key, where it can.
func Keep(kind, key string, b []byte) {
	if path, err := place(kind, key); err == nil {
		_ = write(path, b)
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

// A file is the SHA-256 of its content, then the content.
func read(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(b) < sha256.Size {
		return nil, fmt.Errorf("%s is cut off", path)
	}
	sum, content := b[:sha256.Size], b[sha256.Size:]
	if want := sha256.Sum256(content); !bytes.Equal(sum, want[:]) {
		return nil, fmt.Errorf("%s is damaged", path)
	}
	return content, nil
}

// write makes the file in one step, so that nobody reads half of it.
func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	_, err = f.Write(append(sum[:], content...))
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
