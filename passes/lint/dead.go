package lint

import (
	"fmt"
	"strings"

	"dsac/runtime/plan"
)

// deadChains is D02: ops whose outputs are read, but only by ops that are dead themselves. It
// reports the heads; the tail of a chain is a D01. It walks again, for the edges, only if
// there is a tail at all.
func deadChains(u *unit, marks []mark) {
	tails := map[int32]bool{}
	u.definitions(marks, func(step int32, _ *plan.Operand, _ int32, k mark) {
		if k&wasRead == 0 {
			tails[step] = true
		}
	})
	if len(tails) == 0 {
		return
	}
	from := u.readersOf()
	live := u.liveOps(from)
	r := rule("D02")
	for i := range u.execs {
		step := u.execs[i].step
		if live[i] || tails[step] || u.fedByDead(from, live, int32(i)) {
			continue
		}
		chain := u.deadPath(from, int32(i))
		f := u.finding(r, step, none)
		f.Summary = fmt.Sprintf("%s works for nobody: its output ends in %s, which nobody reads", u.m.stepName(step), u.m.stepName(chain[len(chain)-1]))
		var names []string
		for _, s := range chain {
			f.Ops = append(f.Ops, u.m.op(s))
			names = append(names, u.m.stepName(s))
		}
		f.Chain = []string{strings.Join(names, " -> ")}
		u.out.add(f)
	}
}

// readersOf returns, per execution, the executions that read its definitions.
func (u *unit) readersOf() [][]int32 {
	from := make([][]int32, len(u.execs))
	for wi := range u.worlds {
		for pt := range u.points {
			w := &walk{unit: u, point: u.points[pt], world: u.worlds[wi], out: &collector{}, defined: map[int32]bool{}}
			w.edges = func(a, b int32) {
				if n := len(from[a]); n == 0 || from[a][n-1] != b {
					from[a] = append(from[a], b)
				}
			}
			w.run()
		}
	}
	return from
}

// liveOps marks the ops that a result, state, a peer or the host depends on.
func (u *unit) liveOps(from [][]int32) []bool {
	live := make([]bool, len(u.execs))
	for i := len(u.execs) - 1; i >= 0; i-- {
		step := u.execs[i].step
		outputs := 0
		live[i] = u.m.steps[step].coll != ""
		for _, o := range u.m.p.Ops(&u.m.p.Steps[step]) {
			if o.Effect != plan.R && o.Effect != plan.Scr {
				outputs++
				live[i] = live[i] || u.m.persists(o.Buf)
			}
		}
		live[i] = live[i] || outputs == 0
		for _, to := range from[i] {
			live[i] = live[i] || live[to]
		}
	}
	return live
}

func (u *unit) fedByDead(from [][]int32, live []bool, x int32) bool {
	for i := range from[:x] {
		if live[i] {
			continue
		}
		for _, to := range from[i] {
			if to == x {
				return true
			}
		}
	}
	return false
}

// deadPath follows first readers from a dead op to the tail.
func (u *unit) deadPath(from [][]int32, x int32) []int32 {
	path := []int32{u.execs[x].step}
	for len(from[x]) > 0 && from[x][0] > x {
		x = from[x][0]
		path = append(path, u.execs[x].step)
	}
	return path
}
