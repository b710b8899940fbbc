package cuda

import (
	"os"
	"syscall"
	"unsafe"
)

// populateRead is MADV_POPULATE_READ, of Linux 5.14.
const populateRead = 22

// populate brings the pages of a mapped file in, in one call instead of one fault each:
// measured with two readers, 9 to 13 GB/s instead of 2 to 7 from the page cache, and 1.5
// instead of 1.2 from the disk. Where the kernel does not know it, pages come by fault.
func populate(b []byte) {
	page := os.Getpagesize()
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (page - 1)
	if skip < len(b) {
		_ = syscall.Madvise(b[skip:], populateRead)
	}
}
