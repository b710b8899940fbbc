package ref

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"dsac/runtime/plan"
	"dsac/runtime/sample"
)

// draw: op sample. It draws the token that follows the last live row, as runtime/sample
// defines, and counts it. The random number is that of position pos+n, where the token will
// stand. A choice that is not possible (a NaN in the logits, all ids masked, parameters out of
// range) is reported through Work.Err.
//
// Operands: logits[R,V], params (plan.Smp* layout), mask u8[V] (1: never drawn), hist i32[V]
// (how often an id occurred), token: the control buffer, or its bytes [CtlRNG, CtlError).
func draw(c *Call) {
	hist := c.Args[3].I32
	s := c.sampling(hist)
	if s == nil {
		return
	}
	id, err := s.Pick(c.lastLogits(), uint64(c.Len))
	c.drawn(4, hist, id, err)
}

// lastLogits returns the logits of the last live row.
func (c *Call) lastLogits() []float32 {
	row := 0
	if c.Args[0].Rows > 1 {
		row = c.N - 1
	}
	return c.read(0, row)
}

// drawn writes a token to operand k and counts it, or notes why there is none.
func (c *Call) drawn(k int, hist []int32, id int32, err error) {
	if err != nil {
		c.Work.Err = err
		return
	}
	hist[id]++
	token := c.Args[k].Data
	if len(token) >= plan.CtlSize {
		token = token[plan.CtlRNG:]
	}
	le := binary.LittleEndian
	le.PutUint64(token, uint64(c.Len))
	le.PutUint32(token[plan.CtlToken-plan.CtlRNG:], uint32(id))
}

// sampling returns the sampler of a step that knows which ids occurred; nil, with Work.Err,
// where its parameters are out of range.
func (c *Call) sampling(hist []int32) *sampler {
	s, err := c.sampler(len(hist))
	if err != nil {
		c.Work.Err = err
		return nil
	}
	s.count(hist)
	return s
}

// sampler is a Sampler and what it was made from: it is made anew when that changes.
type sampler struct {
	*sample.Sampler
	params sample.Params
	mask   []byte
}

func (c *Call) sampler(vocab int) (*sampler, error) {
	p, err := samplerParams(c.Args[1].Data)
	if err != nil {
		return nil, err
	}
	mask := c.Args[2].Data
	if s, ok := c.Work.Sampler.(*sampler); ok && s.params == p && slices.Equal(s.mask, mask) {
		return s, nil
	}
	var masked []int32
	for id, m := range mask {
		if m != 0 {
			masked = append(masked, int32(id))
		}
	}
	made, err := sample.New(vocab, p, masked)
	if err != nil {
		return nil, err
	}
	s := &sampler{made, p, slices.Clone(mask)}
	c.Work.Sampler = s
	return s, nil
}

// count tells the sampler which ids occurred; that matters only to a repetition penalty.
func (s *sampler) count(hist []int32) {
	if s.params.Repeat == 1 {
		return
	}
	s.Forget()
	for id, n := range hist {
		if n > 0 {
			if err := s.Seen(int32(id)); err != nil {
				panic("BUG: " + err.Error())
			}
		}
	}
}

// samplerParams reads the parameter buffer.
func samplerParams(b []byte) (sample.Params, error) {
	if len(b) < plan.SmpSize {
		return sample.Params{}, fmt.Errorf("sampling parameters have %d bytes, want %d", len(b), plan.SmpSize)
	}
	le := binary.LittleEndian
	f := func(at int) float32 { return math.Float32frombits(le.Uint32(b[at:])) }
	p := sample.Params{
		Temperature: f(plan.SmpTemp), TopK: int(int32(le.Uint32(b[plan.SmpTopK:]))),
		TopP: f(plan.SmpTopP), MinP: f(plan.SmpMinP), Repeat: f(plan.SmpPenalty), Seed: le.Uint64(b[plan.SmpSeed:]),
	}
	return p, p.Check()
}
