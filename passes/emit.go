package passes

import (
	"fmt"
	"sort"

	"dsac/ir"
	"dsac/runtime/plan"
)

// Regions of a plan, in the order of their table.
const (
	regArena int32 = iota
	regIn
	regOut
	regConst
	regState
)

var regionTable = []struct {
	name string
	kind plan.RegionKind
}{{"A", plan.Arena}, {"I", plan.In}, {"O", plan.Out}, {"W", plan.Const}, {"S", plan.State}}

// emitter writes the units of a model into one plan.
type emitter struct {
	b    *plan.Builder
	opt  *Options
	src  Source
	used [5]uint64 // bytes of each region so far
	pads [5]uint64 // the same in the padded placement
	// args are the buffers of inputs, weights and states, by kind and name.
	args map[string]int32
	ctl  int32
	smp  int32
	mask int32
	hist int32
	ids  int32
	srcs map[ir.Pos]int32
}

// emit writes the plan form of all entries. It needs offsets; it leaves a plan in which every
// step has explicit operands, effects and expected definitions; it never allocates two
// shared buffers on the same bytes.
func emit(src Source, opt *Options, units []*Unit) (*plan.Plan, error) {
	e := &emitter{b: plan.NewBuilder(), opt: opt, src: src, args: make(map[string]int32), srcs: make(map[ir.Pos]int32)}
	e.meta()
	for _, r := range regionTable {
		e.b.P.Regions = append(e.b.P.Regions, plan.Region{Name: e.b.Str(r.name), Kind: r.kind})
	}
	if err := e.shared(units); err != nil {
		return nil, err
	}
	shared := e.used
	sharedPads := e.pads
	var most, mostPads [5]uint64
	for _, u := range units {
		e.used, e.pads = shared, sharedPads
		if err := e.entry(u); err != nil {
			return nil, fmt.Errorf("entry %s: %w", u.Entry.Name, err)
		}
		for r := range most {
			most[r] = max(most[r], e.used[r])
			mostPads[r] = max(mostPads[r], e.pads[r])
		}
	}
	for r := range most {
		e.b.P.Regions[r].Size = most[r]
	}
	return e.b.P, kernels(e.b, opt)
}

func (e *emitter) meta() {
	m := e.opt.meta(e.src)
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if m[k] != "" {
			e.b.P.Meta = append(e.b.P.Meta, plan.KV{Key: e.b.Str(k), Val: e.b.Str(m[k])})
		}
	}
}

// place gives a shared or entry buffer the next free bytes of its region.
func (e *emitter) place(b plan.Buf) int32 {
	b.Align = align
	b.Off = e.used[b.Region]
	e.used[b.Region] += alignUp(b.Size)
	return e.put(b)
}

// put appends a buffer whose offset is known, and its place in the padded placement.
func (e *emitter) put(b plan.Buf) int32 {
	pad := e.pads[b.Region]
	if b.Region == regConst {
		pad = b.Off
	} else {
		e.pads[b.Region] = pad + alignUp(b.Size+2*guard)
		pad += guard
	}
	e.b.P.Bufs = append(e.b.P.Bufs, b)
	e.b.P.Pads = append(e.b.P.Pads, pad)
	return int32(len(e.b.P.Bufs) - 1)
}

// guard is the room before and after every buffer of the padded placement, in bytes. It
// keeps the alignment of the buffer.
const guard = align

func (e *emitter) buf(name string, region int32, t ir.Type, bind ir.Bind, size uint64) plan.Buf {
	b := plan.Buf{
		Name: e.b.Str(name), Region: region, Entry: plan.None, Parent: plan.None, InplaceOf: plan.None,
		Layer: plan.None, LifeLo: plan.None, LifeHi: plan.None, Size: size, DType: e.b.Str(string(t.DType)),
		Dims: t.Rank,
	}
	for i, d := range t.Shape() {
		b.Shape[i] = uint32(bind.Extent(d))
	}
	return b
}

func (e *emitter) source(p ir.Pos) int32 {
	if p.File == "" {
		return plan.None
	}
	if i, ok := e.srcs[p]; ok {
		return i
	}
	i := int32(len(e.b.P.Sources))
	e.b.P.Sources = append(e.b.P.Sources, plan.Source{File: e.b.Str(p.File), Text: e.b.Str(p.Text), Line: uint32(p.Line), Col: uint32(p.Col)})
	e.srcs[p] = i
	return i
}
