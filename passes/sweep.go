package passes

import "dsac/ir"

// sweep removes nodes that nobody needs: no reader, not a result, no state written. It needs
// nothing; it leaves no dead node; it never removes a write to a state.
func sweep(u *Unit) error {
	live := make(map[*ir.Value]bool)
	for _, v := range u.G.Results {
		live[v] = true
	}
	var kept []*ir.Node
	for i := len(u.G.Nodes) - 1; i >= 0; i-- {
		n := u.G.Nodes[i]
		need := false
		for j, v := range n.Out {
			need = need || live[v] || n.StateOf(j) != nil
		}
		if !need {
			continue
		}
		for _, in := range n.In {
			live[in.Val] = true
		}
		kept = append(kept, n)
	}
	for i, j := 0, len(kept)-1; i < j; i, j = i+1, j-1 {
		kept[i], kept[j] = kept[j], kept[i]
	}
	u.G.Nodes = kept
	return nil
}
