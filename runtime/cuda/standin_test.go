//go:build cuda

package cuda

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The GPU tests, in another process, against testdata/standin.c in place of the driver's
// library: every call that dsac makes of it is made, with a machine that has no GPU. Left out:
// what only a real driver knows: for which GPU a cubin is, how many blocks a kernel has in a cluster.
func TestDriverCallsOnAStandIn(t *testing.T) {
	if available() == nil {
		return // the real thing is here, or this is the other process
	}
	flags := os.Getenv("CGO_CFLAGS")
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "gcc"
	}
	if flags == "" {
		t.Skip("CGO_CFLAGS does not say where cuda.h is: run make test")
	}
	dir := t.TempDir()
	args := append(strings.Fields(flags), "-shared", "-fPIC", "-w", "-o", filepath.Join(dir, "libcuda.so.1"), "testdata/standin.c")
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cc, err, out)
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestGPU", "-test.skip", "^TestGPU(Cubin|ClustersAreChecked)$", "-test.short", "-test.v")
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, "REQUIRE_GPU=1")
	out, err := cmd.CombinedOutput()
	if passed := strings.Count(string(out), "\n--- PASS"); err != nil || passed < 15 {
		t.Fatalf("%d tests passed: %v\n%s", passed, err, out)
	}
}
