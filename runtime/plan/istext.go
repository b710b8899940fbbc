package plan

import (
	"bytes"
	"io"
	"os"
)

// IsText says whether the file at path looks like the text form rather than a binary one: it
// holds no zero byte in its first 4 KiB.
func IsText(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 4096))
	return err == nil && len(head) > 0 && bytes.IndexByte(head, 0) < 0
}
