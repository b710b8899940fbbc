package codegen

import (
	"strings"
	"testing"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/metadata"
	"github.com/llir/llvm/ir/types"
)

// Functions read as llir prints them: kernels whose instructions the printer has, and some that
// it leaves to llir.
func TestTextIsThatOfLLIR(t *testing.T) {
	emits := map[string]func(k *K){
		"empty": func(k *K) {},
		"loops and branches": func(k *K) {
			sum := Let(k.F32(0))
			k.For(0, k.Live(), 1, func(i I32) {
				k.IfElse(i.Lt(k.Thread()), func() { sum.Set(sum.Get().Add(k.Arg(0).Elem(i, 4).LdF32())) }, func() { sum.Set(k.F32(1)) })
			})
			k.ReturnIf(k.Thread().ULt(3))
			k.Arg(1).Elem(k.BlockX().Mul(5).Add(k.Lane()), 4).StF32(sum.Get().Mul(sum.Get()).Sub(k.F32(2)))
		},
		"vectors, shared memory and assembly": func(k *K) {
			at := k.Shared("s", 512).Elem(k.Thread(), 16)
			at.StI32x4(k.Arg(0).Elem(k.Thread().And(3).Shl(2).Shr(1).Xor(-7), 16).LdI32x4())
			k.Sync()
			x := at.LdI32x4()
			k.Arg(1).StI32(ShflXor(x[1].Max(0x64006400), 4).UDiv(3).Or(x[2].Neg()))
		},
	}
	for what, emit := range emits {
		m := NewModule(target(t, "sm_120"))
		k := newK(m, "k", []string{"x", "y"})
		k.guard(emit)
		k.finish()
		if m.err != nil {
			t.Fatal(what, m.err)
		}
		got, want := strings.Split(textOf(k.f), "\n"), strings.Split(k.f.LLString(), "\n")
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Errorf("%s: line %d of %d and %d: got %q", what, i+1, len(got), len(want), got[min(i, len(got)-1):min(i+2, len(got))])
				break
			}
		}
	}
}

// What is attached to an instruction is printed with it, also where the printer has the instruction.
func TestAttachmentsArePrinted(t *testing.T) {
	one := constant.NewInt(types.I32, 1)
	sum, wide := ir.NewAdd(one, one), ir.NewZExt(one, types.I64)
	note := ir.Metadata{{Name: "note", Node: &metadata.Tuple{MetadataID: -1}}}
	sum.Metadata, wide.Metadata = note, note
	for _, in := range []ir.Instruction{sum, wide} {
		if got, want := newPrinter().line(in), in.LLString(); got != want || !strings.Contains(got, "!note") {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
