package plan

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"unicode/utf8"
)

// buf writes a buffer line. Fields with their default value are left out.
func (pr *printer) buf(i int32) {
	p, b := pr.p, &pr.p.Bufs[i]
	pr.raw("buf ").quote(b.Name, chName).raw(" ").quote(p.Regions[b.Region].Name, chName)
	pr.raw("+").uint(b.Off).raw(" ").uint(b.Size)
	if b.DType != 0 {
		pr.key("dtype").quote(b.DType, chDType)
	}
	if b.Dims > 0 {
		pr.key("shape").dims32(b.Shape[:b.Dims])
	}
	if b.Layout != 0 {
		pr.key("lay").quote(b.Layout, chDType)
	}
	if b.Role != Temp {
		pr.key("role").raw(b.Role.String())
	}
	if b.Align != 0 {
		pr.key("align").uint(b.Align)
	}
	if b.LifeLo != None {
		pr.key("life").uint(uint64(b.LifeLo)).raw(":").uint(uint64(b.LifeHi))
	}
	if b.Parent != None {
		pr.key("of").quote(p.Bufs[b.Parent].Name, chName)
	}
	if b.InplaceOf != None {
		pr.key("inplace_of").quote(p.Bufs[b.InplaceOf].Name, chName)
	}
	if b.Layer != None {
		pr.key("layer").uint(uint64(b.Layer))
	}
	if b.HasValid {
		pr.key("valid")
		pr.b = b.Valid.appendTo(pr.b)
	}
	pr.attrs(b.Attrs)
	for bit, name := range bufFlagNames {
		if b.Flags&(1<<bit) != 0 {
			pr.raw(" " + name)
		}
	}
	if len(p.Pads) > 0 {
		pr.key("pad").uint(p.Pads[i])
	}
	pr.nl()
}

func (pr *printer) weight(w *Weight) {
	pr.raw("weight ").quote(w.Name, chLabel)
	if w.Type != 0 {
		pr.key("type").quote(w.Type, chDType)
	}
	pr.key("dims").uint(w.Dims[0])
	n := len(w.Dims)
	for n > 1 && w.Dims[n-1] == 1 {
		n--
	}
	for _, d := range w.Dims[1:n] {
		pr.raw("x").uint(d)
	}
	if w.Layout != 0 {
		pr.key("layout").quote(w.Layout, chDType)
	}
	if w.Buf != None {
		pr.key("buf").quote(pr.p.Bufs[w.Buf].Name, chName)
	}
	if w.Axis != None {
		pr.key("axis").uint(uint64(w.Axis))
	}
	if w.Lo != 0 || w.Hi != 0 {
		pr.key("part").uint(w.Lo).raw(":").uint(w.Hi)
	}
	pr.nl()
}

func (pr *printer) kernel(k *Kernel) {
	pr.raw("kernel ").quote(k.Name, chLabel)
	if k.Regs != 0 {
		pr.key("regs").uint(uint64(k.Regs))
	}
	if k.Shared != 0 {
		pr.key("shared").uint(uint64(k.Shared))
	}
	for i, a := range pr.p.AttrList(k.Params) {
		if i == 0 {
			pr.key("params")
		} else {
			pr.raw(",")
		}
		pr.quote(Str(a.Val), chName)
	}
	pr.nl()
}

// blobs writes the texts of a kernel: PTX as it stands when it is text, else base64.
func (pr *printer) blobs(k *Kernel) {
	ptx, cubin := pr.p.Bytes(k.PTX), pr.p.Bytes(k.Cubin)
	if pr.again("ptx ", k, k.PTX) {
		ptx = nil
	}
	if pr.again("cubin ", k, k.Cubin) {
		cubin = nil
	}
	if isText(ptx) {
		mark := freeMark(ptx)
		pr.raw("ptx ").quote(k.Name, chLabel).raw(" <<" + mark).nl()
		pr.raw(string(ptx)).raw(mark).nl()
	} else if len(ptx) > 0 {
		pr.base64("ptx ", k.Name, ptx)
	}
	if len(cubin) > 0 {
		pr.base64("cubin ", k.Name, cubin)
	}
}

// again refers to an earlier kernel with the same bytes, if there is one.
func (pr *printer) again(what string, k *Kernel, s Span) bool {
	if s.Len == 0 {
		return false
	}
	for i := range pr.p.Kernels {
		other := &pr.p.Kernels[i]
		if other.Name == k.Name {
			return false
		}
		if other.PTX == s && what == "ptx " || other.Cubin == s && what == "cubin " {
			pr.raw(what).quote(k.Name, chLabel).raw(" as ").quote(other.Name, chLabel).nl()
			return true
		}
	}
	return false
}

func (pr *printer) base64(what string, name Str, data []byte) {
	const perLine = 57 // bytes in 76 characters
	pr.raw(what).quote(name, chLabel).raw(" base64 <<END").nl()
	for len(data) > 0 {
		n := min(perLine, len(data))
		pr.b = base64.StdEncoding.AppendEncode(pr.b, data[:n])
		pr.nl()
		data = data[n:]
	}
	pr.raw("END").nl()
}

// isText says whether data can stand in a text as lines.
func isText(data []byte) bool {
	return len(data) > 0 && data[len(data)-1] == '\n' && utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 && bytes.IndexByte(data, '\r') < 0
}

// freeMark returns a closing word that is no line of data.
func freeMark(data []byte) string {
	mark := "END"
	for n := 2; bytes.HasPrefix(data, []byte(mark+"\n")) || bytes.Contains(data, []byte("\n"+mark+"\n")); n++ {
		mark = "END" + strconv.Itoa(n)
	}
	return mark
}

// Bytes returns the part of the blob that a kernel text or cubin occupies.
func (p *Plan) Bytes(s Span) []byte { return p.Blob[s.Off:][:s.Len] }
