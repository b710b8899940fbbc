package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
)

// Encode returns the binary form. Plans of equal content give equal bytes, in whatever order
// their strings and pools were made. It fails when p is not sound or the host is big-endian.
func Encode(p *Plan) ([]byte, error) {
	if err := hostOrder(); err != nil {
		return nil, err
	}
	if err := Sound(p); err != nil {
		return nil, err
	}
	q := Canonical(p)
	ends, text, err := packStrings(q.Strings)
	if err != nil {
		return nil, err
	}
	w := writer{}
	w.begin(secFirst + len(sections))
	w.add(secEnds, 4, ends, nil)
	w.add(secText, 1, text, nil)
	for i, s := range sections {
		w.add(secFirst+i, s.size, s.view(q), s.pad)
	}
	return w.finish(), nil
}

// hostOrder reports a host on which records cannot be used in place.
func hostOrder() error {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return errors.New("plan files need a little-endian machine")
	}
	return nil
}

// packStrings returns the start of each string and the end of the last, and the bytes.
func packStrings(ss []string) (ends, text []byte, err error) {
	ends = binary.LittleEndian.AppendUint32(ends, 0)
	for _, s := range ss {
		text = append(text, s...)
		if len(text) > math.MaxInt32 {
			return nil, nil, errors.New("plan: more than 2 GiB of strings")
		}
		ends = binary.LittleEndian.AppendUint32(ends, uint32(len(text)))
	}
	return ends, text, nil
}

// writer lays the sections out.
type writer struct {
	b     []byte
	table int // offset of the next table entry
}

func (w *writer) begin(n int) {
	w.b = make([]byte, alignUp(headSize+n*entrySize))
	w.table = headSize
	copy(w.b, magic)
	binary.LittleEndian.PutUint32(w.b[offVersion:], version)
	binary.LittleEndian.PutUint32(w.b[offBOM:], bom)
	binary.LittleEndian.PutUint32(w.b[offCount:], uint32(n))
}

// add appends a section and zeroes the padding of its records.
func (w *writer) add(kind, size int, data []byte, pad []gap) {
	e := w.b[w.table:]
	w.table += entrySize
	binary.LittleEndian.PutUint32(e, uint32(kind))
	binary.LittleEndian.PutUint32(e[4:], uint32(size))
	binary.LittleEndian.PutUint64(e[8:], uint64(len(w.b)))
	binary.LittleEndian.PutUint64(e[16:], uint64(len(data)/size))
	at := len(w.b)
	w.b = append(w.b, data...)
	for rec := at; rec < len(w.b) && len(pad) > 0; rec += size {
		for _, g := range pad {
			clear(w.b[rec+g.lo : rec+g.hi])
		}
	}
	w.b = append(w.b, make([]byte, alignUp(len(w.b))-len(w.b))...)
}

func (w *writer) finish() []byte {
	binary.LittleEndian.PutUint64(w.b[offLength:], uint64(len(w.b)))
	sum := hashOf(w.b)
	copy(w.b[offHash:], sum[:])
	return w.b
}

// hashOf is the SHA-256 of a file without the field that holds it.
func hashOf(b []byte) (sum [sha256.Size]byte) {
	h := sha256.New()
	h.Write(b[:offHash])
	h.Write(b[offHash+sha256.Size:])
	h.Sum(sum[:0])
	return sum
}
