package passes

import (
	"sort"
	"strings"

	"dsac/ir"
	"dsac/passes/lint"
	"dsac/runtime/plan"
)

// add appends a step and its launch, or the step to the launch of its group.
func (x *entryEmitter) add(op *ir.Op, label string, operands []plan.Operand, attrs []plan.Attr, source int32) {
	p := x.b.P
	attrs = append(attrs, x.bound(operands)...)
	index := int32(len(p.Steps))
	at := int(index) - int(x.first)
	in := x.u.launchOf(at)
	if in.lo < in.hi { // kernels will say how much of the launch it has
		attrs = append(attrs, x.b.IntAttr(plan.KeyBlocks, 0), x.b.IntAttr(plan.KeyThreads, 0))
	}
	sort.Slice(attrs, func(i, j int) bool { return p.Strings[attrs[i].Key] < p.Strings[attrs[j].Key] })
	st := plan.Step{
		Name: x.b.Str(label), Op: x.b.Str(op.Name), Flags: Flags(op),
		Operands: x.b.AddOperands(operands), Attrs: x.b.AddAttrs(attrs),
		Source: source, Launch: int32(len(p.Launches)),
	}
	if at == in.lo {
		p.Launches = append(p.Launches, plan.Launch{Entry: x.index, First: index, Count: 1, Kernel: plan.None})
	} else {
		st.Launch--
		p.Launches[st.Launch].Count++
		if in.begins {
			st.Flags |= plan.Par
		}
	}
	p.Steps = append(p.Steps, st)
}

// Flags returns the step flags that an op's declaration implies. A plan whose steps say
// otherwise was tampered with.
func Flags(op *ir.Op) plan.StepFlags {
	var f plan.StepFlags
	for _, a := range op.Alias {
		switch a.By {
		case ir.ElementWise:
			f |= plan.EW
		case ir.ReadsFirst:
			f |= plan.RF
		}
	}
	for _, o := range op.Operands {
		if o.Partial {
			f |= plan.Linear
		}
	}
	if op.CrossRow {
		f |= plan.XRow
	}
	return f
}

// tpGroup names the group of all ranks.
const tpGroup = "tp"

// attrs are the op's attributes, the layer, and the group of a shared list.
func (x *entryEmitter) attrs(n *ir.Node) []plan.Attr {
	var out []plan.Attr
	for _, a := range n.Attrs {
		switch v := a.Val.(type) {
		case int64:
			out = append(out, x.b.IntAttr(a.Name, v))
		case float64:
			out = append(out, x.b.FloatAttr(a.Name, v))
		case string:
			out = append(out, x.b.TextAttr(a.Name, v))
		}
	}
	if n.Layer >= 0 {
		out = append(out, x.b.IntAttr("layer", int64(n.Layer)))
	}
	if n.Dist {
		out = append(out, x.b.TextAttr("dist", tpGroup))
	}
	if n.Op.Collective != "" {
		out = append(out, x.b.TextAttr("coll", n.Op.Collective+":"+tpGroup))
	}
	if g := group(n); g != "" {
		out = append(out, x.b.TextAttr("grp", g))
	}
	return out
}

// group names the shared list that a node makes or takes: the label of the node that makes it.
func group(n *ir.Node) string {
	for _, o := range n.Op.OutputOperands() {
		if n.Op.Operands[o].Group {
			return n.Label
		}
	}
	for i, o := range n.Op.InputOperands() {
		if n.Op.Operands[o].Group && n.In[i].Val.Kind == ir.Result {
			return n.In[i].Val.Def.Label
		}
	}
	return ""
}

// bound names the buffers that expected definitions cannot pin down: weights, inputs, and
// outputs of ops with several. The lint compares them with what the operands are bound to.
func (x *entryEmitter) bound(os []plan.Operand) []plan.Attr {
	var takes, gives []string
	for i := range os {
		name := x.b.P.Str(x.b.P.Bufs[os[i].Buf].Name)
		switch {
		case os[i].Effect == plan.R && lint.Ambiguous(x.b.P, &os[i]):
			takes = append(takes, name)
		case os[i].Effect == plan.W:
			gives = append(gives, name)
		}
	}
	var out []plan.Attr
	if takes != nil {
		out = append(out, x.b.TextAttr("takes", strings.Join(takes, ",")))
	}
	if len(gives) > 1 {
		out = append(out, x.b.TextAttr("gives", strings.Join(gives, ",")))
	}
	return out
}
