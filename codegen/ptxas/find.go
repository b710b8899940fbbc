// Package ptxas assembles PTX with NVIDIA's ptxas where it is installed. Users do not need it:
// drivers assemble PTX themselves. It must not import anything above codegen.
package ptxas

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// ErrAbsent is wrapped by the error for a machine without ptxas.
var ErrAbsent = errors.New("ptxas not found")

// Tool is a ptxas that was found.
type Tool struct {
	Path         string
	Version      string // "13.5.37"
	Major, Minor int
}

// Find returns the ptxas to use: $DSAC_PTXAS if set, otherwise the first usable one of PATH,
// the CUDA toolkit's usual place, and the folder into which `make ptxas` puts it.
func Find() (*Tool, error) {
	if path := os.Getenv("DSAC_PTXAS"); path != "" {
		t, err := Probe(path)
		if err != nil {
			return nil, fmt.Errorf("DSAC_PTXAS: %w", err)
		}
		return t, nil
	}
	var first error
	for _, path := range candidates() {
		t, err := Probe(path)
		if err == nil {
			return t, nil
		}
		if first == nil {
			first = err
		}
	}
	if first != nil {
		return nil, first
	}
	return nil, fmt.Errorf("%w: install the CUDA toolkit, run `make ptxas`, or set DSAC_PTXAS", ErrAbsent)
}

func candidates() []string {
	var paths []string
	if p, err := exec.LookPath("ptxas"); err == nil {
		paths = append(paths, p)
	}
	for _, p := range []string{"/usr/local/cuda/bin/ptxas", ".cache/ptxas/bin/ptxas"} {
		if p, ok := findUp(p); ok {
			paths = append(paths, p)
		}
	}
	return paths
}

// findUp looks for a relative path here and in the folders above, up to the module's root.
func findUp(path string) (string, bool) {
	if filepath.IsAbs(path) {
		_, err := os.Stat(path)
		return path, err == nil
	}
	dir, err := os.Getwd()
	for err == nil {
		p := filepath.Join(dir, path)
		if _, e := os.Stat(p); e == nil {
			return p, true
		}
		_, e := os.Stat(filepath.Join(dir, "go.mod"))
		up := filepath.Dir(dir)
		if e == nil || up == dir {
			break
		}
		dir = up
	}
	return "", false
}

var versionLine = regexp.MustCompile(`V((\d+)\.(\d+)\.(\d+))`)

// Probe asks a ptxas for its version. CUDA 13.2 is refused: 13.2.0 and 13.2.1 miscompile loads
// of bytes, and the version of ptxas does not tell them from later ones.
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
		return nil, fmt.Errorf("%s does not say its version", path)
	}
	t := &Tool{Path: path, Version: m[1]}
	t.Major, _ = strconv.Atoi(m[2])
	t.Minor, _ = strconv.Atoi(m[3])
	if t.Major == 13 && t.Minor == 2 {
		return nil, fmt.Errorf("%s is of CUDA 13.2, which miscompiles loads of bytes: use another version", path)
	}
	return t, nil
}
