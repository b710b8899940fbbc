package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// kernels lists the probes in the order of the manifest.
func kernels() []kernel {
	var ks []kernel
	for _, g := range groups {
		ks = append(ks, g.kernel())
	}
	for i, t := range tiles {
		ks = append(ks, mmaKernel(i, t))
	}
	return append(ks, matrixKernel())
}

// module is the PTX of all probes.
func module(ks []kernel) string {
	var b strings.Builder
	b.WriteString("// written by codegen/emu/probe\n.version 7.8\n.target sm_90\n.address_size 64\n\n")
	for _, k := range ks {
		b.WriteString(k.text + "\n")
	}
	return b.String()
}

func main() {
	out := flag.String("o", "", "write the probe's PTX, inputs and manifest into this folder")
	record := flag.String("record", "", "pack the GPU's results in this folder into the fixture")
	gold := flag.String("gold", "codegen/emu/testdata/probe.gold", "the fixture that -record writes")
	flag.Parse()
	err := fmt.Errorf("give -o DIR or -record DIR")
	switch {
	case *out != "":
		err = write(*out)
	case *record != "":
		err = pack(*record, *gold)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	ks := kernels()
	files := map[string][]byte{"probe.ptx": []byte(module(ks))}
	var manifest strings.Builder
	for _, k := range ks {
		fmt.Fprintf(&manifest, "%s %d %d %d %d\n", k.name, k.blocks, k.threads, len(k.in), k.out)
		files[k.name+".in"] = k.in
	}
	files["manifest.txt"] = []byte(manifest.String())
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func pack(dir, gold string) error {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	for _, k := range kernels() {
		data, err := os.ReadFile(filepath.Join(dir, k.name+".out"))
		if err != nil {
			return err
		}
		if len(data) != k.out {
			return fmt.Errorf("%s.out has %d bytes, want %d", k.name, len(data), k.out)
		}
		if _, err := z.Write(data); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(gold, b.Bytes(), 0o666)
}

// unpack returns the recorded outputs by kernel.
func unpack(gold []byte, ks []kernel) (map[string][]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(gold))
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, k := range ks {
		out[k.name] = make([]byte, k.out)
		if _, err := io.ReadFull(z, out[k.name]); err != nil {
			return nil, fmt.Errorf("%s: %w: the fixture was recorded from other probes", k.name, err)
		}
	}
	if n, _ := z.Read(make([]byte, 1)); n != 0 {
		return nil, fmt.Errorf("the fixture holds more than the probes give: it was recorded from others")
	}
	return out, nil
}
