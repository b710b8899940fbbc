package plan

import "syscall"

// mapPopulate has the kernel map all pages at once: they are all hashed anyway.
const mapPopulate = syscall.MAP_POPULATE
