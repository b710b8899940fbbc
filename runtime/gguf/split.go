package gguf

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// Keys and file names of split models (docs/spec/glm-dsa.md section 4.2).
const (
	splitNoKey      = "split.no"            // u16, from 0
	splitCountKey   = "split.count"         // u16
	splitTensorsKey = "split.tensors.count" // i32, over all files
)

// split holds the split keys of one file; {0, 1, -1} for a file that is not split.
type split struct{ no, count, tensors int }

func splitKeys(path string, p *parsed) (split, error) {
	f := File{Path: path, Keys: p.keys, keyIndex: p.keyIndex}
	s := split{0, 1, -1}
	for _, e := range []struct {
		key  string
		into *int
		max  uint64
	}{{splitNoKey, &s.no, 65535}, {splitCountKey, &s.count, 65535}, {splitTensorsKey, &s.tensors, 1 << 31}} {
		v, ok, err := f.Uint(e.key)
		if err != nil {
			return s, err
		}
		if v > e.max {
			return s, fmt.Errorf("%s: key %q is %d, want at most %d", path, e.key, v, e.max)
		}
		if ok {
			*e.into = int(v)
		}
	}
	if s.count == 0 { // written by some tools for "not split"
		s.count = 1
	}
	if s.no >= s.count {
		return s, fmt.Errorf("%s: key %q is %d, want less than %q, which is %d", path, splitNoKey, s.no, splitCountKey, s.count)
	}
	return s, nil
}

var splitName = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})\.gguf$`)

// SplitName returns the name of file no (from 0) of count files.
func SplitName(prefix string, no, count int) string {
	return fmt.Sprintf("%s-%05d-of-%05d.gguf", prefix, no+1, count)
}

// shardOf returns the path of file no of the split model that path, with keys s, belongs to.
func shardOf(path string, s split, no int) (string, error) {
	m := splitName.FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return "", fmt.Errorf("%s: file %d of a model split in %d, but its name does not end in %q: rename it back",
			path, s.no+1, s.count, filepath.Base(SplitName("", s.no, s.count)))
	}
	if n, _ := strconv.Atoi(m[2]); n != s.no+1 {
		return "", fmt.Errorf("%s: key %q is %d, want %d by the file's name", path, splitNoKey, s.no, n-1)
	}
	if n, _ := strconv.Atoi(m[3]); n != s.count {
		return "", fmt.Errorf("%s: key %q is %d, want %d by the file's name", path, splitCountKey, s.count, n)
	}
	p := filepath.Join(filepath.Dir(path), SplitName(m[1], no, s.count))
	if _, err := os.Stat(p); errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("%s: file %d of %d of the split model is missing", p, no+1, s.count)
	}
	return p, nil
}

// resolve turns a folder into the one model that it holds.
func resolve(path string) (string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", fileError(path, err)
	}
	if !st.IsDir() {
		return path, nil
	}
	names, err := filepath.Glob(filepath.Join(escapeGlob(path), "*.gguf"))
	if err != nil {
		return "", fileError(path, err)
	}
	models := map[string]string{} // prefix and count of a split set, or name of a whole file
	for _, n := range names {     // sorted, so that the first shard present comes first
		id := n
		if m := splitName.FindStringSubmatch(filepath.Base(n)); m != nil {
			id = m[1] + " of " + m[3]
		}
		if _, ok := models[id]; !ok {
			models[id] = n
		}
	}
	if len(models) != 1 {
		return "", fmt.Errorf("%s: holds %d GGUF models, want 1: name a file", path, len(models))
	}
	for _, n := range models {
		path = n
	}
	return path, nil
}

var globMeta = regexp.MustCompile(`[\\*?\[]`)

// escapeGlob makes a folder's name match itself only.
func escapeGlob(dir string) string { return globMeta.ReplaceAllString(dir, `\$0`) }
