package plan

import (
	"reflect"
	"unsafe"
)

// A plan file is
//
//	0   magic "dsacplan"
//	8   u32 version
//	12  u32 byte order mark
//	16  u64 length of the file
//	24  u32 number of sections
//	28  u32 zero
//	32  SHA-256 of everything else
//	64  section table: u32 kind, u32 record size, u64 offset, u64 count
//	    sections, each at a multiple of 64, zeros between them
//
// All numbers are little-endian. The section's kind is its place in the table of sections.
const (
	magic   = "dsacplan"
	version = 1 // of the layout of the file and of every record
	bom     = 0x0a0b0c0d

	offVersion = 8
	offBOM     = 12
	offLength  = 16
	offCount   = 24
	offHash    = 32
	headSize   = 64
	entrySize  = 24 // of the section table
	alignment  = 64 // of sections
)

// section is one table of the plan in the file.
type section struct {
	name string
	size int // bytes of one record
	pad  []gap
	// view returns the records as bytes; attach makes the plan's slice of n records use data in place.
	view   func(*Plan) []byte
	attach func(p *Plan, data []byte, n int)
}

// gap is a range of padding bytes in a record.
type gap struct{ lo, hi int }

// Sections 0 and 1 are the strings: n+1 end-to-end offsets (u32), then the bytes.
const (
	secEnds = iota
	secText
	secFirst // of the record sections
)

// sections lists the record sections; the kind of entry i is secFirst+i.
var sections = []section{
	records("meta", func(p *Plan) *[]KV { return &p.Meta }),
	records("buckets", func(p *Plan) *[]Bucket { return &p.Buckets }),
	records("dyns", func(p *Plan) *[]Str { return &p.Dyns }),
	records("regions", func(p *Plan) *[]Region { return &p.Regions }),
	records("buffers", func(p *Plan) *[]Buf { return &p.Bufs }),
	records("entries", func(p *Plan) *[]Entry { return &p.Entries }),
	records("items", func(p *Plan) *[]Item { return &p.Items }),
	records("steps", func(p *Plan) *[]Step { return &p.Steps }),
	records("operands", func(p *Plan) *[]Operand { return &p.Operands }),
	records("expects", func(p *Plan) *[]int32 { return &p.Expects }),
	records("attributes", func(p *Plan) *[]Attr { return &p.Attrs }),
	records("launches", func(p *Plan) *[]Launch { return &p.Launches }),
	records("kernels", func(p *Plan) *[]Kernel { return &p.Kernels }),
	records("weights", func(p *Plan) *[]Weight { return &p.Weights }),
	records("sources", func(p *Plan) *[]Source { return &p.Sources }),
	records("pads", func(p *Plan) *[]uint64 { return &p.Pads }),
	records("blob", func(p *Plan) *[]byte { return &p.Blob }),
}

func records[T any](name string, field func(*Plan) *[]T) section {
	typ := reflect.TypeFor[T]()
	return section{
		name: name, size: int(typ.Size()), pad: gaps(typ, 0),
		view: func(p *Plan) []byte {
			s := *field(p)
			return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(typ.Size()))
		},
		attach: func(p *Plan, data []byte, n int) {
			if n > 0 {
				*field(p) = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), n)
			}
		},
	}
}

// gaps returns the bytes of a type that no named field covers. Go leaves them undefined.
func gaps(t reflect.Type, at int) (gs []gap) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	end := at
	add := func(lo, hi int) {
		if lo < hi {
			gs = append(gs, gap{lo, hi})
		}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		add(end, at+int(f.Offset))
		gs = append(gs, gaps(f.Type, at+int(f.Offset))...)
		end = at + int(f.Offset) + int(f.Type.Size())
	}
	add(end, at+int(t.Size()))
	return gs
}

// alignUp returns the next multiple of the section alignment.
func alignUp(n int) int { return (n + alignment - 1) &^ (alignment - 1) }
