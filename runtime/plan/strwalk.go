package plan

// eachStr calls f for every string of p in a fixed order, which is the order of the string
// table of an encoded plan. Text attributes are visited through a copy of their value.
func (p *Plan) eachStr(f func(*Str)) {
	each := func(ss ...*Str) {
		for _, s := range ss {
			f(s)
		}
	}
	for i := range p.Meta {
		each(&p.Meta[i].Key, &p.Meta[i].Val)
	}
	for i := range p.Buckets {
		f(&p.Buckets[i].Name)
	}
	for i := range p.Dyns {
		f(&p.Dyns[i])
	}
	for i := range p.Regions {
		f(&p.Regions[i].Name)
	}
	for i := range p.Bufs {
		each(&p.Bufs[i].Name, &p.Bufs[i].DType, &p.Bufs[i].Layout)
	}
	for i := range p.Entries {
		f(&p.Entries[i].Name)
	}
	for i := range p.Items {
		each(&p.Items[i].Stream, &p.Items[i].Name)
	}
	for i := range p.Steps {
		each(&p.Steps[i].Name, &p.Steps[i].Op, &p.Steps[i].Stream)
	}
	for i := range p.Operands {
		each(&p.Operands[i].DType, &p.Operands[i].Layout)
	}
	var v Str
	for i := range p.Attrs {
		a := &p.Attrs[i]
		f(&a.Key)
		if a.Kind == Text {
			v = Str(a.Val)
			f(&v)
			if v != Str(a.Val) {
				a.Val = uint64(v)
			}
		}
	}
	for i := range p.Kernels {
		f(&p.Kernels[i].Name)
	}
	for i := range p.Weights {
		each(&p.Weights[i].Name, &p.Weights[i].Type, &p.Weights[i].Layout)
	}
	for i := range p.Sources {
		each(&p.Sources[i].File, &p.Sources[i].Text)
	}
}
