package quant

import "fmt"

// float is what decoders write. Values are computed in float32 and then stored, so that both
// forms hold the same numbers.
type float interface{ float32 | float64 }

// Decode writes the values of whole blocks in src to dst, which must hold exactly as many.
// The error wraps ErrUnsupported when the type has no decoder; callers add the tensor.
func (t Type) Decode(dst []float32, src []byte) error {
	if err := t.checkDecode(len(dst), len(src)); err != nil {
		return err
	}
	infos[t].decode32(dst, src)
	return nil
}

// Decode64 is Decode into float64; the values are the same float32 numbers.
func (t Type) Decode64(dst []float64, src []byte) error {
	if err := t.checkDecode(len(dst), len(src)); err != nil {
		return err
	}
	infos[t].decode64(dst, src)
	return nil
}

// Decoder returns the unchecked decoder, or nil when t has none. len(dst) must be a whole
// number of blocks and src at least as many; otherwise it panics or leaves a rest undone.
func (t Type) Decoder() func(dst []float32, src []byte) {
	info, _ := t.Info()
	return info.decode32
}

// Decoder64 is Decoder for float64 destinations.
func (t Type) Decoder64() func(dst []float64, src []byte) {
	info, _ := t.Info()
	return info.decode64
}

func (t Type) checkDecode(vals, bytes int) error {
	info, ok := t.Info()
	if !ok {
		return fmt.Errorf("unknown tensor type id %d", uint32(t))
	}
	if info.decode32 == nil {
		return fmt.Errorf("%w: blocks of %s cannot be decoded", ErrUnsupported, info.Name)
	}
	return info.checkLen(vals, bytes)
}

func (info *Info) checkLen(vals, bytes int) error {
	if vals%info.Elems != 0 || vals/info.Elems*info.Bytes != bytes {
		return fmt.Errorf("%s: %d bytes do not hold %d values (%d bytes per block of %d)",
			info.Name, bytes, vals, info.Bytes, info.Elems)
	}
	return nil
}
