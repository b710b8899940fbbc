package plan

// Attributes of the steps of a launch that has several: how many of its blocks and threads each
// has.
const (
	KeyBlocks  = "blocks"
	KeyThreads = "threads"
)

// Share is the part of a launch that one of its steps runs in: blocks [Lo, Hi), threads
// [0, Threads).
type Share struct{ Lo, Hi, Threads int64 }

// Share returns the part that a step has of its launch of several steps, by their attributes;
// what these do not say is 0.
func (p *Plan) Share(step int32) (s Share) {
	first := p.Launches[p.Steps[step].Launch].First
	for i := first; i <= step; i++ {
		if i == first || p.Steps[i].Flags&Par != 0 {
			s.Lo = s.Hi
			s.Hi += p.intAttr(i, KeyBlocks)
		}
	}
	if n := p.intAttr(step, KeyBlocks); s.Hi-s.Lo != n {
		s.Hi = s.Lo // a step that follows in its part has the same blocks
	}
	s.Threads = p.intAttr(step, KeyThreads)
	return s
}

func (p *Plan) intAttr(step int32, key string) int64 {
	if a, ok := p.FindAttr(p.Steps[step].Attrs, key); ok && a.Kind == Int {
		return min(max(int64(a.Val), 0), 1<<31)
	}
	return 0
}
