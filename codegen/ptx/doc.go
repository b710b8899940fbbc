// Package ptx reads, prints and judges PTX: the text that llc emits for a plan's kernels.
//
// Parse turns a module into Entries of instructions with resolved registers and labels; String
// prints it back (parsing that gives the same module). Check holds it against the instruction
// table and a target; Analyze traces every load and store of an entry to the kernel parameter
// it goes through, with byte ranges, for one launch shape (spec alias-faults.md section 8).
//
// It works from the text alone and must not import the code that emitted it, nor anything else
// of this module: an independent opinion is its whole value.
package ptx
