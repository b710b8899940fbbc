package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
)

// Program returns the hash of the program that runs: part of the key of what another build might
// make otherwise from the same input. A version is not enough for that: it stays the same while
// the source is worked on.
var Program = sync.OnceValues(func() (string, error) {
	path, err := executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading the program: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
})

// executable names the file of the program; on Linux the one that was started, even when another
// has taken its place since.
func executable() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}
