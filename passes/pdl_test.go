package passes

import (
	"fmt"
	"testing"

	"dsac/runtime/plan"
)

func TestWhichStepsStartEarly(t *testing.T) {
	b := plan.NewBuilder()
	p := b.P
	coll := b.AddAttrs([]plan.Attr{b.TextAttr("coll", "ar:tp")})
	steps := []struct {
		launch int32
		attrs  plan.Span
		want   bool
	}{
		{7, plan.Span{}, false}, // another entry's
		{0, plan.Span{}, false}, {0, plan.Span{}, false}, {1, plan.Span{}, true}, {1, plan.Span{}, true},
		{2, coll, false}, {3, plan.Span{}, false}, {4, plan.Span{}, true},
	}
	for i, s := range steps {
		p.Steps = append(p.Steps, plan.Step{Name: b.Str(fmt.Sprint(i)), Launch: s.launch, Attrs: s.attrs})
	}
	x := &entryEmitter{emitter: &emitter{b: b}}
	x.startEarly(1)
	for i, s := range steps {
		if got := p.Steps[i].Flags == plan.PDL|plan.GW; got != s.want {
			t.Errorf("step %d starts early: %v, want %v", i, got, s.want)
		}
	}
}

func TestOnlyTargetsThatWaitStartEarly(t *testing.T) {
	for target, want := range map[string]bool{"host": false, "sm_80": false, "sm_90": true, "sm_120": true} {
		u := &Unit{Opt: &Options{Target: target}}
		if err := pdl(u); err != nil || u.Early != want {
			t.Errorf("%s: early %v, error %v; want %v", target, u.Early, err, want)
		}
	}
}
