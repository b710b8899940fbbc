package synth

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"path"
	"runtime"
	"sync"

	"dsac/runtime/gguf"
	"dsac/runtime/quant"
)

// law is how the values of a role are drawn: mean plus a standard deviation, which is divided
// by the square root of dims[fanIn] when fanIn >= 0.
type law struct {
	roles string
	mean  float32
	std   float64
	fanIn int
}

// laws keep activations near 1: norms pass them through, matrices have unit gain, and what is
// added to the residual stream has a gain of a half. attn_k_b is stored transposed, so its
// inputs are dims[1].
var laws = []law{
	{"*.bias", 0, 0.05, -1},
	{"*norm", 1, 0.1, -1},
	{"token_embd", 0, 1, -1},
	{"attn_k_b", 0, 1, 1},
	{"attn_output", 0, 0.5, 0},
	{"ffn_down*", 0, 0.5, 0},
	{"*", 0, 1, 0},
}

// chunkBytes is about how much of a tensor is drawn under one seed. Changing it changes every
// synthetic file.
const chunkBytes = 1 << 20

// fill writes the values of s, in type t, to dst.
func fill(s *spec, t *gguf.Tensor, seed uint64, dst io.Writer) error {
	info, ok := t.Type.Info()
	if !ok {
		panic(fmt.Sprintf("BUG: tensor %q of unknown type %d", t.Name, t.Type))
	}
	var lw law
	for _, lw = range laws {
		if ok, _ := path.Match(lw.roles, s.role); ok {
			break
		}
	}
	std := lw.std
	if lw.fanIn >= 0 {
		std /= math.Sqrt(float64(s.dims[lw.fanIn]))
	}
	draw := func(b []byte, r *quant.Rand) error { return t.Type.RandomRow(b, r, std) }
	if lw.mean != 0 {
		draw = func(b []byte, r *quant.Rand) error {
			vals := make([]float32, len(b)/info.Bytes*info.Elems)
			for i := range vals {
				vals[i] = lw.mean + float32(std)*r.Normal()
			}
			return t.Type.Encode(b, vals)
		}
	}
	return writeChunks(t.Size, uint64(chunkBytes/info.Bytes*info.Bytes), dst, func(chunk uint64, b []byte) error {
		return draw(b, quant.NewRand(chunkSeed(seed, s.seed, chunk)))
	})
}

// chunkSeed mixes the seed of the file, the name of the tensor and the number of the chunk.
func chunkSeed(seed uint64, name string, chunk uint64) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %d", seed, name, chunk)
	return h.Sum64()
}

// writeChunks draws the chunks of size bytes on all cores and writes them in order.
func writeChunks(size, chunk uint64, dst io.Writer, draw func(no uint64, b []byte) error) error {
	workers := uint64(runtime.GOMAXPROCS(0))
	bufs, errs := make([][]byte, workers), make([]error, workers)
	for at := uint64(0); at < size; at += workers * chunk {
		var wg sync.WaitGroup
		for w := range workers {
			lo := at + w*chunk
			if lo >= size {
				bufs[w] = bufs[w][:0]
				continue
			}
			n := min(chunk, size-lo)
			if bufs[w] == nil {
				bufs[w] = make([]byte, n, min(chunk, size))
			}
			bufs[w] = bufs[w][:n]
			wg.Go(func() { errs[w] = draw(lo/chunk, bufs[w]) })
		}
		wg.Wait()
		for w := range workers {
			if errs[w] != nil {
				return errs[w]
			}
			if _, err := dst.Write(bufs[w]); err != nil {
				return err
			}
		}
	}
	return nil
}
