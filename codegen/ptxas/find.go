// Package ptxas assembles PTX with NVIDIA's ptxas where it is installed. Users do not need it:
// drivers assemble PTX themselves. It must not import anything above codegen.
package ptxas

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
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

// toolkit is where the CUDA toolkit is usually installed.
const toolkit = "/usr/local/cuda/bin/ptxas"

// Find returns the ptxas to use: $DSAC_PTXAS if set (`make ptxas` fetches one, and the Makefile
// sets the variable), otherwise that of PATH or of the CUDA toolkit.
func Find() (*Tool, error) {
	if path := os.Getenv("DSAC_PTXAS"); path != "" {
		t, err := Probe(path)
		if err != nil {
			return nil, fmt.Errorf("DSAC_PTXAS: %w", err)
		}
		return t, nil
	}
	for _, name := range []string{"ptxas", toolkit} {
		if path, err := exec.LookPath(name); err == nil {
			return Probe(path)
		}
	}
	return nil, fmt.Errorf("%w: install the CUDA toolkit, run `make ptxas`, or set DSAC_PTXAS", ErrAbsent)
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
