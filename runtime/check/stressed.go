package check

import (
	"context"
	"fmt"

	"dsac/runtime/plan"
)

// stressed is one entry that is run from one state.
type stressed struct {
	*Stress
	entry int
	ids   []int32
	pos   int // before the run
	at    plan.Point

	token int32
	kept  []kept
}

// kept are bytes that outlive the entry and that one of its steps writes: results, rows of
// caches, counts. What the control buffer holds is compared as position and token.
type kept struct {
	buf       int32
	off       uint64
	was, want []byte // before and after a plain run
	got       []byte
}

// record finds what the entry leaves behind, and runs it plainly.
func (r *stressed) record(ctx context.Context) error {
	p := r.plan
	for _, st := range p.EntrySteps(&p.Entries[r.entry]) {
		for _, o := range p.Ops(&st) {
			b := &p.Bufs[o.Buf]
			kind := p.Regions[b.Region].Kind
			if o.Effect == plan.R || o.Effect == plan.Scr || kind != plan.State && kind != plan.Out || p.Bufs[p.Root(o.Buf)].Role == plan.Control {
				continue
			}
			lo, hi := p.Range(&o, r.at)
			if lo < 0 || hi < lo || hi > int64(b.Size) {
				return fmt.Errorf("step %s: range [%d, %d) of buffer %s of %d bytes", p.Str(st.Name), lo, hi, p.Str(b.Name), b.Size)
			}
			k := kept{o.Buf, uint64(lo), make([]byte, hi-lo), make([]byte, hi-lo), make([]byte, hi-lo)}
			if err := r.dev.ReadAt(k.buf, k.off, k.was); err != nil {
				return err
			}
			r.kept = append(r.kept, k)
		}
	}
	if err := r.run(ctx, plan.None); err != nil {
		return err
	}
	r.token = r.dev.Token()
	for _, k := range r.kept {
		if err := r.dev.ReadAt(k.buf, k.off, k.want); err != nil {
			return err
		}
	}
	return nil
}

// run executes the entry from the recorded state, with a launch delayed unless that is
// plan.None. Temporaries and results are poison before: the last run left the right bytes,
// with which a reader that comes too early would be content.
func (r *stressed) run(ctx context.Context, launch int32) error {
	if err := r.dev.Rewind(r.pos); err != nil {
		return err
	}
	for i := range r.plan.Regions {
		if k := r.plan.Regions[i].Kind; r.plan.Regions[i].Size > 0 && (k == plan.Arena || k == plan.Out) {
			if err := r.dev.FillRegion(int32(i), poisonFloat); err != nil {
				return err
			}
		}
	}
	for _, k := range r.kept {
		if r.plan.Regions[r.plan.Bufs[k.buf].Region].Kind == plan.Out {
			continue
		}
		if err := r.dev.WriteAt(k.buf, k.off, k.was); err != nil {
			return err
		}
	}
	copy(r.dev.IDs(), r.ids)
	if launch == plan.None {
		return r.dev.RunContext(ctx, r.entry, len(r.ids))
	}
	return r.dev.RunDelayed(ctx, r.entry, len(r.ids), launch)
}

// again runs the entry and compares what it leaves behind with that of the first run.
func (r *stressed) again(ctx context.Context, launch int32) error {
	if err := r.run(ctx, launch); err != nil {
		return err
	}
	var differs []string
	f := Finding{Kind: Order, Entry: r.plan.Str(r.plan.Entries[r.entry].Name), Byte: -1}
	if got := r.dev.Token(); got != r.token {
		differs = append(differs, fmt.Sprintf("token %d, was %d", got, r.token))
	}
	if got, want := r.dev.Pos(), r.pos+len(r.ids); got != want {
		differs = append(differs, fmt.Sprintf("position %d, was %d", got, want))
	}
	for _, k := range r.kept {
		if err := r.dev.ReadAt(k.buf, k.off, k.got); err != nil {
			return err
		}
		first, n := difference(k.got, k.want)
		if n == 0 {
			continue
		}
		differs = append(differs, fmt.Sprintf("%d bytes of %s", n, r.plan.Str(r.plan.Bufs[k.buf].Name)))
		if f.Byte < 0 {
			f.Operand, f.Byte = r.plan.Str(r.plan.Bufs[k.buf].Name), int64(k.off)+int64(first)
		}
	}
	if len(differs) > 0 {
		f.Detail = r.label(launch) + ", these differ: " + few(differs)
		r.blame(&f, launch)
		r.rep.add(f, true)
	}
	return nil
}

// difference returns the first place where a and b, of one length, differ, and how many do.
func difference(a, b []byte) (first, n int) {
	for i := range a {
		if a[i] != b[i] {
			if n == 0 {
				first = i
			}
			n++
		}
	}
	return first, n
}
