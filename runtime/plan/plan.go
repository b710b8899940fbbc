// Package plan is the plan form: the one description of a compiled model that the compiler
// writes, the lint reads and a device replays. A plan is steps over buffers with fixed
// offsets; nothing in it is a pointer. It must not import anything but the standard library.
//
// All records have a fixed size and hold no pointers, so that a plan file is used in place.
// Names are indices into Strings, lists are spans of a pool. See docs/spec/alias-faults.md,
// section 1, for the model that the records express.
package plan

// Str is an index into Plan.Strings; 0 is the empty string.
type Str uint32

// Span is a range of a pool: [Off, Off+Len).
type Span struct{ Off, Len uint32 }

// None marks an absent index (buffer, step, entry, source).
const None int32 = -1

// Plan holds every section. The slices may alias a mapped file: treat them as read-only
// unless the plan was made by a Builder or by Clone.
type Plan struct {
	Strings  []string
	Meta     []KV // sorted by key; see meta.go for the keys
	Buckets  []Bucket
	Dyns     []Str // names of per-step scalars that no launch may hold as an immediate (K07)
	Regions  []Region
	Bufs     []Buf
	Entries  []Entry
	Items    []Item
	Steps    []Step
	Operands []Operand
	Expects  []int32 // pool of step indices: expected definitions
	Attrs    []Attr  // pool
	Launches []Launch
	Kernels  []Kernel
	Weights  []Weight
	Sources  []Source
	Pads     []uint64 // per buffer: offset in the padded placement (canaries, check); empty if none
	Blob     []byte   // kernel texts and cubins
}

// KV is one fact about the whole plan, such as arch=glm-dsa.
type KV struct{ Key, Val Str }

// Bucket is a shape bucket: Need is what the entries use, Max what the offsets were computed for (T04).
type Bucket struct {
	Name      Str
	_         uint32
	Need, Max uint64
}

// RegionKind says who owns the bytes of a region and how long they live.
type RegionKind uint8

// Region kinds, as in docs/spec/alias-faults.md section 1.
const (
	Arena RegionKind = iota // temporaries, undefined at the start of a step
	In                      // written by the host before a step
	Out                     // read by the host after a step
	Const                   // weights: written by entry load only
	State                   // survives the step: caches, counters
	Host                    // pinned host memory
	Sym                     // peer-visible memory
)

// Region is one allocation of a device.
type Region struct {
	Name Str
	Kind RegionKind
	_    [3]byte
	Size uint64 // bytes
	Gen  uint64 // generation; a captured graph must name the same one (K06)
}

// Role says who may read a buffer.
type Role uint8

// Roles. A Control buffer is read implicitly by every step of its plan (bytes [0, CtlRead)).
const (
	Temp    Role = iota
	Result       // read outside the plan
	Scratch      // undefined before and after its op
	Diag         // may stay unread; carries why=
	Control      // the control buffer, see control.go
)

// BufFlags are properties of a buffer without a value.
type BufFlags uint8

// Buffer flags, named as in the text form.
const (
	Stride0 BufFlags = 1 << iota // several logical elements share a byte (S09)
	GrpBuf                       // holds a shared top-k list (K04)
	Parity                       // half of a double buffer (K08)
)

// Buf is a range of a region with a meaning.
type Buf struct {
	Name      Str
	Region    int32
	Entry     int32 // entry that owns it, or None: shared by all
	Parent    int32 // of=: this buffer is a view of Parent
	InplaceOf int32 // inplace_of=: shares its bytes with that buffer by request
	Layer     int32 // owner layer of a state buffer, or None
	LifeLo    int32 // declared live interval in step indices of the entry, half-open; None if undeclared
	LifeHi    int32
	Off, Size uint64 // bytes from the region's start; Size is the footprint
	Align     uint64 // bytes that the users need, 0 = 1
	DType     Str    // "f32", "i32", a quantisation type, or a packed record "a|b"
	Layout    Str    // named byte order; "" = row-major
	Shape     [4]uint32
	Dims      uint8 // used entries of Shape, outermost first
	Role      Role
	Flags     BufFlags
	HasValid  bool
	_         uint32
	Valid     Lin  // bytes of a state buffer that are defined when a step starts, if HasValid
	Attrs     Span // the rest: pair=, inv=, why=, ...
}

// Entry is one way into the plan: load, decode or prefill for at most Rows rows.
type Entry struct {
	Name  Str
	Rows  uint32 // T: largest n
	Outs  uint32 // R: rows of logits
	Items Span   // execution order, into Items
	Steps Span   // its steps, into Steps, contiguous
	_     uint32
	Arena uint64 // bytes of the arena that it uses
}

// ItemKind tells what an Item is.
type ItemKind uint8

// Item kinds. Fields that a kind does not mention are unused and zero in a canonical plan.
const (
	DoStep   ItemKind = iota // run step Index, on the stream that the step names
	Record                   // record event Name on Stream
	Wait                     // make Stream wait for event Name
	NextStep                 // the text form's "step": all that follows belongs to the next step
)

// Item is one element of an entry's order.
type Item struct {
	Kind   ItemKind
	_      [3]byte
	Stream Str // "" = main
	Name   Str // event
	Index  int32
}

// StepFlags are properties of a step without a value, named as in the text form.
type StepFlags uint32

// Step flags.
const (
	EW      StepFlags = 1 << iota // alias contract: element-wise, same strides
	RF                            // alias contract: reads everything first
	Linear                        // lin: linear in its partial-sum operands
	XRow                          // mixes rows
	Init                          // an initialiser: its definition may be overwritten unread
	PDL                           // launched with programmatic dependent launch
	GW                            // waits for the grid before its first global access
	MayRead                       // reads may touch undefined bytes that are masked before use
	Prev                          // must see the previous step's definition
	Idx32                         // forms addresses in 32 bits
	Unk                           // PTX: a store of unknown provenance
	Par                           // begins a part of its launch: runs in blocks of its own, beside the steps of the launch before it
)

// Step is one op applied to explicit operands.
type Step struct {
	Name     Str // label, unique in its entry
	Op       Str // op table name; "" in hand-written plans
	Stream   Str // "" = main
	Flags    StepFlags
	Operands Span
	Attrs    Span  // op attributes and the catalogue's keys (layer, grp, coll, dist, ...), sorted by key
	Source   int32 // into Sources, or None
	Launch   int32 // into Launches, or None
}

// Effect is what a step does to the bytes of an operand.
type Effect uint8

// Effects, in the order in which operands of a step must appear.
const (
	R   Effect = iota // reads
	RW                // in place
	Acc               // adds into defined bytes
	W                 // writes all of the range, old bytes irrelevant
	Scr               // undefined before and after
)

// Operand is a buffer range with an effect. A device binds the whole buffer; Lo and Hi say
// which bytes are touched. Cols > 0 selects columns [Col, Col+Cols) of each innermost row
// (reads only: the effect stays the whole byte range).
type Operand struct {
	Buf    int32
	Effect Effect
	Late   bool // still read after the op's first write (S06)
	_      [2]byte
	DType  Str // "" = the buffer's
	Layout Str // "" = the buffer's
	Col    uint32
	Cols   uint32
	Expect Span // into Expects: the steps that may have defined these bytes
	Lo, Hi Lin  // byte range from the buffer's start; Hi = Whole means all of it
}

// AttrKind tells how Attr.Val is read.
type AttrKind uint8

// Attribute kinds.
const (
	Int   AttrKind = iota // int64 bits
	Float                 // float64 bits
	Text                  // a Str
)

// Attr is a key with a value.
type Attr struct {
	Key  Str
	Kind AttrKind
	_    [3]byte
	Val  uint64
}

// Launch is one kernel launch: one or more consecutive steps. A step that begins a part (Par)
// runs at the same time as the parts before it; any other follows the step before it in the same
// blocks, behind a barrier of the block: its block x may use what block x of that step wrote.
// With several steps, each says how many blocks and threads are its own (KeyBlocks,
// KeyThreads): the parts have the blocks of the launch in turn, and the threads from the first.
type Launch struct {
	Entry  int32
	First  int32 // first step
	Count  int32
	Kernel int32 // into Kernels, or None on a device without kernels
	Grid   [3]uint32
	Block  [3]uint32
	Shared uint32 // dynamic shared memory, bytes
	_      uint32
}

// Kernel is one compiled entry point. Its parameters are one u64 per operand in operand
// order, then the control buffer.
type Kernel struct {
	Name   Str
	Params Span // into Attrs: the key is the parameter's number, the value its name, because compilers drop names
	PTX    Span // into Blob
	Cubin  Span // into Blob, empty if none
	Regs   uint32
	Shared uint32 // static shared memory, bytes
}

// Weight binds a GGUF tensor to a buffer in a const region.
type Weight struct {
	Name   Str // GGUF tensor name
	Type   Str // its quantisation type
	Layout Str // transform applied at load; "gguf" = the file's own bytes
	Buf    int32
	Dims   [4]uint64 // GGUF order, innermost first; unused are 1
	// A sharded weight holds elements [Lo, Hi) of GGUF dimension Axis; Axis None = all of it.
	Axis   int32
	_      uint32
	Lo, Hi uint64
}

// Source is a place in a DSL file.
type Source struct {
	File, Text Str // Text is the line
	Line, Col  uint32
}
