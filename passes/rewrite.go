package passes

import "dsac/ir"

// rewriter rebuilds a graph node by node. A pass adds nodes and says which old results the
// new ones stand for; uses of the old ones are redirected as they come by.
type rewriter struct {
	g     *ir.Graph
	users map[*ir.Value][]*ir.Node // of the graph before the pass
	subst map[*ir.Value]ir.Use
	nodes []*ir.Node
}

func rewrite(g *ir.Graph) *rewriter {
	return &rewriter{g: g, users: g.Users(), subst: make(map[*ir.Value]ir.Use)}
}

// visit calls f for every node, its operands already redirected. f returns true when it has
// replaced the node; otherwise the node is kept.
func (r *rewriter) visit(f func(n *ir.Node) bool) {
	for _, n := range r.g.Nodes {
		for i, u := range n.In {
			n.In[i] = r.use(u)
		}
		if !f(n) {
			r.nodes = append(r.nodes, n)
		}
	}
	for i, v := range r.g.Results {
		r.g.Results[i] = r.use(ir.Use{Val: v}).Val
	}
	r.g.Nodes = r.nodes
}

// use follows substitutions; a column selection of a selection is one selection.
func (r *rewriter) use(u ir.Use) ir.Use {
	for {
		s, ok := r.subst[u.Val]
		if !ok {
			return u
		}
		switch {
		case s.Cols == 0:
			u.Val = s.Val
		case u.Cols == 0:
			u = s
		default:
			u = ir.Use{Val: s.Val, Col: s.Col + u.Col, Cols: u.Cols}
		}
	}
}

// add appends a new node that stands at the place of n, with n's label plus a suffix.
func (r *rewriter) add(n *ir.Node, suffix string, op *ir.Op, in []ir.Use, attrs ir.Attrs) *ir.Node {
	tmp := ir.Graph{}
	node, err := tmp.Add(op, in, attrs, ir.Node{Layer: n.Layer, Label: n.Label + suffix, Into: -1, Pos: n.Pos})
	if err != nil {
		panic("BUG: rewriting " + n.String() + ": " + err.Error())
	}
	r.nodes = append(r.nodes, node)
	return node
}

// replace says that the results of new stand for those of old, in order.
func (r *rewriter) replace(old *ir.Node, new ...*ir.Value) {
	for i, v := range old.Out {
		if v.Name != "" && new[i].Name == "" {
			new[i].Name = v.Name
		}
		r.subst[v] = ir.Use{Val: new[i]}
	}
}

// only returns the node that defines u if its op is op, it has this one result read by one
// node, and u takes all columns: then the reader may absorb it.
func (r *rewriter) only(u ir.Use, op *ir.Op) *ir.Node {
	if u.Cols != 0 || u.Val.Kind != ir.Result {
		return nil
	}
	d := u.Val.Def
	if d.Op != op || len(r.users[u.Val]) != 1 || r.isResult(u.Val) {
		return nil
	}
	return d
}

func (r *rewriter) isResult(v *ir.Value) bool {
	for _, x := range r.g.Results {
		if x == v {
			return true
		}
	}
	return false
}
