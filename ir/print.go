package ir

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Print writes the one text of g. It renumbers the values. The text is read back by Parse.
//
//	graph step {
//		arg %0 = input "ids" : i32[T]
//		arg %1 = weight "blk.0.attn_norm.weight" : f32[256]
//		arg %2 = state "latent.0" layer 0 : kv[Cx192]
//		%3 = rmsnorm %0, %1 {eps: 1e-05} : f32[Tx256] @ "l0.a" layer 0 at "m.dsl":12:5 "a = ..."
//		return %3
//	}
func Print(w io.Writer, g *Graph) error {
	g.Renumber()
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "graph %s {\n", g.Name)
	for _, v := range g.Args {
		fmt.Fprintf(b, "\targ %%%d = %s %q%s%s : %s%s\n", v.ID, kindNames[v.Kind], v.Name, layerText(v.Layer), shardText(v.Shard), v.Type, posText(v.Pos))
	}
	for _, n := range g.Nodes {
		b.WriteByte('\t')
		b.WriteString(nodeText(n))
		b.WriteByte('\n')
	}
	ids := make([]string, len(g.Results))
	for i, v := range g.Results {
		ids[i] = fmt.Sprintf("%%%d", v.ID)
	}
	fmt.Fprintf(b, "\treturn %s\n}\n", strings.Join(ids, ", "))
	return b.Flush()
}

// Text returns the text of g.
func (g *Graph) Text() string {
	var b strings.Builder
	if err := Print(&b, g); err != nil {
		panic("BUG: printing to memory: " + err.Error())
	}
	return b.String()
}

var kindNames = [...]string{Result: "result", Input: "input", Weight: "weight", State: "state"}

// String is the short form of a node for messages: its label and op.
func (n *Node) String() string { return n.Label + " (" + n.Op.Name + ")" }

func nodeText(n *Node) string {
	var b strings.Builder
	for i, v := range n.Out {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%%%d", v.ID)
	}
	b.WriteString(" = " + n.Op.Name)
	for i, u := range n.In {
		sep := ", "
		if i == 0 {
			sep = " "
		}
		fmt.Fprintf(&b, "%s%%%d", sep, u.Val.ID)
		if u.Cols > 0 {
			fmt.Fprintf(&b, "{%d:%d}", u.Col, u.Col+u.Cols)
		}
	}
	if a := n.Attrs.String(); a != "" {
		b.WriteString(" " + a)
	}
	b.WriteString(" :")
	for i, v := range n.Out {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + v.Type.String())
	}
	if n.Label != "" {
		b.WriteString(" @ " + strconv.Quote(n.Label))
	}
	b.WriteString(layerText(n.Layer))
	if n.Into >= 0 {
		fmt.Fprintf(&b, " into %d", n.Into)
	}
	if n.Dist {
		b.WriteString(" dist")
	}
	b.WriteString(posText(n.Pos))
	return b.String()
}

func layerText(l int) string {
	if l < 0 {
		return ""
	}
	return fmt.Sprintf(" layer %d", l)
}

func shardText(s int) string {
	if s == 0 {
		return ""
	}
	return fmt.Sprintf(" shard %d", s-1)
}

func posText(p Pos) string {
	if p.File == "" {
		return ""
	}
	return fmt.Sprintf(" at %q %d %d %q", p.File, p.Line, p.Col, p.Text)
}
