package ptx

// Effect is what an instruction does beyond writing its destination registers.
type Effect uint8

// Effects.
const (
	Pure    Effect = iota
	Load           // reads memory
	Store          // writes memory
	Atomic         // reads and writes memory in one step, returns the old value
	Reduce         // the same without a result
	Copy           // cp.async: reads global, writes shared, later
	Commit         // closes a cp.async group
	Wait           // waits for cp.async groups
	Barrier        // barrier of the block or the cluster
	Sync           // warp-wide exchange or barrier
	Fence          // orders memory
	Branch         // ends a basic block
	Exit           // ends the thread
	Hint           // no effect on values
)

// Class groups instructions for counting.
type Class uint8

// Classes.
const (
	IntOp Class = iota
	FloatOp
	HalfOp
	SFU
	Convert
	Move
	Memory
	Tensor
	Control
	Warp
	NumClasses
)

var classNames = [NumClasses]string{"int", "float", "half", "sfu", "convert", "move", "memory", "tensor", "control", "warp"}

func (c Class) String() string { return classNames[c] }

// Row describes the opcodes that match Pattern.
//
// Pattern is the opcode with spaces for dots; each word is one modifier, or alternatives split
// by "|", or a set "@name"; "?" at its end makes it optional. The modifiers that name types
// are numbered in order: Args speaks of them.
//
// Args has one word per operand, role and type: roles are d destination, D destination that may
// be wider than the type, s source, S source that may be wider, x and y the same as d and s but
// for vectors (registers or {..}), m memory, l label, q predicate destination (a pair p|q
// allowed), r destination that may be a pair with a predicate; "?" at the end: may be left out.
// Types are 0, 1.. a type of the opcode, w twice as wide as type 0, or a type's name.
type Row struct {
	Pattern string
	Args    string
	Effect  Effect
	Class   Class
	SM      int // least target; 0 means sm_80
}

var sets = map[string]string{
	"@int":   "u16|u32|u64|s16|s32|s64",
	"@bits":  "b16|b32|b64",
	"@any":   "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
	"@mem":   "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f16|f16x2|f32|f64",
	"@cvt":   "u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16|f32|f64",
	"@rnd":   "rn|rz|rm|rp",
	"@irnd":  "rni|rzi|rmi|rpi",
	"@half":  "f16|f16x2|bf16|bf16x2",
	"@cmp":   "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan",
	"@space": "global|shared|shared::cta|local|param|const",
	"@where": "global|shared|shared::cta",
	"@scope": "cta|cluster|gpu|sys",
	"@cache": "ca|cg|cs|cv|lu|wb|wt",
	"@L1":    "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate",
	"@L2":    "L2::64B|L2::128B|L2::256B",
}

// Rows is the instruction table: whatever it does not list is an unknown instruction for the
// checker and for the emulator alike.
var Rows = []Row{
	// integers
	{"add|sub @int", "d0 s0 s0", Pure, IntOp, 0},
	{"add|sub sat s32", "d0 s0 s0", Pure, IntOp, 0},
	{"mul lo|hi @int", "d0 s0 s0", Pure, IntOp, 0},
	{"mul wide u16|s16|u32|s32", "dw s0 s0", Pure, IntOp, 0},
	{"mad lo|hi @int", "d0 s0 s0 s0", Pure, IntOp, 0},
	{"mad wide u16|s16|u32|s32", "dw s0 s0 sw", Pure, IntOp, 0},
	{"div|rem @int", "d0 s0 s0", Pure, IntOp, 0},
	{"min|max @int", "d0 s0 s0", Pure, IntOp, 0},
	{"abs|neg s16|s32|s64", "d0 s0", Pure, IntOp, 0},
	{"sad @int", "d0 s0 s0 s0", Pure, IntOp, 0},
	{"and|or|xor pred|b16|b32|b64", "d0 s0 s0", Pure, IntOp, 0},
	{"not pred|b16|b32|b64", "d0 s0", Pure, IntOp, 0},
	{"shl @bits", "d0 s0 su32", Pure, IntOp, 0},
	{"shr b16|b32|b64|u16|u32|u64|s16|s32|s64", "d0 s0 su32", Pure, IntOp, 0},
	{"shf l|r wrap|clamp b32", "d0 s0 s0 su32", Pure, IntOp, 0},
	{"lop3 b32", "d0 s0 s0 s0 su32", Pure, IntOp, 0},
	{"prmt b32 f4e|b4e|rc8|ecl|ecr|rc16?", "d0 s0 s0 s0", Pure, IntOp, 0},
	{"bfe u32|u64|s32|s64", "d0 s0 su32 su32", Pure, IntOp, 0},
	{"bfi b32|b64", "d0 s0 s0 su32 su32", Pure, IntOp, 0},
	{"popc|clz b32|b64", "du32 s0", Pure, IntOp, 0},
	{"brev b32|b64", "d0 s0", Pure, IntOp, 0},
	{"bfind shiftamt? u32|u64|s32|s64", "du32 s0", Pure, IntOp, 0},
	{"dp4a u32|s32 u32|s32", "du32 s0 s1 su32", Pure, IntOp, 0},
	{"dp2a lo|hi u32|s32 u32|s32", "du32 s0 s1 su32", Pure, IntOp, 0},
	// comparison and selection
	{"setp @cmp ftz? b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|bf16|f32|f64", "q s0 s0", Pure, IntOp, 0},
	{"setp @cmp and|or|xor ftz? b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|bf16|f32|f64", "q s0 s0 spred", Pure, IntOp, 0},
	{"selp @any", "d0 s0 s0 spred", Pure, Move, 0},
	{"selp f16|bf16", "d0 s0 s0 spred", Pure, Move, 0},
	// single and double precision
	{"add|sub|mul @rnd? ftz? sat? f32", "d0 s0 s0", Pure, FloatOp, 0},
	{"add|sub|mul rn? f64", "d0 s0 s0", Pure, FloatOp, 0},
	{"fma|mad @rnd ftz? sat? f32", "d0 s0 s0 s0", Pure, FloatOp, 0},
	{"fma|mad rn f64", "d0 s0 s0 s0", Pure, FloatOp, 0},
	{"div rn ftz? f32", "d0 s0 s0", Pure, FloatOp, 0},
	{"div rn f64", "d0 s0 s0", Pure, FloatOp, 0},
	{"abs|neg ftz? f32", "d0 s0", Pure, FloatOp, 0},
	{"abs|neg f64", "d0 s0", Pure, FloatOp, 0},
	{"min|max ftz? NaN? f32", "d0 s0 s0", Pure, FloatOp, 0},
	{"min|max f64", "d0 s0 s0", Pure, FloatOp, 0},
	{"copysign f32|f64", "d0 s0 s0", Pure, FloatOp, 0},
	{"testp finite|infinite|number|notanumber|normal|subnormal f32|f64", "q s0", Pure, FloatOp, 0},
	// special function unit
	{"rcp @rnd|approx ftz? f32", "d0 s0", Pure, SFU, 0},
	{"sqrt @rnd ftz? f32", "d0 s0", Pure, SFU, 0},
	{"rcp|sqrt rn f64", "d0 s0", Pure, SFU, 0},
	// Of the approximations only these three: sin, cos, lg2, tanh, sqrt, div and halves differ from
	// GPU to GPU by more than two units in the last place, and no kernel needs them.
	{"rsqrt|ex2 approx ftz? f32", "d0 s0", Pure, SFU, 0},
	// half precision
	{"add|sub|mul rn? ftz? sat? f16|f16x2", "d0 s0 s0", Pure, HalfOp, 0},
	{"add|sub|mul rn? bf16|bf16x2", "d0 s0 s0", Pure, HalfOp, 90},
	{"fma rn ftz? sat? relu? f16|f16x2", "d0 s0 s0 s0", Pure, HalfOp, 0},
	{"fma rn relu? bf16|bf16x2", "d0 s0 s0 s0", Pure, HalfOp, 0},
	{"abs|neg ftz? f16|f16x2", "d0 s0", Pure, HalfOp, 0},
	{"abs|neg bf16|bf16x2", "d0 s0", Pure, HalfOp, 0},
	{"min|max ftz? NaN? f16|f16x2", "d0 s0 s0", Pure, HalfOp, 0},
	{"min|max NaN? bf16|bf16x2", "d0 s0 s0", Pure, HalfOp, 0},
	// conversion
	{"cvt @irnd|rn|rz|rm|rp? relu? ftz? sat? @cvt @cvt", "D0 S1", Pure, Convert, 0},
	{"cvt rna tf32 f32", "db32 s1", Pure, Convert, 0},
	{"cvt rn|rz relu? f16x2|bf16x2 f32", "d0 s1 s1", Pure, Convert, 0},
	{"cvta to? global|shared|local|const u64", "d0 s0", Pure, Move, 0},
	{"mov pred", "d0 s0", Pure, Move, 0},
	{"mov f16|bf16|b128", "x0 y0", Pure, Move, 0},
	{"mov @any", "x0 y0", Pure, Move, 0},
	// memory
	{"ld volatile|relaxed|acquire|weak? @scope? @space? nc? @cache? @L1? @L2? v2|v4? @mem", "X0 m", Load, Memory, 0},
	{"st volatile|relaxed|release|weak? @scope? @space? @cache? @L1? v2|v4? @mem", "m Y0", Store, Memory, 0},
	{"ldu global v2|v4? @mem", "X0 m", Load, Memory, 0},
	{"prefetch global? L1|L2", "m", Hint, Memory, 0},
	{"atom relaxed|acquire|release|acq_rel? @scope? @where? add|min|max|and|or|xor|exch|inc|dec noftz? b32|b64|u32|u64|s32|s64|f16|f16x2|f32|f64", "d0 m s0", Atomic, Memory, 0},
	{"atom relaxed|acquire|release|acq_rel? @scope? @where? cas b16|b32|b64|u32|u64", "d0 m s0 s0", Atomic, Memory, 0},
	{"red relaxed|release? @scope? @where? add|min|max|and|or|xor|inc|dec noftz? b32|b64|u32|u64|s32|s64|f16|f16x2|f32|f64", "m s0", Reduce, Memory, 0},
	// shared memory of any block of the cluster
	{"mapa shared::cluster u32", "d0 s0 su32", Pure, Move, ClusterSM},
	{"ld volatile|relaxed|acquire|weak? @scope? shared::cluster v2|v4? @mem", "X0 m", Load, Memory, ClusterSM},
	{"st volatile|relaxed|release|weak? @scope? shared::cluster v2|v4? @mem", "m Y0", Store, Memory, ClusterSM},
	{"atom relaxed|acquire|release|acq_rel? @scope? shared::cluster add|min|max|and|or|xor|exch|inc|dec b32|b64|u32|u64|s32|s64", "d0 m s0", Atomic, Memory, ClusterSM},
	{"atom relaxed|acquire|release|acq_rel? @scope? shared::cluster cas b32|b64|u32|u64", "d0 m s0 s0", Atomic, Memory, ClusterSM},
	{"red relaxed|release? @scope? shared::cluster add|min|max|and|or|xor|inc|dec b32|b64|u32|u64|s32|s64", "m s0", Reduce, Memory, ClusterSM},
	{"membar cta|gl|sys", "", Fence, Memory, 0},
	{"fence acq_rel|sc? @scope", "", Fence, Memory, 0},
	{"cp async ca|cg shared|shared::cta global @L2?", "m m su32 su32?", Copy, Memory, 0},
	{"cp async commit_group", "", Commit, Memory, 0},
	{"cp async wait_group", "su32", Wait, Memory, 0},
	{"cp async wait_all", "", Wait, Memory, 0},
	{"ldmatrix sync aligned m8n8 x1|x2|x4 trans? shared|shared::cta b16", "xb32 m", Load, Tensor, 0},
	{"stmatrix sync aligned m8n8 x1|x2|x4 trans? shared|shared::cta b16", "m yb32", Store, Tensor, 90},
	// tensor cores
	{"mma sync aligned m16n8k8|m16n8k16 row col f32 f16 f16 f32", "xf32 yb32 yb32 yf32", Sync, Tensor, 0},
	{"mma sync aligned m16n8k8|m16n8k16 row col f16 f16 f16 f16", "xb32 yb32 yb32 yb32", Sync, Tensor, 0},
	{"mma sync aligned m16n8k8|m16n8k16 row col f32 bf16 bf16 f32", "xf32 yb32 yb32 yf32", Sync, Tensor, 0},
	{"mma sync aligned m16n8k4|m16n8k8 row col f32 tf32 tf32 f32", "xf32 yb32 yb32 yf32", Sync, Tensor, 0},
	{"mma sync aligned m16n8k16|m16n8k32 row col satfinite? s32 s8|u8 s8|u8 s32", "xb32 yb32 yb32 yb32", Sync, Tensor, 0},
	// warp
	{"shfl sync up|down|bfly|idx b32", "r0 s0 su32 su32 su32", Sync, Warp, 0},
	{"vote sync all|any|uni pred", "dpred spred su32", Sync, Warp, 0},
	{"vote sync ballot b32", "d0 spred su32", Sync, Warp, 0},
	{"match any sync b32|b64", "du32 s0 su32", Sync, Warp, 0},
	{"match all sync b32|b64", "ru32 s0 su32", Sync, Warp, 0},
	{"redux sync add|min|max u32|s32", "d0 s0 su32", Sync, Warp, 0},
	{"redux sync and|or|xor b32", "d0 s0 su32", Sync, Warp, 0},
	{"activemask b32", "d0", Pure, Warp, 0},
	{"elect sync", "ru32 su32", Sync, Warp, 90},
	{"bar warp sync", "su32", Sync, Warp, 0},
	// control
	{"bar sync", "su32 su32?", Barrier, Control, 0},
	{"barrier sync aligned?", "su32 su32?", Barrier, Control, 0},
	{"bar|barrier cta sync aligned?", "su32 su32?", Barrier, Control, 0},
	{"barrier cluster arrive release|relaxed? aligned", "", Barrier, Control, ClusterSM},
	{"barrier cluster wait acquire? aligned", "", Barrier, Control, ClusterSM},
	{"bra uni?", "l", Branch, Control, 0},
	{"ret uni?", "", Exit, Control, 0},
	{"exit", "", Exit, Control, 0},
	{"trap", "", Exit, Control, 0},
	{"nanosleep u32", "s0", Hint, Control, 0},
	{"griddepcontrol launch_dependents|wait", "", Fence, Control, 90},
}
