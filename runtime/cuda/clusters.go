package cuda

import "fmt"

// checkCluster refuses a kernel whose blocks run in clusters where the GPU launches none, and
// launches that they do not fill. Nothing else is needed: the size is a property of the kernel,
// which the driver reads from its code.
func (d *Device) checkCluster(kernel int32) error {
	n, err := d.drv.cluster(d.fns[kernel])
	if err != nil || n <= 1 {
		return err
	}
	if g := d.drv.gpu(); !g.Clusters {
		return fmt.Errorf("it runs in clusters of %d blocks, which %s does not launch: compile the plan with --target sm_80", n, g)
	}
	for i := range d.plan.Launches {
		if l := &d.plan.Launches[i]; l.Kernel == kernel && l.Grid[0]%uint32(n) != 0 {
			return fmt.Errorf("a grid of %d blocks along x for step %s is no multiple of the %d blocks of a cluster: compile the plan again",
				l.Grid[0], d.plan.Str(d.plan.Steps[l.First].Name), n)
		}
	}
	return nil
}
