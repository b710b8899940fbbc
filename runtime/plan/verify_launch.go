package plan

// maxThreads is the largest block of any device.
const maxThreads = 1024

func (v *verifier) launches() {
	p := v.p
	for i := range p.Launches {
		l := &p.Launches[i]
		first := &p.Steps[l.First]
		if first.Flags&Par != 0 {
			v.bad("launch %d: op %s is the first, there is nothing that it could run beside (par)", i, p.Str(first.Name))
		}
		for s := l.First; s < l.First+l.Count; s++ {
			if p.Steps[s].Stream != first.Stream {
				v.bad("launch %d: ops %s and %s are on different streams", i, p.Str(first.Name), p.Str(p.Steps[s].Name))
			}
		}
		if l.Kernel != None {
			v.kernel(i, l)
		}
	}
	for i := range p.Entries {
		v.unbroken(&p.Entries[i])
	}
}

func (v *verifier) kernel(i int, l *Launch) {
	p, k := v.p, &v.p.Kernels[l.Kernel]
	threads := uint64(1)
	for d := range l.Grid {
		if l.Grid[d] == 0 || l.Block[d] == 0 {
			v.bad("launch %d: grid %v and block %v must not be empty", i, l.Grid, l.Block)
			return
		}
		threads = min(threads*uint64(l.Block[d]), 1<<31)
	}
	if threads > maxThreads {
		v.bad("launch %d: a block of %v is over %d threads", i, l.Block, maxThreads)
	}
	want := uint32(1)
	for s := l.First; s < l.First+l.Count; s++ {
		want += p.Steps[s].Operands.Len
	}
	if k.Params.Len > 0 && k.Params.Len != want {
		v.bad("launch %d: kernel %s has %d parameters, op %s needs %d: one per operand and the control buffer",
			i, p.Str(k.Name), k.Params.Len, p.Str(p.Steps[l.First].Name), want)
	}
	if l.Count > 1 {
		v.shares(i, l, threads)
	}
}

// shares checks that the steps of a launch have blocks and threads that are there.
func (v *verifier) shares(i int, l *Launch, threads uint64) {
	if l.Grid[1] != 1 || l.Grid[2] != 1 || l.Block[1] != 1 || l.Block[2] != 1 {
		v.bad("launch %d: grid %v and block %v of a launch with several ops: want one dimension", i, l.Grid, l.Block)
		return
	}
	blocks := int64(0)
	for s := l.First; s < l.First+l.Count; s++ {
		sh := v.p.Share(s)
		if sh.Hi <= sh.Lo || sh.Threads < 1 || sh.Threads > int64(threads) {
			v.bad("launch %d: op %s has blocks %d to %d and %d of %d threads: %s= and %s= say how many are its own",
				i, v.p.Str(v.p.Steps[s].Name), sh.Lo, sh.Hi, sh.Threads, threads, KeyBlocks, KeyThreads)
			return
		}
		blocks = max(blocks, sh.Hi)
	}
	if blocks != int64(l.Grid[0]) {
		v.bad("launch %d: its parts have %d blocks, the grid has %d", i, blocks, l.Grid[0])
	}
}

// unbroken checks that nothing stands between the steps of a launch.
func (v *verifier) unbroken(e *Entry) {
	p, last, lastIsStep := v.p, None, false
	for _, it := range p.EntryItems(e) {
		if it.Kind == DoStep {
			s := &p.Steps[it.Index]
			if s.Launch != None && s.Launch == last && !lastIsStep {
				v.bad("%s: an event stands inside launch %d", p.where(e, s), last)
			}
			last = s.Launch
		}
		lastIsStep = it.Kind == DoStep
	}
}

func (v *verifier) weights() {
	p := v.p
	for i := range p.Weights {
		w := &p.Weights[i]
		name := p.Str(w.Name)
		if w.Buf == None {
			v.bad("weight %s has no buffer", name)
		} else if r := p.Regions[p.Bufs[w.Buf].Region]; r.Kind != Const {
			v.bad("weight %s lies in region %s of kind %s, want const", name, p.Str(r.Name), r.Kind)
		}
		for _, d := range w.Dims {
			if d == 0 {
				v.bad("weight %s has a dimension of 0", name)
			}
		}
		if w.Axis != None && (w.Lo >= w.Hi || w.Hi > w.Dims[w.Axis]) {
			v.bad("weight %s: part %d:%d of axis %d, which has %d elements", name, w.Lo, w.Hi, w.Axis, w.Dims[w.Axis])
		}
	}
}
