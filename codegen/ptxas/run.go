package ptxas

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"dsac/codegen"
	"dsac/codegen/cache"
)

// Usage is what a kernel needs, as ptxas reports it.
type Usage struct {
	Registers  int // per thread
	Shared     int // static, bytes per block
	SpillLoad  int // bytes per thread
	SpillStore int
	Stack      int
}

// Result is an assembled module.
type Result struct {
	Cubin []byte
	Usage map[string]Usage // by kernel
}

// targets that need more than CUDA 11: the least version of ptxas.
var needs = map[string][2]int{"sm_90": {11, 8}, "sm_120": {12, 8}, "sm_120a": {12, 8}}

// Assemble makes a cubin for the target that the PTX names.
func (t *Tool) Assemble(ptx string, g *codegen.Target) (*Result, error) {
	if n := needs[g.Name]; t.Major < n[0] || t.Major == n[0] && t.Minor < n[1] {
		return nil, fmt.Errorf("ptxas %s does not know %s: CUDA %d.%d or newer is needed", t.Version, g.Name, n[0], n[1])
	}
	kept, err := cache.Do("cubin", cache.Key("ptxas", t.Version, g.Name, ptx), func() ([]byte, error) {
		cubin, log, err := t.run(ptx, g)
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(cubin))), append(cubin, log...)...), err
	})
	if err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(kept)
	return &Result{Cubin: kept[4 : 4+n], Usage: parseUsage(string(kept[4+n:]))}, nil
}

func (t *Tool) run(ptx string, g *codegen.Target) (cubin, log []byte, err error) {
	dir, err := os.MkdirTemp("", "dsac-ptxas-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "kernels.ptx"), filepath.Join(dir, "kernels.cubin")
	if err := os.WriteFile(in, []byte(ptx), 0o600); err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(t.Path, "-v", "-arch="+g.Name, in, "-o", out)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Run(); err != nil {
		said := strings.ReplaceAll(strings.TrimSpace(text.String()), dir+string(filepath.Separator), "")
		return nil, nil, fmt.Errorf("ptxas %s: %w: %s", t.Version, err, strings.SplitN(said, "\n", 2)[0])
	}
	cubin, err = os.ReadFile(out)
	return cubin, text.Bytes(), err
}

var (
	entryLine = regexp.MustCompile(`Compiling entry function '([^']+)'`)
	stackLine = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	usedLine  = regexp.MustCompile(`Used (\d+) registers`)
	smemLine  = regexp.MustCompile(`(\d+) bytes smem`)
)

// parseUsage reads the output of ptxas -v, which names a kernel ahead of its figures.
func parseUsage(log string) map[string]Usage {
	usage := map[string]Usage{}
	name := ""
	for _, line := range strings.Split(log, "\n") {
		if m := entryLine.FindStringSubmatch(line); m != nil {
			name = m[1]
		}
		u := usage[name]
		if m := stackLine.FindStringSubmatch(line); m != nil {
			u.Stack, u.SpillStore, u.SpillLoad = number(m[1]), number(m[2]), number(m[3])
		}
		if m := usedLine.FindStringSubmatch(line); m != nil {
			u.Registers = number(m[1])
		}
		if m := smemLine.FindStringSubmatch(line); m != nil {
			u.Shared = number(m[1])
		}
		if name != "" {
			usage[name] = u
		}
	}
	return usage
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
