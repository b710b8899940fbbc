package ptx

import (
	"strings"
	"testing"
)

func TestGridWaits(t *testing.T) {
	const wait, guard = "griddepcontrol.wait;", "setp.eq.u32 %p1, %r1, 0;"
	for _, c := range []struct {
		name, body     string
		first, second  string // instruction found early, by parameter
		elsewhere, out string // through no parameter, and at an exit
	}{
		{"first of all", wait + "ld.global.u32 %r3, [%rd1]; st.global.u32 [%rd2], %r1;", "", "", "", ""},
		{"a load before it", "ld.global.u32 %r3, [%rd1];" + wait + "st.global.u32 [%rd2], %r1;", "ld.global.u32 %r3, [%rd1]", "", "", ""},
		{"a store before it", "st.global.u32 [%rd2], %r1;" + wait, "", "st.global.u32 [%rd2], %r1", "", ""},
		{"an atomic before it", "red.global.add.u32 [%rd2], %r1;" + wait, "", "red.global.add.u32 [%rd2], %r1", "", ""},
		{"a copy before it", "cvt.u32.u64 %r3, %rd1; cp.async.ca.shared.global [%r3], [%rd1], 4;" + wait, "cp.async.ca.shared.global [%r3], [%rd1], 4", "", "", ""},
		{"no wait at all", "st.global.u32 [%rd2], %r1;", "", "st.global.u32 [%rd2], %r1", "", "ret"},
		{"not on every path", guard + "@%p1 bra J;" + wait + "J: st.global.u32 [%rd2], %r1;", "", "st.global.u32 [%rd2], %r1", "", "ret"},
		{"on each of two paths", guard + "@%p1 bra J;" + wait + "bra K; J: " + wait + "K: st.global.u32 [%rd2], %r1;", "", "", "", ""},
		{"in a loop that is entered", guard + "J: " + wait + "@%p1 bra J; st.global.u32 [%rd2], %r1;", "", "", "", ""},
		{"in a loop that is left before it", guard + "J: @%p1 bra K;" + wait + "bra J; K: st.global.u32 [%rd2], %r1;", "", "st.global.u32 [%rd2], %r1", "", "ret"},
		{"not by every thread", guard + "@%p1 " + wait + "st.global.u32 [%rd2], %r1;", "", "st.global.u32 [%rd2], %r1", "", "ret"},
		{"before a branch", guard + wait + "@%p1 bra J; add.u32 %r1, %r1, 1; J: st.global.u32 [%rd2], %r1;", "", "", "", ""},
		{"threads leave before it", guard + "@%p1 ret;" + wait + "st.global.u32 [%rd2], %r1;", "", "", "", "@%p1 ret"},
		{"threads leave after it", wait + guard + "@%p1 ret; st.global.u32 [%rd2], %r1;", "", "", "", ""},
		{"of unknown base", "ld.global.u64 %rd5, [%rd1];" + wait + "ld.global.u32 %r3, [%rd5];", "ld.global.u64 %rd5, [%rd1]", "", "", ""},
		{"of unknown base before it", "ld.param.u64 %rd5, [k_param_0]; mul.lo.u64 %rd5, %rd5, %rd5; ld.global.u32 %r3, [%rd5];" + wait, "", "", "ld.global.u32 %r3, [%rd5]", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			sum := analyse(t, entryText("", c.body), 1, 32)
			for _, x := range []struct{ what, got, want string }{
				{"first parameter", sum.Params[0].Early, c.first}, {"second parameter", sum.Params[1].Early, c.second},
				{"no parameter", sum.Early, c.elsewhere}, {"exit", sum.Exit, c.out},
			} {
				if _, got, _ := strings.Cut(x.got, ": "); got != x.want {
					t.Errorf("%s: got %q, want %q", x.what, got, x.want)
				}
			}
		})
	}
}
