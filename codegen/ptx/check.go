package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// refused gives the reason for opcodes that one may expect to work. Prefixes of the opcode.
var refused = []struct{ prefix, why string }{
	{"wgmma.", "only sm_90a has it"},
	{"tcgen05.", "sm_120 has no tensor memory"},
	{"multimem.", "multicast memory is not used"},
	{"cp.async.bulk", "bulk copies leave no address that can be traced to a parameter"},
	{"cp.reduce.async", "bulk copies leave no address that can be traced to a parameter"},
	{"st.async", "only an mbarrier tells when it is done, and those are not used"},
	{"mbarrier.", "only bulk copies need it"},
	{"setmaxnreg", "only sm_90a and sm_100a have it"},
	{"call", "calls are not supported: mark the function alwaysinline"},
}

// Unknown is the error for an instruction that the table does not list.
func (e *Entry) Unknown(in *Instr) error {
	for _, r := range refused {
		if strings.HasPrefix(in.Op, r.prefix) {
			return fmt.Errorf("%s: line %d: %s is refused: %s", e.Name, in.Line, in.Op, r.why)
		}
	}
	return fmt.Errorf("%s: line %d: unknown instruction %s", e.Name, in.Line, in.Op)
}

// Check returns every way in which the module does not suit the target: instructions that the
// table does not list or that need a later target, a .target line later than t, and more static
// shared memory than an entry may have. It does not look at addresses (see Analyze).
func (m *Module) Check(t Target) []error {
	var errs []error
	for _, name := range m.Target {
		digits := strings.TrimRight(strings.TrimPrefix(name, "sm_"), "af")
		sm, err := strconv.Atoi(digits)
		if !strings.HasPrefix(name, "sm_") || err != nil {
			continue
		}
		if sm > t.SM {
			errs = append(errs, fmt.Errorf("module is for %s, which %s does not run", name, t.Name))
		}
		if strings.TrimPrefix(name, "sm_") != digits && name != t.Name {
			errs = append(errs, fmt.Errorf("module is for %s, which runs on that architecture only", name))
		}
	}
	for _, e := range m.Entries {
		for _, s := range e.Body {
			in := s.Instr
			if s.Kind != StmtInstr {
				continue
			}
			if in.Spec == nil {
				errs = append(errs, e.Unknown(in))
			} else if in.Spec.Row.SM > t.SM {
				errs = append(errs, fmt.Errorf("%s: line %d: %s needs sm_%d, target is %s", e.Name, in.Line, in.Op, in.Spec.Row.SM, t.Name))
			}
		}
		if n := e.SharedLayout(0).Static; n > StaticShared {
			errs = append(errs, fmt.Errorf("%s: %d bytes of static shared memory, at most %d allowed", e.Name, n, StaticShared))
		}
	}
	return errs
}

// CheckLaunch returns every way in which the launch exceeds the hardware or the target.
func (e *Entry) CheckLaunch(l Launch, t Target) []error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(e.Name+": "+format, args...)) }
	for i, limit := range [3]uint32{1<<31 - 1, 65535, 65535} {
		if g := l.Grid[i]; g < 1 || g > limit {
			bad("grid %c is %d, want 1 to %d", "xyz"[i], g, limit)
		}
	}
	threads := uint64(1)
	for i, limit := range [3]uint32{1024, 1024, 64} {
		if b := l.Block[i]; b < 1 || b > limit {
			bad("block %c is %d, want 1 to %d", "xyz"[i], b, limit)
		}
		threads *= uint64(l.Block[i])
	}
	if threads > 1024 {
		bad("%d threads per block, at most 1024 allowed", threads)
	}
	for _, d := range e.Perf {
		n := uint64(1)
		for _, a := range d.Args {
			n *= uint64(a)
		}
		if d.Name == "maxntid" && threads > n || d.Name == "reqntid" && threads != n {
			bad("%d threads per block, the kernel says .%s %d", threads, d.Name, n)
		}
	}
	errs = append(errs, e.checkCluster(t)...)
	if n := e.Cluster(); n > 0 && l.Grid[0]%uint32(n) != 0 {
		bad("grid x is %d, no multiple of the %d blocks of a cluster", l.Grid[0], n)
	}
	if n := e.SharedLayout(l.DynShared).Total; n > t.SharedBlock {
		bad("%d bytes of shared memory per block, %s allows %d", n, t.Name, t.SharedBlock)
	}
	return errs
}
