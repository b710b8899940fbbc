package lint

import (
	"slices"
	"strings"
	"testing"

	"dsac/passes/mutate/synthetic"
	"dsac/runtime/plan"
)

// TestFaultBetweenTheCorners: ranges that move past each other meet for a few values of a
// symbol only, none of which is an end of its bounds.
func TestFaultBetweenTheCorners(t *testing.T) {
	const head = "plan ctx=64\nbuf x I+0 4096\nbuf a A+0 4096\nbuf b A+512 64\nbuf y O+0 4096\n"
	for _, c := range []struct{ name, text, want string }{
		{"a row by its number", "entry e rows=1\nop f r=x w=a init\nop g r=x w=a[64*pos:64*len]\nop h r=a[640:704]<f>,a w=y\n", "D04"},
		{"the row is not in reach", "entry e rows=1\nop f r=x w=a init\nop g r=x w=a[32*pos:32*len]\nop h r=a[2048:2112]<f>,a w=y\n", ""},
		{"a window that slides down with n", "entry e rows=8\nop f r=x w=a init\nop g r=x w=a[4096-512*n:4608-512*n]\nop h r=a[2048:2560]<f>,a w=y\n", "D04"},
		{"another buffer in the way", "entry e rows=8\nop f r=x w=a init\nop g r=x w=b\nop h r=a[512*n:512+512*n]<f>,b<g> w=y\n", "S02 S10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs := Run(parse(t, head+c.text), Options{})
			var got []string
			for _, f := range fs {
				if f.Severity == Error && !slices.Contains(got, f.Code) {
					got = append(got, f.Code)
				}
			}
			slices.Sort(got)
			if want := strings.Fields(c.want); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// TestCompiledPlansHaveNoCrossings: they cost nothing where ranges start at fixed bytes or move
// in step.
func TestCompiledPlansHaveNoCrossings(t *testing.T) {
	p := parse(t, synthetic.Text(synthetic.Options{Layers: 3, Entries: 8, Ctx: 4096}))
	m := newModel(p, &Options{})
	for e := range p.Entries {
		u := newUnit(m, int32(e))
		if got, want := u.points, corners(int64(u.entry.Rows), m.ctx, u.usesN, u.usesPos); !slices.Equal(got, want) {
			t.Errorf("entry %s: got points %v, want the corners %v", p.Str(u.entry.Name), got, want)
		}
	}
}

// TestMeetAt checks the crossing against trying every value.
func TestMeetAt(t *testing.T) {
	lins := []plan.Lin{plan.Fixed(24), plan.Times(8, plan.SymPos), plan.Times(8, plan.SymLen), {C: 40, K: -4, Sym: plan.SymPos}, {C: 100, K: -6, Sym: plan.SymN}, plan.Times(4, plan.SymN)}
	for _, a := range lins {
		for _, b := range lins {
			for _, pt := range []plan.Point{{N: 1, Pos: 0, Len: 1}, {N: 3, Pos: 7, Len: 10}} {
				var want []int64
				for pos := range int64(32) {
					if q := (plan.Point{N: pt.N, Pos: pos, Len: pos + pt.N}); a.At(q) == b.At(q) {
						want = append(want, pos)
					}
				}
				got, exact, ok := meetAt(a, b, plan.SymPos, pt)
				if len(want) == 1 && (!exact || got != want[0]) || len(want) > 1 && ok || len(want) == 0 && exact && got >= 0 && got < 32 {
					t.Errorf("%s meets %s at n=%d: got pos %d %v, want %v", a, b, pt.N, got, ok, want)
				}
			}
		}
	}
}
