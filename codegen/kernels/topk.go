package kernels

import "dsac/codegen"

// topk: idx[t] = the k largest of x[t], ties to the lower index, ascending; a warp per row.
// Long rows (the indexer's) have a family of their own.
func topk(s *codegen.Spec) (Kernel, error) {
	x, idx := s.Operands[0], s.Operands[1]
	n, count := x.Width(), s.Int("k")
	if err := checkShort(n); err != nil {
		return Kernel{}, err
	}
	return perWarp(s, func(k *codegen.K, row codegen.I32) {
		c := newChoice(k, n, loadRow(k, rowAt(k.Arg(0), x, row), n))
		storeList(k, k.Arg(1).Elem(row, idx.Width()*4), c.take(k, count), count)
	}), nil
}

// storeList writes the numbers of the chosen elements, ascending, to a list of count.
func storeList(k *codegen.K, list codegen.Ptr, chosen []codegen.Pred, count int) {
	at := ranks(k, chosen)
	for s, p := range chosen {
		list.Elem(at[s].Clamp(0, count-1), 4).When(p).StI32(k.Lane().Add(32 * s))
	}
}
