//go:build cuda

package main

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dsac/internal/fixture"
	"dsac/runtime/cuda"
	"dsac/runtime/gguf"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// standIn builds the stand-in of the driver's library in a folder, and gives the program a name
// there by which TestMain knows it. With the folder as LD_LIBRARY_PATH it finds GPUs.
func standIn(t *testing.T) (dir, dsac string) {
	t.Helper()
	if len(cuda.Probe().GPUs) > 0 {
		t.Skip("a real GPU is here, for which the stand-in's kernels are not")
	}
	flags := os.Getenv("CGO_CFLAGS")
	if flags == "" {
		t.Skip("CGO_CFLAGS does not say where cuda.h is: run make test")
	}
	dir = t.TempDir()
	source := filepath.Join(fixture.Root(), "runtime", "cuda", "testdata", "standin.c")
	args := append(strings.Fields(flags), "-shared", "-fPIC", "-w", "-o", filepath.Join(dir, "libcuda.so.1"), source)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dsac = filepath.Join(dir, "dsac")
	if err := os.Link(self, dsac); err != nil { // not a symbolic link: it runs itself again after a fault
		t.Fatal(err)
	}
	return dir, dsac
}

// toyPlan writes the toy of the CUDA tests as a plan file, without the lines drop.
func toyPlan(t *testing.T, dir, drop string) string {
	t.Helper()
	text := readToy(t, dir)
	if drop != "" && !strings.Contains(text, drop) {
		t.Fatalf("the toy has no %q", drop)
	}
	file := filepath.Join(t.TempDir(), "toy.plan")
	writeToy(t, file, strings.ReplaceAll(text, drop, ""), dir)
	return file
}

func readToy(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "toy.plan.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// writeToy writes a text of the toy as a plan file, with its kernels.
func writeToy(t *testing.T, file, text, dir string) {
	t.Helper()
	p, err := plan.Parse("toy.plan.txt", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if p.Blob, err = os.ReadFile(filepath.Join(dir, "toy.ptx")); err != nil {
		t.Fatal(err)
	}
	for i := range p.Kernels {
		p.Kernels[i].PTX = plan.Span{Len: uint32(len(p.Blob))}
	}
	if err := plan.WriteFile(file, p); err != nil {
		t.Fatal(err)
	}
}

// toyWeights writes the toy's embeddings.
func toyWeights(t *testing.T, dir string) string {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	w := gguf.NewWriter()
	w.Set("general.architecture", "toy")
	w.Add("token_embd.weight", quant.F32, 64, 64)
	fill := func(x *gguf.Tensor, out io.Writer) error {
		values := make([]float32, x.Size/4)
		for i := range values {
			values[i] = float32(r.NormFloat64())
		}
		return binary.Write(out, binary.LittleEndian, values)
	}
	file := filepath.Join(dir, "toy.gguf")
	if _, err := w.WriteFile(file, gguf.Options{Fill: fill}); err != nil {
		t.Fatal(err)
	}
	return file
}
