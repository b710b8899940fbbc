package passes

import (
	"fmt"

	"dsac/runtime/plan"
)

// check runs what no option can switch off on a finished plan: the plan form's own verifier.
func check(p *plan.Plan) error {
	if err := plan.Verify(p); err != nil {
		return fmt.Errorf("BUG: the plan does not verify: %w", err)
	}
	return nil
}
