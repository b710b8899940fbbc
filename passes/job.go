package passes

import (
	"dsac/codegen"
	kern "dsac/codegen/kernels"
	"dsac/ir"
	"dsac/runtime/quant"
)

// job is a node with what the batch pass asks of it.
type job struct {
	node   *ir.Node
	launch codegen.Launch
	apart  bool // its kernel, or the lack of one, does not run inside another
	hot    bool // most of a step's time goes to kernels like it
	heavy  bool // it is busy with reading or writing memory
	room   int  // shared memory of a multiprocessor, in bytes
	waits  int  // jobs that it waits for and that are not placed
	next   []*job
	tail   int // jobs on the longest way to the end
}

// heavyBytes is how much memory a kernel must touch to take longer than to start it.
const heavyBytes = 1 << 20

// jobs returns the jobs that wait for nothing; the others follow from them.
func jobs(u *Unit) (ready []*job) {
	next, waits := dependences(u.G)
	of := make(map[*ir.Node]*job, len(u.G.Nodes))
	for _, n := range u.G.Nodes {
		of[n] = u.job(n)
		of[n].waits = waits[n]
	}
	for i := len(u.G.Nodes) - 1; i >= 0; i-- {
		j := of[u.G.Nodes[i]]
		for _, n := range next[j.node] {
			j.next = append(j.next, of[n])
			j.tail = max(j.tail, of[n].tail+1)
		}
		if j.waits == 0 {
			ready = append(ready, j)
		}
	}
	return ready
}

func (u *Unit) job(n *ir.Node) *job {
	j := &job{node: n, apart: true}
	s, bytes, err := u.spec(n)
	if err != nil {
		return j
	}
	s.Part = true // what is asked is whether it can be one
	k, err := kern.Make(s)
	if err != nil {
		return j
	}
	j.launch, j.hot, j.heavy = k.Launch, kern.Hot(n.Op.Name), bytes > heavyBytes
	j.apart = k.Launch.Joinable() != ""
	j.room = s.Target.SharedBlock + reserved
	return j
}

// reserved is what a block takes of the shared memory of a multiprocessor beside its own, in
// bytes. The largest block that a target allows has a multiprocessor to itself.
const reserved = 1 << 10

// resident is how many threads of hot kernels a multiprocessor should hold: what their register
// bounds are made for.
const resident = 512

// fit says whether j may run in one launch with the others: no hot kernel has idle threads
// beside it, or less room on a multiprocessor than it has alone.
func fit(with []*job, j *job) bool {
	all := append([]*job{j}, with...)
	threads, shared := 0, uint32(0)
	for _, o := range all {
		if o.apart {
			return false
		}
		threads, shared = max(threads, o.launch.Threads()), max(shared, o.launch.Shared)
	}
	for _, o := range all {
		if !o.hot {
			continue
		}
		want := (resident + threads - 1) / threads
		if o.launch.Threads() != threads || o.blocks(shared) < min(want, o.blocks(o.launch.Shared)) {
			return false
		}
	}
	return true
}

// blocks is how many blocks of so much shared memory a multiprocessor holds.
func (j *job) blocks(shared uint32) int { return j.room / (int(shared) + reserved) }

// spec describes a node to the kernel table, as far as that can be told before its operands
// have places, and counts the bytes of its operands.
func (u *Unit) spec(n *ir.Node) (*codegen.Spec, uint64, error) {
	s := &codegen.Spec{Op: n.Op.Name, Rows: u.Bind.T, Context: u.Bind.C, Target: u.Opt.target().GPU}
	bytes := uint64(0)
	add := func(t ir.Type, use ir.Use, layout string) error {
		o := codegen.OperandSpec{DType: string(t.DType), Col: use.Col, Cols: use.Cols, Layout: layout}
		for _, d := range t.Shape() {
			o.Shape = append(o.Shape, u.Bind.Extent(d))
		}
		s.Operands = append(s.Operands, o)
		q, err := quant.Parse(o.DType)
		if err != nil {
			return err
		}
		row, err := q.RowBytes(o.Width())
		bytes += uint64(row) * uint64(u.Bind.Elems(t)/max(1, o.Width()))
		return err
	}
	ins, outs := 0, 0
	scratch := []ir.Type(nil)
	if n.Op.Scratch != nil {
		scratch = n.Op.Scratch(n.InTypes(), n.Attrs, u.Bind)
	}
	for i := range n.Op.Operands {
		o := &n.Op.Operands[i]
		var err error
		switch o.Effect {
		case ir.Write:
			v := n.Out[outs].Storage()
			outs++
			err = add(v.Type, ir.Use{}, "")
		case ir.Scratch:
			err = add(scratch[0], ir.Use{}, "")
			scratch = scratch[1:]
		default:
			use := n.In[ins]
			ins++
			v, layout := use.Val.Storage(), ""
			if v.Kind == ir.Weight {
				if layout, err = u.layoutOf(o, v); err != nil {
					return nil, 0, err
				}
				if layout == fileLayout {
					layout = ""
				}
			}
			err = add(v.Type, use, layout)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	s.Attrs = n.Attrs
	return s, bytes, nil
}
