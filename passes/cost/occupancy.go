package cost

import "fmt"

// Limits are what a multiprocessor holds at once (CUDA programming guide, technical
// specifications per compute capability).
type Limits struct {
	Target    string
	Threads   int
	Most      int // blocks
	Registers int // 32-bit
	Shared    int // bytes, of all blocks with what the system takes
}

// The system takes this much shared memory of every block, bytes; registers are given to warps
// in units.
const (
	sharedPerBlock = 1024
	registerUnit   = 256
	warp           = 32
)

// SMLimits lists the targets.
var SMLimits = []Limits{
	{"sm_80", 2048, 32, 65536, 164 << 10},
	{"sm_90", 2048, 32, 65536, 228 << 10},
	{"sm_120", 1536, 24, 65536, 100 << 10},
}

// LimitsOf returns the row of a target; sm_120a has that of sm_120.
func LimitsOf(target string) (*Limits, error) {
	for i := range SMLimits {
		if l := &SMLimits[i]; l.Target == target || l.Target+"a" == target {
			return l, nil
		}
	}
	return nil, fmt.Errorf("the limits of a multiprocessor of target %q are not known", target)
}

// Blocks returns how many blocks of a kernel run on one multiprocessor at once, and what
// bounds it. shared is static and dynamic memory of a block in bytes.
func (l *Limits) Blocks(threads, registers, shared int) (n int, bound string) {
	warps := (threads + warp - 1) / warp
	perWarp := (registers*warp + registerUnit - 1) / registerUnit * registerUnit
	n, bound = l.Most, "blocks"
	for _, c := range []struct {
		n    int
		name string
	}{
		{l.Threads / (warps * warp), "threads"},
		{l.Registers / max(1, perWarp*warps), "registers"},
		{l.Shared / (shared + sharedPerBlock), "shared memory"},
	} {
		if c.n < n {
			n, bound = c.n, c.name
		}
	}
	return n, bound
}
