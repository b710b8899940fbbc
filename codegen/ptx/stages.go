package ptx

// StageBarrier is the barrier that keeps kernels apart which run one after another in the blocks
// of a larger one.
const StageBarrier = 15

// Stages is how many stage barriers come before an access, on every path: of the accesses through
// one parameter the fewest and the most.
type Stages struct{ Least, Most int }

func (s Stages) with(n int, first bool) Stages {
	if first {
		return Stages{n, n}
	}
	return Stages{min(s.Least, n), max(s.Most, n)}
}

// stage counts the stage barriers that every thread has passed when it comes to block b.
func (f *Flow) stage(b int) int {
	n := 0
	for b = f.IDom[b]; b >= 0; b = f.IDom[b] {
		in := f.Last(b) // barriers end blocks
		if in != nil && in.Spec.Row.Effect == Barrier && in.Guard < 0 && len(in.Args) > 0 && in.Args[0].Kind == OpInt && in.Args[0].Int == StageBarrier {
			n++
		}
	}
	return n
}
