package lint

import (
	"fmt"

	"dsac/runtime/plan"
)

// The weight table says which tensor of a model goes into which buffer. Nothing in the plan
// defines these bytes, so that only the table itself can show that it is wrong.

// fileLayout is the layout of a weight whose bytes are those of the file.
const fileLayout = "gguf"

// boundWeights is D04 of the weight table: a buffer that bears the name of one tensor of the
// table and holds another, and a tensor that two buffers hold in the same layout.
func boundWeights(m *model, out *collector) {
	type copyOf struct{ name, layout plan.Str }
	first := map[copyOf]int32{}
	tensors := map[plan.Str]bool{}
	for i := range m.p.Weights {
		tensors[m.p.Weights[i].Name] = true
	}
	for i := range m.p.Weights {
		w := &m.p.Weights[i]
		tensor, buf := m.p.Str(w.Name), m.bufName(w.Buf)
		if own := m.p.Bufs[w.Buf].Name; own != w.Name && tensors[own] {
			out.add(m.weightFinding("D04", int32(i), fmt.Sprintf("%s is loaded with tensor %s, although the model has a tensor %s", buf, tensor, buf)))
		}
		k := copyOf{w.Name, w.Layout}
		if at, twice := first[k]; twice && m.p.Weights[at].Lo == w.Lo {
			out.add(m.weightFinding("D04", int32(i), fmt.Sprintf("%s and %s are both loaded with tensor %s", m.bufName(m.p.Weights[at].Buf), buf, tensor)))
		}
		first[k] = int32(i)
	}
}

// weightTypes is T01 of the weight table: bytes of the file in a buffer of another type.
func weightTypes(m *model, out *collector) {
	for i := range m.p.Weights {
		w := &m.p.Weights[i]
		tensor, buf := m.p.Str(w.Type), m.p.Str(m.dtype(&plan.Operand{Buf: w.Buf}))
		if m.p.Str(w.Layout) == fileLayout && !sameType(tensor, buf) {
			out.add(m.weightFinding("T01", int32(i), fmt.Sprintf("%s is %s, but its tensor %s is %s", m.bufName(w.Buf), buf, m.p.Str(w.Name), tensor)))
		}
	}
}

func (m *model) weightFinding(code string, row int32, summary string) Finding {
	r := rule(code)
	return Finding{Code: code, Severity: r.Severity, Repair: "compile the plan again: its weight table does not fit its buffers", Summary: summary,
		Bytes: []Bytes{m.wholeBuf(m.p.Weights[row].Buf)}, entry: none, step: none, operand: row}
}
