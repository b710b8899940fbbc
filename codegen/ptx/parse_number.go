package ptx

import (
	"math"
	"strconv"
	"strings"
)

// immediate reads a number: integer (signed or unsigned 64 bits), 0fHEX, 0dHEX or decimal.
func (p *parser) immediate() (Operand, error) {
	neg, err := p.accept("-")
	if err != nil {
		return Operand{}, err
	}
	if p.tok.kind != tokNumber {
		return Operand{}, p.errorf("want an operand, have %q", p.tok.text)
	}
	o := Operand{Reg: -1}
	s := p.tok.text
	low := strings.ToLower(s)
	switch {
	case strings.HasPrefix(low, "0f") && len(s) == 10 && !neg:
		o.Kind = OpF32
		o.Bits, err = strconv.ParseUint(s[2:], 16, 32)
	case strings.HasPrefix(low, "0d") && len(s) == 18 && !neg:
		o.Kind = OpF64
		o.Bits, err = strconv.ParseUint(s[2:], 16, 64)
	case !strings.HasPrefix(low, "0x") && strings.ContainsAny(low, ".e"):
		var f float64
		f, err = strconv.ParseFloat(s, 64)
		if neg {
			f = -f
		}
		o.Kind, o.Bits = OpF64, math.Float64bits(f)
	default:
		var u uint64
		if strings.Contains(s, "_") {
			err = strconv.ErrSyntax
		} else {
			u, err = strconv.ParseUint(strings.TrimSuffix(s, "U"), 0, 64)
		}
		o.Kind, o.Int = OpInt, int64(u)
		if neg {
			o.Int = -o.Int
		}
	}
	if err != nil {
		return o, p.errorf("bad number %q", s)
	}
	return o, p.advance()
}

// specialNames are the special registers that kernels may read.
var specialNames = func() map[string]bool {
	m := map[string]bool{"%laneid": true, "%warpid": true, "%nwarpid": true, "%smid": true, "%nsmid": true, "%gridid": true,
		"%clock": true, "%clock_hi": true, "%clock64": true, "%globaltimer": true, "%globaltimer_lo": true, "%globaltimer_hi": true,
		"%lanemask_eq": true, "%lanemask_le": true, "%lanemask_lt": true, "%lanemask_ge": true, "%lanemask_gt": true,
		"%dynamic_smem_size": true, "%total_smem_size": true}
	for r := range clusterRegisters {
		m[r] = true
	}
	for _, r := range []string{"%tid", "%ntid", "%ctaid", "%nctaid"} {
		for _, d := range []string{".x", ".y", ".z"} {
			m[r+d] = true
		}
	}
	return m
}()
