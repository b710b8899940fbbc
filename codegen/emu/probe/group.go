package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand"
	"strings"
)

// tolerance says how near a result must be to the GPU's.
type tolerance uint8

const (
	exact     tolerance = iota
	ulp2                // within two units in the last place of a single
	product             // within 2^-21 of the sum of absolute products
	product16           // the same, then rounded to half precision
)

// probe is one instruction with what surrounds it: %rd20 to %rd22 hold the operands, %r20.. and
// %f20.. their low 32 bits, %h10.. their low 16, %fd10.. doubles; it leaves its result in %rd30.
type probe struct {
	name string
	code string
	tol  tolerance
}

// group is one kernel: every probe on every row of operands, a thread per row.
type group struct {
	name   string
	probes []probe
	rows   func(*rand.Rand) [][3]uint64
}

const threads = 64

// inputs are the operands of the group: 32 bytes a row, the fourth word unused.
func (g group) inputs() []byte {
	rows := g.rows(rand.New(rand.NewSource(20)))
	for len(rows)%threads != 0 {
		rows = append(rows, rows[0])
	}
	out := make([]byte, 0, 32*len(rows))
	for _, r := range rows {
		for _, x := range r {
			out = binary.LittleEndian.AppendUint64(out, x)
		}
		out = binary.LittleEndian.AppendUint64(out, 0)
	}
	return out
}

// text is the kernel. Result i of row r is the 64-bit word i*rows + r of the output.
func (g group) text() string {
	rows := len(g.inputs()) / 32
	var b strings.Builder
	fmt.Fprintf(&b, `.visible .entry %s(.param .u64 %[1]s_param_0, .param .u64 %[1]s_param_1)
{
	.reg .pred %%p<10>;
	.reg .b16 %%h<20>;
	.reg .b32 %%r<50>;
	.reg .f32 %%f<40>;
	.reg .b64 %%rd<40>;
	.reg .f64 %%fd<20>;
	ld.param.u64 %%rd1, [%[1]s_param_0];
	ld.param.u64 %%rd2, [%[1]s_param_1];
	mov.u32 %%r1, %%tid.x;
	mov.u32 %%r2, %%ctaid.x;
	mad.lo.u32 %%r3, %%r2, %d, %%r1;
	mad.wide.u32 %%rd4, %%r3, 32, %%rd1;
	mad.wide.u32 %%rd5, %%r3, 8, %%rd2;
	ld.global.v2.u64 {%%rd20, %%rd21}, [%%rd4];
	ld.global.u64 %%rd22, [%%rd4+16];
	cvt.u32.u64 %%r20, %%rd20;
	cvt.u32.u64 %%r21, %%rd21;
	cvt.u32.u64 %%r22, %%rd22;
	cvt.u16.u64 %%h10, %%rd20;
	cvt.u16.u64 %%h11, %%rd21;
	cvt.u16.u64 %%h12, %%rd22;
	mov.b32 %%f20, %%r20;
	mov.b32 %%f21, %%r21;
	mov.b32 %%f22, %%r22;
	mov.b64 %%fd10, %%rd20;
	mov.b64 %%fd11, %%rd21;
	mov.b64 %%fd12, %%rd22;
`, g.name, threads)
	for i, p := range g.probes {
		fmt.Fprintf(&b, "\t// %s\n", p.name)
		for _, line := range strings.Split(strings.TrimSpace(p.code), ";") {
			if line = strings.TrimSpace(line); line != "" {
				b.WriteString("\t" + line + ";\n")
			}
		}
		fmt.Fprintf(&b, "\tst.global.u64 [%%rd5+%d], %%rd30;\n", 8*i*rows)
	}
	b.WriteString("\tret;\n}\n")
	return b.String()
}

// kernel is what the manifest says of an entry, with its input.
type kernel struct {
	name    string
	blocks  int
	threads int
	in      []byte
	out     int // bytes
	text    string
	compare func(gpu, emu, scale []byte) error
	scaled  bool // compare wants the outputs for operands without signs
}

func (g group) kernel() kernel {
	in := g.inputs()
	rows := len(in) / 32
	return kernel{name: g.name, blocks: rows / threads, threads: threads, in: in, out: 8 * rows * len(g.probes), text: g.text(),
		compare: func(gpu, emu, _ []byte) error { return g.check(gpu, emu, in) }}
}

func (g group) check(gpu, emu, in []byte) error {
	rows := len(in) / 32
	var errs []error
	for i, p := range g.probes {
		bad, first := 0, ""
		for r := range rows {
			at := 8 * (i*rows + r)
			x, y := binary.LittleEndian.Uint64(gpu[at:]), binary.LittleEndian.Uint64(emu[at:])
			if p.tol.near(x, y) {
				continue
			}
			if bad++; bad == 1 {
				first = fmt.Sprintf("operands %x: GPU %#x, emulator %#x", [3]uint64{binary.LittleEndian.Uint64(in[32*r:]), binary.LittleEndian.Uint64(in[32*r+8:]), binary.LittleEndian.Uint64(in[32*r+16:])}, x, y)
			}
		}
		if bad > 0 {
			errs = append(errs, fmt.Errorf("%s: %s: %d of %d rows differ, first %s", g.name, p.name, bad, rows, first))
		}
	}
	return errors.Join(errs...)
}
