package codegen

// MinBlocks says how many blocks a multiprocessor must be able to hold at once: it bounds the
// registers of a thread. With 1 the assembler does not trade registers for more blocks.
func (k *K) MinBlocks(n int) { k.m.annotate(k.f, "minctasm", n) }
