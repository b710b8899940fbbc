package ops

import "fmt"

// IndexScratch bounds the scratch of index_topk in bytes, whatever the context.
const IndexScratch = 256 << 20

// checkGroups says whether e experts can be cut into groups of which used stay.
func checkGroups(e, groups, used int) error {
	if groups < 1 || e%groups != 0 || groups > 1 && e/groups < 2 {
		return fmt.Errorf("%d experts cannot be cut into %d groups of at least two", e, groups)
	}
	if used < 1 || used > groups {
		return fmt.Errorf("%d of %d groups cannot be used", used, groups)
	}
	return nil
}
