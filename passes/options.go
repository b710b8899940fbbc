package passes

import (
	"fmt"
	"io"
)

// Options are what a compile may choose. The zero value is not valid: see Check.
type Options struct {
	Target  string // row of the target table
	Ctx     int    // rows of the caches
	Chunk   int    // most rows of a prefill step
	KV      string // element type of the caches: f32, f16, bf16
	TP      int    // ranks that share the weights; 0 and 1: one
	AllRows bool   // prefill gives logits of every row, not of the last one
	Version string // of the compiler, recorded in the plan
	Bare    bool   // no kernels, whatever the target: a plan to be looked at, which no GPU runs

	Skip    map[string]bool // optional passes to leave out
	Shuffle uint64          // not 0: the order of independent nodes is shuffled before schedule; the plan must not change

	Observe func(pass string, u *Unit) error // called after every pass of every entry, which then take turns; or nil
	Stopped func() error                     // asked between passes, by several goroutines: an error ends the compile; or nil
	Log     io.Writer                        // progress, or nil
	Warn    func(msg string)                 // what a user should know of a plan that is right, or nil
}

// kvTypes are the element types that caches may have.
var kvTypes = map[string]bool{"f32": true, "f16": true, "bf16": true}

// Check says what is wrong with the options.
func (o *Options) Check() error {
	switch {
	case Targets[o.Target] == nil:
		return fmt.Errorf("target %q is not known; known are %s", o.Target, TargetNames())
	case o.Ctx < 1:
		return fmt.Errorf("context of %d rows: want at least 1", o.Ctx)
	case o.Chunk < 1:
		return fmt.Errorf("chunk of %d rows: want at least 1", o.Chunk)
	case o.TP < 0 || o.TP > 64:
		return fmt.Errorf("%d ranks: want 1 to 64", o.TP)
	case !kvTypes[o.KV]:
		return fmt.Errorf("cache type %q: want f32, f16 or bf16", o.KV)
	}
	for name := range o.Skip {
		p := find(name)
		if p == nil {
			return fmt.Errorf("no pass is named %q; the passes are %s", name, passNames())
		}
		if p.Required {
			return fmt.Errorf("pass %s cannot be left out", name)
		}
	}
	return nil
}

// decodeRows and prefillRows are the buckets of a plan: a run takes the smallest that holds
// its rows. Decode steps give logits of every row, for drafts.
var (
	decodeRows  = []int{1, 2, 4, 8}
	prefillRows = []int{16, 128, 512}
)

// entries lists the entries of a plan, smallest first.
func (o *Options) entries() []Entry {
	var out []Entry
	for _, t := range decodeRows {
		if t <= o.Ctx {
			out = append(out, Entry{fmt.Sprintf("decode%d", t), t, t})
		}
	}
	add := func(t int) {
		r := 1
		if o.AllRows {
			r = t
		}
		out = append(out, Entry{fmt.Sprintf("prefill%d", t), t, r})
	}
	chunk := min(o.Chunk, o.Ctx)
	for _, t := range prefillRows {
		if t < chunk {
			add(t)
		}
	}
	if chunk > decodeRows[len(decodeRows)-1] {
		add(chunk)
	}
	return out
}
