package plan

// The control buffer: the numbers that change from step to step. It lies in a state region,
// every step reads its first CtlRead bytes, and the last step of an entry (op advance) writes
// the next ones. Offsets in bytes, little-endian.
const (
	CtlPos      = 0  // u64 rows in the caches
	CtlN        = 8  // u64 live rows of this step
	CtlLen      = 16 // u64 pos + n
	CtlSeq      = 24 // u64 sequence slot, 0 for now
	CtlRNG      = 32 // u64 sampler counter: position of the token to draw
	CtlToken    = 40 // i32 last token drawn
	CtlError    = 44 // u32 error bits of kernels
	CtlOverflow = 48 // u32 rows that overflowed a 16-bit format
	CtlAccepted = 52 // u32 rows to advance by; n when nothing was drafted
	CtlRead     = 32 // bytes that every step reads
	CtlSize     = 64
)

// The sampler's parameters, an input buffer. Offsets in bytes.
const (
	SmpTemp    = 0  // f32 temperature; 0 = greedy
	SmpTopK    = 4  // i32, 0 = off
	SmpTopP    = 8  // f32, 1 = off
	SmpMinP    = 12 // f32, 0 = off
	SmpPenalty = 16 // f32 repetition penalty, 1 = off
	SmpSeed    = 24 // u64
	SmpSize    = 64
)
