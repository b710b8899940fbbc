package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"
	"unsafe"
)

// Errors of Decode and Open that callers tell apart.
var (
	ErrNotPlan = errors.New("not a dsac plan")
	ErrVersion = errors.New("plan of another version")
	ErrDamaged = errors.New("plan is damaged")
)

// IsPlan says whether data begins like a plan file.
func IsPlan(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// Decode reads the binary form. The plan uses data in place: data must not change while the
// plan is in use. It checks the hash and everything that Sound lists, so that readers need no
// checks of their own. Errors wrap ErrNotPlan, ErrVersion or ErrDamaged.
func Decode(data []byte) (*Plan, error) {
	if err := hostOrder(); err != nil {
		return nil, err
	}
	if err := checkHead(data); err != nil {
		return nil, err
	}
	if uintptr(unsafe.Pointer(unsafe.SliceData(data)))%8 != 0 {
		data = aligned(data)
	}
	hash := make(chan error, 1) // more than half of the time, so do it beside the checks
	go func() { hash <- checkHash(data) }()
	p, err := attach(data)
	if err == nil {
		err = checkTables(p)
	}
	if bad := <-hash; bad != nil {
		return nil, bad
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// checkTables checks the content of the tables.
func checkTables(p *Plan) error {
	if !p.inOrder() { // first: it bounds the work of Sound
		return fmt.Errorf("%w: a list is not where its owner's place puts it", ErrDamaged)
	}
	if err := Sound(p); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// aligned copies data to memory in which all records are aligned.
func aligned(data []byte) []byte {
	words := make([]uint64, (len(data)+7)/8)
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(data))
	copy(b, data)
	return b
}

// checkHead checks what can be said without looking at the sections.
func checkHead(data []byte) error {
	if !IsPlan(data) {
		return foreign(data)
	}
	if len(data) < headSize {
		return fmt.Errorf("%w: truncated to %d bytes, the header has %d", ErrDamaged, len(data), headSize)
	}
	switch v := binary.LittleEndian.Uint32(data[offVersion:]); {
	case v < version:
		return fmt.Errorf("%w: format %d, this dsac reads %d: recompile the model", ErrVersion, v, version)
	case v > version:
		return fmt.Errorf("%w: format %d, this dsac reads %d: it was made by a newer dsac", ErrVersion, v, version)
	}
	if m := binary.LittleEndian.Uint32(data[offBOM:]); m != bom {
		return fmt.Errorf("%w: byte order mark %#x, want %#x", ErrDamaged, m, bom)
	}
	want := binary.LittleEndian.Uint64(data[offLength:])
	if got := uint64(len(data)); got < want {
		return fmt.Errorf("%w: truncated: %d bytes expected, %d found", ErrDamaged, want, got)
	} else if got > want {
		return fmt.Errorf("%w: %d bytes expected, %d found: something was appended", ErrDamaged, want, got)
	}
	return nil
}

func checkHash(data []byte) error {
	if sum := hashOf(data); !bytes.Equal(sum[:], data[offHash:][:sha256.Size]) {
		return fmt.Errorf("%w: the SHA-256 of its content does not match: some bytes have changed", ErrDamaged)
	}
	return nil
}

// foreign says what a file without the magic seems to be.
func foreign(data []byte) error {
	head := data[:min(len(data), 512)]
	for len(head) > 0 && len(head) < len(data) && !utf8.RuneStart(data[len(head)]) {
		head = head[:len(head)-1] // do not cut a character
	}
	switch {
	case len(data) == 0:
		return fmt.Errorf("%w: it is empty", ErrNotPlan)
	case bytes.HasPrefix(data, []byte("GGUF")):
		return fmt.Errorf("%w: it is a GGUF model file: compile it first", ErrNotPlan)
	case utf8.Valid(head) && bytes.IndexByte(head, 0) < 0:
		return fmt.Errorf("%w: it is a text: if it is a plan in text form, read it as such", ErrNotPlan)
	}
	return fmt.Errorf("%w: it begins with %q, want %q", ErrNotPlan, data[:min(len(data), len(magic))], magic)
}

// table reads and checks the section table; it returns the bytes of each section.
func table(data []byte) ([][]byte, error) {
	n := secFirst + len(sections)
	if got := binary.LittleEndian.Uint32(data[offCount:]); got != uint32(n) {
		return nil, fmt.Errorf("%w: %d sections, want %d", ErrDamaged, got, n)
	}
	end := uint64(alignUp(headSize + n*entrySize))
	if uint64(len(data)) < end {
		return nil, fmt.Errorf("%w: %d bytes leave no room for the section table", ErrDamaged, len(data))
	}
	secs := make([][]byte, n)
	for i := range secs {
		e := data[headSize+i*entrySize:][:entrySize]
		kind, rec := binary.LittleEndian.Uint32(e), binary.LittleEndian.Uint32(e[4:])
		off, count := binary.LittleEndian.Uint64(e[8:]), binary.LittleEndian.Uint64(e[16:])
		size := recordSize(i)
		switch {
		case kind != uint32(i):
			return nil, fmt.Errorf("%w: section %d has kind %d", ErrDamaged, i, kind)
		case rec != uint32(size):
			return nil, fmt.Errorf("%w: section %s has records of %d bytes, want %d", ErrDamaged, sectionName(i), rec, size)
		case off != end:
			return nil, fmt.Errorf("%w: section %s starts at %d, want %d", ErrDamaged, sectionName(i), off, end)
		case count > (uint64(len(data))-off)/uint64(size):
			return nil, fmt.Errorf("%w: section %s has %d records of %d bytes at %d, the file has %d bytes", ErrDamaged, sectionName(i), count, size, off, len(data))
		}
		secs[i] = data[off:][:count*uint64(size)]
		end = min(uint64(alignUp(int(off+count*uint64(size)))), uint64(len(data)))
	}
	if end != uint64(len(data)) {
		return nil, fmt.Errorf("%w: sections end at %d, the file at %d", ErrDamaged, end, len(data))
	}
	return secs, nil
}

func recordSize(i int) int {
	switch i {
	case secEnds:
		return 4
	case secText:
		return 1
	}
	return sections[i-secFirst].size
}

func sectionName(i int) string {
	switch i {
	case secEnds, secText:
		return "strings"
	}
	return sections[i-secFirst].name
}

// attach makes a plan whose tables lie in data.
func attach(data []byte) (*Plan, error) {
	secs, err := table(data)
	if err != nil {
		return nil, err
	}
	p := &Plan{}
	if p.Strings, err = unpackStrings(secs[secEnds], secs[secText]); err != nil {
		return nil, err
	}
	for i, s := range sections {
		sec := secs[secFirst+i]
		s.attach(p, sec, len(sec)/s.size)
	}
	return p, p.checkBools()
}

// unpackStrings makes string headers that point into text.
func unpackStrings(ends, text []byte) ([]string, error) {
	n := len(ends)/4 - 1
	if n < 0 {
		return nil, fmt.Errorf("%w: no string table", ErrDamaged)
	}
	ss := make([]string, n)
	lo := binary.LittleEndian.Uint32(ends)
	if lo != 0 || binary.LittleEndian.Uint32(ends[4*n:]) != uint32(len(text)) {
		return nil, fmt.Errorf("%w: strings do not cover their bytes", ErrDamaged)
	}
	for i := range ss {
		hi := binary.LittleEndian.Uint32(ends[4*i+4:])
		if hi < lo || uint64(hi) > uint64(len(text)) {
			return nil, fmt.Errorf("%w: string %d ends at %d and starts at %d", ErrDamaged, i, hi, lo)
		}
		if hi > lo {
			ss[i] = unsafe.String(&text[lo], int(hi-lo))
		}
		lo = hi
	}
	return ss, nil
}

// checkBools makes sure that bytes that Go takes for booleans are 0 or 1.
func (p *Plan) checkBools() error {
	for i := range p.Bufs {
		if v := *(*uint8)(unsafe.Pointer(&p.Bufs[i].HasValid)); v > 1 {
			return fmt.Errorf("%w: buffer %d: %d is not a truth value", ErrDamaged, i, v)
		}
	}
	for i := range p.Operands {
		if v := *(*uint8)(unsafe.Pointer(&p.Operands[i].Late)); v > 1 {
			return fmt.Errorf("%w: operand %d: %d is not a truth value", ErrDamaged, i, v)
		}
	}
	return nil
}
