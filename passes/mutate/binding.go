package mutate

import "dsac/runtime/plan"

// Operators that bind an operand to the wrong buffer. Expected definitions stay: the front end
// knew what it wanted, the plan says something else. "silent" variants lose them too.
var bindingOperators = []Operator{
	{"swap-inputs", "exchange the buffers of two inputs of one step", swapInputs},
	{"read-other-temp", "read another temporary of the same size", func(m *mutant) bool { return m.rebindRead(false) }},
	{"read-other-temp-silent", "the same, with the expectation erased", func(m *mutant) bool { return m.rebindRead(true) }},
	{"read-older-value", "read the value that the residual had a step earlier", readOlder},
	{"retarget-output", "write to another temporary of the same size", retarget},
	{"retarget-to-result", "write a temporary over a result", retargetResult},
	{"swap-outputs", "exchange the output buffers of two steps", swapOutputs},
	{"swap-weights", "exchange two weights of the same size", swapWeights},
	{"wrong-layer-weight", "read the same weight of another layer", wrongLayerWeight},
	{"wrong-layer-read", "read the cache of another layer", func(m *mutant) bool { return m.otherCache(cacheRead) }},
	{"wrong-layer-append", "append to the cache of another layer", func(m *mutant) bool { return m.otherCache(cacheWrite) }},
	{"stale-list", "take the top-k list of another group", staleList},
	{"in-place", "write the output over an input", inPlace},
	{"output-to-input-region", "write a temporary into an input or state buffer", outputToShared},
	{"dtype", "read a buffer as another element type", func(m *mutant) bool { return m.reinterpret(func(o *plan.Operand) { o.DType = m.str("bf16") }) }},
	{"layout", "read a buffer in another layout", func(m *mutant) bool { return m.reinterpret(func(o *plan.Operand) { o.Layout = m.str("rope_nope") }) }},
	{"drop-contract", "an op in place loses its alias contract", dropContract},
	{"late", "a fused op reads an input after its first write", lateInput},
}

// bind changes the buffer of an operand; ranges are those of whole live rows, so that equal
// sizes keep their meaning.
func (m *mutant) bind(s site, buf int32) { m.at(s).Buf = buf }

func swapInputs(m *mutant) bool {
	reads := m.sites(func(o *plan.Operand, _ *plan.Buf, _ plan.RegionKind) bool { return o.Effect == plan.R })
	s, ok := pick(m, reads)
	if !ok {
		return false
	}
	var others []site
	for _, r := range reads {
		if r.step == s.step && m.at(r).Buf != m.at(s).Buf {
			others = append(others, r)
		}
	}
	t, ok := pick(m, others)
	if !ok {
		return false
	}
	a, b := m.at(s), m.at(t)
	a.Buf, b.Buf, a.Lo, b.Lo, a.Hi, b.Hi = b.Buf, a.Buf, b.Lo, a.Lo, b.Hi, a.Hi
	return true
}

// others returns temporaries of the same size as b and another name.
func (m *mutant) others(b int32) []int32 {
	return m.buffers(func(o *plan.Buf, k plan.RegionKind) bool {
		return temp(o, k) && o.Size == m.Bufs[b].Size && o.Name != m.Bufs[b].Name
	})
}

func (m *mutant) rebindRead(silent bool) bool {
	s, ok := pick(m, m.sites(tempRead))
	if !ok {
		return false
	}
	b, ok := pick(m, m.others(m.at(s).Buf))
	if ok {
		m.bind(s, b)
		if silent {
			m.at(s).Expect = plan.Span{}
		}
	}
	return ok
}

func readOlder(m *mutant) bool {
	s, ok := pick(m, m.sites(func(o *plan.Operand, b *plan.Buf, k plan.RegionKind) bool {
		return tempRead(o, b, k) && b.InplaceOf != plan.None
	}))
	if ok {
		m.bind(s, m.buf(s).InplaceOf)
	}
	return ok
}

func retarget(m *mutant) bool {
	s, ok := pick(m, m.sites(tempWrite))
	if !ok {
		return false
	}
	b, ok := pick(m, m.others(m.at(s).Buf))
	if ok {
		m.bind(s, b)
	}
	return ok
}

func retargetResult(m *mutant) bool {
	s, ok := pick(m, m.sites(tempWrite))
	if !ok {
		return false
	}
	b, ok := pick(m, m.buffers(func(b *plan.Buf, k plan.RegionKind) bool { return k == plan.Out && b.Size >= m.buf(s).Size }))
	if ok {
		m.bind(s, b)
	}
	return ok
}

func swapOutputs(m *mutant) bool {
	s, ok := pick(m, m.sites(tempWrite))
	if !ok {
		return false
	}
	t, ok := pick(m, m.sites(func(o *plan.Operand, b *plan.Buf, k plan.RegionKind) bool {
		return tempWrite(o, b, k) && b.Size == m.buf(s).Size && o.Buf != m.at(s).Buf
	}))
	if ok {
		a, b := m.at(s), m.at(t)
		a.Buf, b.Buf = b.Buf, a.Buf
	}
	return ok
}

func swapWeights(m *mutant) bool {
	s, ok := pick(m, m.sites(weightRead))
	if !ok {
		return false
	}
	t, ok := pick(m, m.sites(func(o *plan.Operand, b *plan.Buf, k plan.RegionKind) bool {
		return weightRead(o, b, k) && b.Size == m.buf(s).Size && o.Buf != m.at(s).Buf
	}))
	if ok {
		a, b := m.at(s), m.at(t)
		a.Buf, b.Buf = b.Buf, a.Buf
	}
	return ok
}

func wrongLayerWeight(m *mutant) bool {
	s, ok := pick(m, m.sites(weightRead))
	if !ok {
		return false
	}
	b, ok := pick(m, m.buffers(func(b *plan.Buf, k plan.RegionKind) bool {
		return k == plan.Const && b.Size == m.buf(s).Size && b.Name != m.buf(s).Name
	}))
	if ok {
		m.bind(s, b)
	}
	return ok
}

func (m *mutant) otherCache(keep func(*plan.Operand, *plan.Buf, plan.RegionKind) bool) bool {
	s, ok := pick(m, m.sites(keep))
	if !ok {
		return false
	}
	b, ok := pick(m, m.buffers(func(b *plan.Buf, k plan.RegionKind) bool {
		return k == plan.State && b.Layer != plan.None && b.Layer != m.buf(s).Layer && b.Size == m.buf(s).Size
	}))
	if ok {
		m.bind(s, b)
	}
	return ok
}

func staleList(m *mutant) bool {
	s, ok := pick(m, m.sites(func(o *plan.Operand, b *plan.Buf, k plan.RegionKind) bool {
		return o.Effect == plan.R && b.Flags&plan.GrpBuf != 0
	}))
	if !ok {
		return false
	}
	b, ok := pick(m, m.buffers(func(b *plan.Buf, k plan.RegionKind) bool {
		return b.Flags&plan.GrpBuf != 0 && b.Size == m.buf(s).Size && b.Name != m.buf(s).Name
	}))
	if ok {
		m.bind(s, b)
	}
	return ok
}

// inPlace moves an output onto the bytes of an input of the same step.
func inPlace(m *mutant) bool {
	s, ok := pick(m, m.sites(tempWrite))
	if !ok {
		return false
	}
	t, ok := pick(m, m.sites(func(o *plan.Operand, b *plan.Buf, k plan.RegionKind) bool {
		return tempRead(o, b, k) && b.Size == m.buf(s).Size && b.Off != m.buf(s).Off
	}))
	if !ok {
		return false
	}
	for _, r := range m.sites(tempRead) {
		if r.step == s.step && m.buf(r).Off != m.buf(s).Off {
			t = r
			break
		}
	}
	m.buf(s).Off, m.buf(s).InplaceOf = m.buf(t).Off, m.at(t).Buf
	return true
}

func outputToShared(m *mutant) bool {
	s, ok := pick(m, m.sites(tempWrite))
	if !ok {
		return false
	}
	b, ok := pick(m, m.buffers(func(b *plan.Buf, k plan.RegionKind) bool {
		return (k == plan.In || k == plan.State) && b.Entry == plan.None && b.Size >= m.buf(s).Size
	}))
	if ok {
		m.bind(s, b)
	}
	return ok
}

func (m *mutant) reinterpret(change func(o *plan.Operand)) bool {
	s, ok := pick(m, m.sites(func(o *plan.Operand, b *plan.Buf, k plan.RegionKind) bool {
		return o.Effect == plan.R && k != plan.Const
	}))
	if ok {
		change(m.at(s))
	}
	return ok
}

func dropContract(m *mutant) bool {
	var steps []int32
	for s := m.entry.Steps.Off; s < m.entry.Steps.Off+m.entry.Steps.Len; s++ {
		if m.Steps[s].Flags&(plan.EW|plan.RF) != 0 {
			steps = append(steps, int32(s))
		}
	}
	s, ok := pick(m, steps)
	if ok {
		m.Steps[s].Flags &^= plan.EW | plan.RF
	}
	return ok
}

func lateInput(m *mutant) bool {
	s, ok := pick(m, m.sites(tempRead))
	if ok {
		m.at(s).Late = true
	}
	return ok
}
