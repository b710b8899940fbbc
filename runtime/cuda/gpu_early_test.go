//go:build cuda

package cuda

import (
	"strings"
	"testing"
)

// What the driver holds of such a graph must show it. Nothing is launched: the toy's kernels
// do not wait.
func TestGPUCheckFindsEdgesOfTheWrongKind(t *testing.T) {
	d := loadGPU(t, earlyToy(t), Options{})
	if !d.early {
		return // this GPU or its driver knows none
	}
	for _, c := range plantedKinds {
		t.Run(c.name, func(t *testing.T) {
			g := clone(d.entries[0].graph)
			flip(g, c.from, c.to)
			if err := heldAgainstPlan(t, d, g); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
