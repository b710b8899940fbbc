package emu

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"dsac/codegen/ptx"
)

const testHead = ".version 7.8\n.target sm_90\n.address_size 64\n"

// kernelText is an entry k(in, out[, ...]) with plenty of registers around body; %rd1, %rd2,
// %rd3 hold the first three parameters and %r1 the thread's x.
func kernelText(params int, vars, body string) string {
	var b strings.Builder
	b.WriteString(testHead + vars + "\n.visible .entry k(")
	for i := range params {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, ".param .u64 k_param_%d", i)
	}
	b.WriteString(")\n{\n.reg .pred %p<20>;\n.reg .b16 %h<20>;\n.reg .b32 %r<60>;\n.reg .f32 %f<40>;\n.reg .b64 %rd<40>;\n.reg .f64 %fd<20>;\n")
	for i := range params {
		fmt.Fprintf(&b, "ld.param.u64 %%rd%d, [k_param_%d];\n", i+1, i)
	}
	b.WriteString("mov.u32 %r1, %tid.x;\n" + body + "\nret;\n}\n")
	return b.String()
}

func compile(t testing.TB, src string) *Kernel {
	t.Helper()
	m, err := ptx.Parse(src)
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	k, err := Compile(m, m.Entries[0].Name)
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	return k
}

func shape(grid, block uint32) ptx.Launch {
	return ptx.Launch{Grid: [3]uint32{grid, 1, 1}, Block: [3]uint32{block, 1, 1}}
}

// launch runs k and fails the test on an error, not on findings.
func launch(t testing.TB, k *Kernel, l ptx.Launch, params ...Param) *Report {
	t.Helper()
	r, err := k.Launch(LaunchConfig{Launch: l, Params: params}, Options{Target: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func clean(t testing.TB, r *Report) {
	t.Helper()
	if err := r.Err(); err != nil {
		t.Fatalf("findings: %v", err)
	}
}

func words(x ...uint32) []byte {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// apply runs one snippet per row of operands: %rd20.. hold them as 64 bits, %r20.. and %h10..
// their low bits; the result is what the snippet leaves in %rd30.
func apply(t testing.TB, snippet string, rows [][]uint64) []uint64 {
	t.Helper()
	in := make([]byte, 32*len(rows))
	for i, row := range rows {
		for j, x := range row {
			binary.LittleEndian.PutUint64(in[32*i+8*j:], x)
		}
	}
	body := `
mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1; setp.ge.u32 %p1, %r3, ` + fmt.Sprint(len(rows)) + `; @%p1 bra DONE;
mad.wide.u32 %rd4, %r3, 32, %rd1; mad.wide.u32 %rd5, %r3, 8, %rd2;
ld.global.v2.u64 {%rd20, %rd21}, [%rd4]; ld.global.v2.u64 {%rd22, %rd23}, [%rd4+16];
cvt.u32.u64 %r20, %rd20; cvt.u32.u64 %r21, %rd21; cvt.u32.u64 %r22, %rd22; cvt.u32.u64 %r23, %rd23;
cvt.u16.u64 %h10, %rd20; cvt.u16.u64 %h11, %rd21; cvt.u16.u64 %h12, %rd22;
mov.b32 %f20, %r20; mov.b32 %f21, %r21; mov.b32 %f22, %r22;
mov.b64 %fd10, %rd20; mov.b64 %fd11, %rd21; mov.b64 %fd12, %rd22;
` + snippet + `
st.global.u64 [%rd5], %rd30;
DONE:`
	k := compile(t, kernelText(2, "", body))
	out := NewBuffer("out", 8*len(rows))
	n := uint32(len(rows))
	clean(t, launch(t, k, shape((n+63)/64, 64), Param{Buf: BufferOf("in", in), Access: Read}, Param{Buf: out, Access: Write, Cover: []Range{{0, 8 * len(rows)}}}))
	res := make([]uint64, len(rows))
	for i := range res {
		res[i] = binary.LittleEndian.Uint64(out.Data[8*i:])
	}
	return res
}
