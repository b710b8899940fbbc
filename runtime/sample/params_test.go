package sample

import (
	"math"
	"strings"
	"testing"
)

func TestParamsCheck(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		edit func(p *Params)
		want string // "" for accepted
	}{
		{func(p *Params) {}, ""},
		{func(p *Params) { p.Temperature = 1e-6 }, ""},
		{func(p *Params) { p.TopP, p.MinP, p.TopK = 1, 1, 1<<40 }, ""},
		{func(p *Params) { p.Temperature = -1 }, "temperature is -1, want 0 (greedy)"},
		{func(p *Params) { p.Temperature = 1e-7 }, "temperature is 1e-07"},
		{func(p *Params) { p.Temperature = nan }, "temperature is NaN"},
		{func(p *Params) { p.Temperature = inf }, "temperature is +Inf"},
		{func(p *Params) { p.TopK = -1 }, "top-k is -1"},
		{func(p *Params) { p.TopP = 0 }, "top-p is 0, want more than 0"},
		{func(p *Params) { p.TopP = 1.5 }, "top-p is 1.5"},
		{func(p *Params) { p.TopP = nan }, "top-p is NaN"},
		{func(p *Params) { p.MinP = -0.1 }, "min-p is -0.1"},
		{func(p *Params) { p.MinP = nan }, "min-p is NaN"},
		{func(p *Params) { p.Repeat = 0 }, "repetition penalty is 0"},
		{func(p *Params) { p.Repeat = nan }, "repetition penalty is NaN"},
	} {
		p := Greedy()
		c.edit(&p)
		err := p.Check()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: got %v, want %q", p, err, c.want)
		}
		if _, newErr := New(10, p, nil); (newErr == nil) != (err == nil) {
			t.Errorf("%+v: New gives %v, Check %v", p, newErr, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		vocab  int
		masked []int32
		want   string
	}{
		{0, nil, "sampling over 0 logits"},
		{1 << 31, nil, "sampling over 2147483648 logits"},
		{4, []int32{4}, "masked token id 4 is outside the 4 logits"},
		{4, []int32{-1}, "masked token id -1"},
	} {
		if _, err := New(c.vocab, Greedy(), c.masked); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
