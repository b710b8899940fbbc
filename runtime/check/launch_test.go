package check

import (
	"fmt"
	"testing"

	"dsac/runtime/plan"
)

// chained is a plan of one launch: g follows f in its blocks and takes the bytes that f leaves,
// h runs beside both.
const chained = `kernel k
region A arena 4096
buf ctl S+0 64 dtype=u8 shape=64 role=control
entry e rows=1
buf x I+0 256
buf a A+0 256
buf b A+0 256 inplace_of=a
buf c A+256 256
launch 0 kernel=k grid=2x1x1 block=32x1x1
op f r=x w=a blocks=1 threads=32 launch=0
op g r=a[0:128]<f>,x w=b blocks=1 threads=32 launch=0
op h r=x w=c par blocks=1 threads=32 launch=0
`

// Of what a launch reads the device gets what the launch does not make, and of what it writes
// counts what is there in the end.
func TestLaunchOfSeveralSteps(t *testing.T) {
	p, err := plan.Parse("chained", []byte(chained))
	if err != nil {
		t.Fatal(err)
	}
	if first, end := stepsOf(p, 1); first != 0 || end != 3 {
		t.Errorf("step 1 runs with steps %d to %d, want 0 to 3", first, end)
	}
	s, err := layOutLaunch(p, 0, 3, plan.Point{N: 1, Len: 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var given []string
	for i := range s.Params {
		given = append(given, fmt.Sprint(s.Params[i].Name, s.Params[i].given))
	}
	want := "[x[{0 256}] a[] a[] x[{0 256}] b[] x[{0 256}] c[] ctl[{0 32} {44 48} {48 52}]]"
	if got := fmt.Sprint(given); got != want {
		t.Errorf("given:\n%s, want\n%s", got, want)
	}
	var effects []string
	for i := range int32(3) {
		one := s.of(p, i)
		for j := range one.Params {
			effects = append(effects, fmt.Sprint(one.Index, one.Params[j].Name, one.Params[j].Effect))
		}
	}
	want = "[0xr 0ascr 0ctlr 1ar 1xr 1bw 1ctlr 2xr 2cw 2ctlr]"
	if got := fmt.Sprint(effects); got != want {
		t.Errorf("steps of the launch: got %s, want %s", got, want)
	}
}
