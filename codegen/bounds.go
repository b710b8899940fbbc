package codegen

// MinBlocks says how many blocks of the kernel a multiprocessor should hold at least: the
// assembler keeps the registers of a thread within what that leaves, and uses all of it where
// they would spill otherwise.
func (k *K) MinBlocks(n int) { k.m.annotate(k.f, "minctasm", n) }
