package emu

// Buffer is device memory of the emulator: bytes, and which of them have ever been written.
// Several parameters of a launch may lie in one buffer.
type Buffer struct {
	Name string
	Data []byte
	init []byte // 1 for each byte that holds a value
}

// NewBuffer returns size bytes that nobody has written: reading one is a finding. They hold
// 0xff, which is a NaN in every float type.
func NewBuffer(name string, size int) *Buffer {
	b := &Buffer{Name: name, Data: make([]byte, size), init: make([]byte, size)}
	for i := range b.Data {
		b.Data[i] = 0xff
	}
	return b
}

// BufferOf returns a buffer that holds data, all of it initialised. It keeps the slice.
func BufferOf(name string, data []byte) *Buffer {
	b := &Buffer{Name: name, Data: data, init: make([]byte, len(data))}
	b.MarkInit(0, len(data))
	return b
}

// MarkInit says that bytes [lo, hi) hold values.
func (b *Buffer) MarkInit(lo, hi int) {
	for i := lo; i < hi; i++ {
		b.init[i] = 1
	}
}

// Forget says that bytes [lo, hi) hold nothing any more, and fills them with 0xff.
func (b *Buffer) Forget(lo, hi int) {
	for i := lo; i < hi; i++ {
		b.init[i], b.Data[i] = 0, 0xff
	}
}

// Uninitialised returns the first byte of [lo, hi) that holds no value, or -1.
func (b *Buffer) Uninitialised(lo, hi int) int {
	for i := lo; i < hi; i++ {
		if b.init[i] == 0 {
			return i
		}
	}
	return -1
}

// Range is the half-open byte range [Lo, Hi).
type Range struct{ Lo, Hi int }

// Access says what a launch may do through a parameter.
type Access uint8

// Kinds of access; their union is what the plan declares.
const (
	Read  Access = 1 << iota
	Write        // plain stores
	Accum        // atomics and reductions
)

// Param is what one kernel parameter is bound to: Size bytes of Buf from Off, or a number.
type Param struct {
	Name   string // of the operand, for findings
	Buf    *Buffer
	Off    int
	Size   int    // 0: to the end of Buf
	Value  uint64 // when Buf is nil
	Access Access // 0: Read|Write|Accum

	Reads  []Range // permitted reads, relative to Off; nil: all Size bytes
	Writes []Range // permitted stores and atomics; nil: all Size bytes
	Cover  []Range // must be written by the launch, each byte
	Multi  bool    // bytes may be stored more than once
	Const  bool    // no launch writes the bytes: they may be read ahead of the wait for the grid
}

// view is a bound parameter or module variable in the emulated address space.
type view struct {
	base   uint64 // address of its first byte
	size   uint64
	data   []byte
	init   []byte
	sh     *shadow
	cell0  uint64 // byte offset in the buffer, for the shadow
	param  int    // -1: module variable
	name   string
	access Access
	reads  []Range
	writes []Range
	multi  bool
	early  bool  // may be read ahead of the wait for the grid
	loaded Range // hull of what the launch read; Hi 0: nothing
	stored Range // hull of what it wrote
}

func (r *Range) include(lo, hi uint64) {
	if r.Hi == 0 {
		*r = Range{int(lo), int(hi)}
		return
	}
	r.Lo, r.Hi = min(r.Lo, int(lo)), max(r.Hi, int(hi))
}

// Addresses: window i+1 of 1 TiB belongs to view i, so that a pointer tells its parameter even
// when two parameters lie in one buffer, and no realistic overrun reaches a neighbour. Shared
// and local memory have generic windows of their own.
const (
	windowShift  = 40
	windowStart  = 1 << 20
	sharedWindow = uint64(1) << 60
	localWindow  = uint64(2) << 60
	constWindow  = uint64(3) << 60
)

func inRanges(rs []Range, lo, hi int) bool {
	for _, r := range rs {
		if lo >= r.Lo && hi <= r.Hi {
			return true
		}
	}
	return false
}
