package plan

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// kernelLine: kernel NAME [regs=N] [shared=N] [params=a,b,c]
func (ps *parser) kernelLine(fs []field) {
	name := ps.nameField(fs, chLabel, "kernel")
	if ps.err != nil {
		return
	}
	if _, ok := ps.kernels[name]; ok {
		ps.fail(fs[1].col, "kernel %s is already there", name)
		return
	}
	k := Kernel{Name: ps.b.Str(name)}
	ps.pairs(fs, 2, func(key string, _ int, c *cursor) bool {
		switch key {
		case "regs":
			k.Regs = uint32(c.uint("regs", 32))
		case "shared":
			k.Shared = uint32(c.uint("shared", 32))
		case "params":
			var names []string
			for {
				names = append(names, c.name(chName, "parameter"))
				if ps.err != nil || !c.eat(',') {
					break
				}
			}
			k.Params = ps.b.AddParams(names)
		default:
			return false
		}
		return true
	})
	ps.kernels[name] = int32(len(ps.p.Kernels))
	ps.p.Kernels = append(ps.p.Kernels, k)
}

// AddParams appends the parameter names of a kernel in binding order.
func (b *Builder) AddParams(names []string) Span {
	as := make([]Attr, len(names))
	for i, n := range names {
		as[i] = b.TextAttr(strconv.Itoa(i), n)
	}
	if len(as) == 0 {
		return Span{}
	}
	return b.AddAttrs(as)
}

// AddBlob appends a kernel text or a cubin; one that is there already is not repeated.
func (b *Builder) AddBlob(data []byte) Span {
	if len(data) == 0 {
		return Span{}
	}
	if s, ok := b.blobs[string(data)]; ok {
		return s
	}
	if b.blobs == nil {
		b.blobs = make(map[string]Span)
	}
	s := Span{uint32(len(b.P.Blob)), uint32(len(data))}
	b.P.Blob = append(b.P.Blob, data...)
	b.blobs[string(data)] = s
	return s
}

// blobLine: ptx KERNEL <<END, ptx KERNEL base64 <<END, cubin KERNEL base64 <<END, then lines
// up to END; or ptx KERNEL as OTHER, cubin KERNEL as OTHER: the same bytes as an earlier kernel.
func (ps *parser) blobLine(fs []field) {
	what, name := fs[0].s, ps.nameField(fs, chLabel, "kernel")
	if ps.err != nil {
		return
	}
	i, ok := ps.kernels[name]
	if !ok {
		ps.fail(fs[1].col, "unknown kernel %q: declare it with a kernel line above", name)
		return
	}
	if len(fs) == 4 && fs[2].s == "as" {
		ps.sameBlob(fs, i)
		return
	}
	coded := len(fs) == 4 && fs[2].s == "base64"
	mark, isMark := strings.CutPrefix(fs[len(fs)-1].s, "<<")
	if !isMark || mark == "" || len(fs) != 3 && !coded || what == "cubin" && !coded {
		ps.fail(fs[0].col, "want ptx KERNEL <<END, ptx KERNEL base64 <<END or cubin KERNEL base64 <<END")
		return
	}
	span := &ps.p.Kernels[i].PTX
	if what == "cubin" {
		span = &ps.p.Kernels[i].Cubin
	}
	if span.Len > 0 {
		ps.fail(fs[1].col, "%s of kernel %s is already there", what, name)
		return
	}
	*span = ps.b.AddBlob(ps.heredoc(fs[0], mark, coded))
}

// sameBlob gives kernel i the text or cubin of an earlier one.
func (ps *parser) sameBlob(fs []field, i int32) {
	name := ps.nameField(fs[2:], chLabel, "kernel")
	if ps.err != nil {
		return
	}
	j, ok := ps.kernels[name]
	if !ok {
		ps.fail(fs[3].col, "unknown kernel %q: declare it with a kernel line above", name)
		return
	}
	k, other := &ps.p.Kernels[i], &ps.p.Kernels[j]
	to, from := &k.PTX, other.PTX
	if fs[0].s == "cubin" {
		to, from = &k.Cubin, other.Cubin
	}
	if from.Len == 0 || to.Len > 0 {
		ps.fail(fs[1].col, "%s of kernel %s cannot be that of %s: it is there already, or %s has none", fs[0].s, ps.p.Str(k.Name), name, name)
		return
	}
	*to = from
}

// heredoc reads lines up to mark.
func (ps *parser) heredoc(f field, mark string, coded bool) []byte {
	line, ln := ps.line, ps.ln
	var b strings.Builder
	for ps.next() {
		if strings.TrimSuffix(ps.line, "\r") == mark {
			return ps.decode64(line, ln, f.col, b.String(), coded)
		}
		b.WriteString(ps.line)
		b.WriteByte('\n')
	}
	ps.failAt(line, ln, f.col, "no line %q closes this text", mark)
	return nil
}

func (ps *parser) decode64(line string, ln, col int, s string, coded bool) []byte {
	if !coded {
		return []byte(s)
	}
	data, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil {
		ps.failAt(line, ln, col, "not base64: %v", err)
	}
	return data
}

// weightLine: weight TENSOR type=T dims=AxB [layout=L] [buf=B] [axis=N] [part=LO:HI]
func (ps *parser) weightLine(fs []field) {
	name := ps.nameField(fs, chLabel, "weight")
	if ps.err != nil {
		return
	}
	w := Weight{Name: ps.b.Str(name), Buf: None, Axis: None, Dims: [4]uint64{1, 1, 1, 1}}
	ps.pairs(fs, 2, func(key string, _ int, c *cursor) bool {
		switch key {
		case "type":
			w.Type = ps.b.Str(c.name(chDType, "type"))
		case "layout":
			w.Layout = ps.b.Str(c.name(chDType, "layout"))
		case "dims":
			for n := c.dims("dims", 64, w.Dims[:]); n < 4; n++ {
				w.Dims[n] = 1
			}
		case "buf":
			b := c.name(chName, "buffer")
			i, ok := ps.shared[b]
			if !ok && ps.err == nil {
				c.i = 0
				c.fail("unknown buffer %q: a weight lies in a shared buffer declared above", b)
			}
			w.Buf = i
		case "axis":
			w.Axis = c.index("axis")
		case "part":
			w.Lo = c.uint("first element", 64)
			c.want(':', "between the ends of the part")
			w.Hi = c.uint("element after the last", 64)
		default:
			return false
		}
		return true
	})
	ps.p.Weights = append(ps.p.Weights, w)
}
