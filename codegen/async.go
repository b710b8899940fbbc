package codegen

import (
	"fmt"
)

// CopyAsync starts a copy of size bytes (4, 8 or 16) from global to shared memory. Copies of
// 16 bytes bypass the L1 cache. A source with When copies nothing where it does not hold.
func (k *K) CopyAsync(to, from Ptr, size int) {
	if !k.copyOK(to, from, size) {
		return
	}
	text := fmt.Sprintf("cp.async.%s.shared.global [$0], [$1], %d;", cacheOf(size), size)
	if from.when.v != nil {
		k.asm(ordered, "@$2 "+text, nil, to.v, from.v, from.when.v)
		return
	}
	k.asm(ordered, text, nil, to.v, from.v)
}

// CopyAsyncZero copies the first valid bytes, an I32 from 0 to size, and fills with zeros.
func (k *K) CopyAsyncZero(to, from Ptr, size int, valid I32) {
	if !k.copyOK(to, from, size) {
		return
	}
	k.asm(ordered, fmt.Sprintf("cp.async.%s.shared.global [$0], [$1], %d, $2;", cacheOf(size), size), nil, to.v, from.v, valid.v)
}

func (k *K) copyOK(to, from Ptr, size int) bool {
	if to.space != Shared || from.space != Global || size != 4 && size != 8 && size != 16 {
		k.failf("asynchronous copies are of 4, 8 or 16 bytes from global to shared memory, not %d from %s to %s",
			size, spaceNames[from.space], spaceNames[to.space])
		return false
	}
	return to.own("asynchronous copies do not end")
}

// cacheOf names the cache operator: only 16 bytes may bypass L1.
func cacheOf(size int) string {
	if size == 16 {
		return "cg"
	}
	return "ca"
}

// CopyCommit closes a group of copies.
func (k *K) CopyCommit() { k.asm(ordered, "cp.async.commit_group;", nil) }

// CopyWait waits until at most n of this thread's last groups are under way.
func (k *K) CopyWait(n int) { k.asm(ordered, fmt.Sprintf("cp.async.wait_group %d;", n), nil) }
