package ptx

func reversePostorder(succ [][]int, root int) []int {
	type frame struct{ node, next int }
	seen := make([]bool, len(succ))
	seen[root] = true
	var post []int
	stack := []frame{{root, 0}}
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.next < len(succ[t.node]) {
			s := succ[t.node][t.next]
			t.next++
			if !seen[s] {
				seen[s] = true
				stack = append(stack, frame{s, 0})
			}
			continue
		}
		post = append(post, t.node)
		stack = stack[:len(stack)-1]
	}
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post
}

// dominators computes immediate dominators by iteration over reverse postorder; -1 for the
// root and for nodes that it does not reach.
func dominators(succ, pred [][]int, rpo []int, root int) []int {
	num := make([]int, len(succ))
	idom := make([]int, len(succ))
	for i := range num {
		num[i], idom[i] = -1, -1
	}
	for i, b := range rpo {
		num[b] = i
	}
	idom[root] = root
	for changed := true; changed; {
		changed = false
		for _, b := range rpo[1:] {
			best := -1
			for _, p := range pred[b] {
				if idom[p] < 0 {
					continue
				}
				if best < 0 {
					best = p
					continue
				}
				for q := p; q != best; {
					if num[q] > num[best] {
						q = idom[q]
					} else {
						best = idom[best]
					}
				}
			}
			if idom[b] != best {
				idom[b], changed = best, true
			}
		}
	}
	idom[root] = -1
	return idom
}

// Dominates reports whether every path to block b goes through block a.
func (f *Flow) Dominates(a, b int) bool {
	for b >= 0 && b != a {
		b = f.IDom[b]
	}
	return b == a
}
