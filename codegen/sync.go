package codegen

import (
	"fmt"
	"slices"

	"github.com/llir/llvm/ir"
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

// SyncPart waits for n threads (a multiple of 32) at barrier id, 1 to 14. All of them come by this one
// place in the code: PTX promises nothing else of bar.sync, which is an aligned barrier.
func (k *K) SyncPart(id, n int) { k.asm(barrier, fmt.Sprintf("bar.sync %d, %d;", id, n), nil) }

// Meet is SyncPart for warps that come from several places.
func (k *K) Meet(id, n int) { k.asm(barrier, fmt.Sprintf("barrier.sync %d, %d;", id, n), nil) }

// SyncWarp waits for the lanes of the warp.
func (k *K) SyncWarp() { k.asm(barrier, fmt.Sprintf("bar.warp.sync %d;", allLanes), nil) }

// Fence orders this thread's writes for all threads of the device.
func (k *K) Fence() { k.asm(ordered, "fence.acq_rel.gpu;", nil) }

// launchFirst puts the permission for dependent kernels to start ahead of the wait: measured, that
// gains nothing, and they take up room on the device while this kernel still waits. Right after
// the wait they have the longest time to fetch weights ahead of theirs.
const launchFirst = false

// GridWait waits until the kernels that this one depends on have ended and their writes can be
// seen. All that a kernel reads or writes in global memory comes after it, with one exception:
// loads of constants, weights for instance, which no kernel of a plan writes. Every thread must
// come by it on every way through the kernel; those that ReturnIf ends before it wait there. A
// kernel that does not call it waits first of all.
// With it the kernels that depend on this one are allowed to start, unless GridLaunch or GridHold
// was called.
// On targets without programmatic launch it does nothing.
func (k *K) GridWait() {
	k.waits = true
	if launchFirst && !k.launches {
		k.launchDependents()
	}
	k.waitForGrid()
	if !launchFirst && !k.launches {
		k.launchDependents()
	}
}

// GridHold keeps GridWait from allowing it: the kernel calls GridLaunch later, or its end does.
func (k *K) GridHold() { k.launches = true }

// GridLaunch allows kernels that depend on this one to start, once all of its blocks have said
// so or have ended. They run beside it and see its writes after their own GridWait. A kernel
// calls it to choose another moment than GridWait does: before that, or later after GridHold.
func (k *K) GridLaunch() {
	k.launches = true
	k.launchDependents()
}

func (k *K) waitForGrid() {
	if k.m.Target.PDL() {
		k.asm(ordered, "griddepcontrol.wait;", nil)
	}
}

func (k *K) launchDependents() {
	if k.m.Target.PDL() {
		k.asm(ordered, "griddepcontrol.launch_dependents;", nil)
	}
}

// waiting runs emit, which makes the kernel or a part of it that some threads take, and puts a
// wait ahead of that unless emit makes one.
func (k *K) waiting(emit func()) {
	start, at, leaving, launches := k.cur, len(k.cur.Insts), k.leaving, k.launches
	k.waits, k.launches, k.leaving = false, false, nil
	emit()
	if !k.waits {
		k.insert(start, at, k.GridWait)
	} else {
		for _, b := range k.leaving {
			k.insert(b, 0, k.waitForGrid)
		}
	}
	k.leaving, k.launches = leaving, launches
}

// insert emits at a place that is not the last one.
func (k *K) insert(b *ir.Block, at int, emit func()) {
	end, rest := k.cur, slices.Clone(b.Insts[at:])
	b.Insts, k.cur = b.Insts[:at], b
	emit()
	b.Insts, k.cur = append(b.Insts, rest...), end
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
