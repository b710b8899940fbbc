// Package llc turns LLVM IR into PTX with the llc of an installed LLVM, 14 to 19. It must not
// import anything above codegen.
package llc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// Versions of LLVM that are known to work.
const (
	Oldest = 14
	Newest = 19
)

// ErrAbsent is wrapped by the error for a machine without llc.
var ErrAbsent = errors.New("llc not found")

// Tool is an llc that was found.
type Tool struct {
	Path    string
	Version string // "14.0.6"
	Major   int
}

// Find returns the llc to use: $DSAC_LLC if set, otherwise the newest usable one of llc and
// llc-14 to llc-19 in PATH.
func Find() (*Tool, error) {
	if path := os.Getenv("DSAC_LLC"); path != "" {
		t, err := Probe(path)
		if err != nil {
			return nil, fmt.Errorf("DSAC_LLC: %w", err)
		}
		return t, nil
	}
	var refused []string
	for _, name := range candidates() {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		t, err := Probe(path)
		if err == nil {
			return t, nil
		}
		refused = append(refused, err.Error())
	}
	if len(refused) > 0 {
		return nil, fmt.Errorf("no usable llc: %s", strings.Join(refused, "; "))
	}
	return nil, fmt.Errorf("%w: install LLVM %d to %d (Debian, Ubuntu: apt install llvm), or set DSAC_LLC", ErrAbsent, Oldest, Newest)
}

// All returns every usable llc, newest first: tests run them all.
func All() []*Tool {
	var ts []*Tool
	seen := map[int]bool{}
	for _, name := range candidates() {
		if path, err := exec.LookPath(name); err == nil {
			if t, err := Probe(path); err == nil && !seen[t.Major] {
				seen[t.Major] = true
				ts = append(ts, t)
			}
		}
	}
	return ts
}

func candidates() []string {
	var names []string
	for v := Newest; v >= Oldest; v-- {
		names = append(names, fmt.Sprintf("llc-%d", v))
	}
	return append(names, "llc")
}

var versionLine = regexp.MustCompile(`LLVM version ((\d+)\.[0-9.]+)`)

// Probe asks an llc what it is. It is an error when it is too old or too new to be known to
// work, or was built without the GPU back end.
func Probe(path string) (*Tool, error) {
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", path, err)
	}
	return parseVersion(path, string(out))
}

func parseVersion(path, out string) (*Tool, error) {
	m := versionLine.FindStringSubmatch(out)
	if m == nil {
		return nil, fmt.Errorf("%s does not say its LLVM version", path)
	}
	major, _ := strconv.Atoi(m[2])
	if major < Oldest || major > Newest {
		return nil, fmt.Errorf("%s is LLVM %s, want %d to %d", path, m[1], Oldest, Newest)
	}
	if !strings.Contains(out, "nvptx64") {
		return nil, fmt.Errorf("%s was built without the nvptx64 target", path)
	}
	return &Tool{Path: path, Version: m[1], Major: major}, nil
}
