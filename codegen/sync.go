package codegen

import (
	"fmt"
)

// Sync waits until all threads of the block are here; their shared and global writes are then
// visible to each other.
func (k *K) Sync() {
	if k.window != nil {
		k.window.sync()
		return
	}
	k.asm(barrier, "bar.sync 0;", nil)
}

// SyncPart waits for n threads (a multiple of 32) at barrier id, 1 to 14.
func (k *K) SyncPart(id, n int) { k.asm(barrier, fmt.Sprintf("bar.sync %d, %d;", id, n), nil) }

// SyncWarp waits for the lanes of the warp.
func (k *K) SyncWarp() { k.asm(barrier, fmt.Sprintf("bar.warp.sync %d;", allLanes), nil) }

// Fence orders this thread's writes for all threads of the device.
func (k *K) Fence() { k.asm(ordered, "fence.acq_rel.gpu;", nil) }

// GridWait waits for the kernels that this one depends on, with programmatic launch; without
// it, and on targets that have none, it does nothing.
func (k *K) GridWait() {
	if k.m.Target.PDL() {
		k.asm(ordered, "griddepcontrol.wait;", nil)
	}
}

// GridLaunch allows dependent kernels to start.
func (k *K) GridLaunch() {
	if k.m.Target.PDL() {
		k.asm(ordered, "griddepcontrol.launch_dependents;", nil)
	}
}

// Prefetch asks for the line at p to be brought into the L2 cache.
func (k *K) Prefetch(p Ptr) {
	if p.space != Global {
		k.failf("prefetch from %s memory", spaceNames[p.space])
		return
	}
	k.asm(ordered, "prefetch.global.L2 [$0];", nil, p.v)
}

// Sleep suspends the thread for about ns nanoseconds.
func (k *K) Sleep(ns int) { k.asm(ordered, fmt.Sprintf("nanosleep.u32 %d;", ns), nil) }
