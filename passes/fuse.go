package passes

import "dsac/ir"

// fuse applies the rules of rules.go until none matches. It needs slices folded; it leaves
// one op where a rule matched and the chain is not faster as it is; it never duplicates work:
// every op that a rule absorbs has the fused op as its only reader.
func fuse(u *Unit) error {
	for changed := true; changed; {
		changed = false
		r := rewrite(u.G)
		r.visit(func(n *ir.Node) bool {
			for _, rule := range rules {
				if n.Op != rule.root || rule.apart != nil && rule.apart(u, n) {
					continue
				}
				if rule.apply(r, n) {
					changed = true
					return true
				}
			}
			return false
		})
		if err := sweep(u); err != nil {
			return err
		}
	}
	return nil
}
