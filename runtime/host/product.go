package host

import (
	"slices"

	"dsac/runtime/ref"
)

// product multiplies rows of activations with rows of one or two weights, in groups: one
// group for a plain matmul, one per head for head_matmul, one per expert for the expert ops.
//
//	out[dst[i]][n] = sum over k of x[src[i]][k] * weight[g*N+n][k]    for every i of group g
//
// Activations are converted to float64 once and laid out in panels of `lanes` rows, k by k, so
// that the kernel reads them in order; a weight row is decoded to float64 once per tile of
// activation rows and used for all panels of its group:
//
//	weight rows   w0 w1 w2 w3      panel   k=0: x0 x1 .. x7
//	  (k in order)                         k=1: x0 x1 .. x7
//
// Sums run over k in order, whatever the tiling, so results depend neither on the number of
// rows nor on that of workers.
type product struct {
	x        *ref.Arg
	weight   [2]*ref.Arg // the second one for gate_up: out = silu(first) * second
	res      *ref.Arg    // added to the result, or nil
	out      *ref.Arg
	k, n     int
	src, dst []int32 // per row of the tile, ordered by group
	groups   []rowGroup
	panels   []panel
	values   []float64 // panels, one after the other
	blocks   int       // blocks of weight rows per group
}

// rowGroup is a group with at least one row in the tile.
type rowGroup struct{ id, first, count int } // rows src[first:first+count], panels in order

// panel is a block of activation rows: one row, or up to lanes rows padded with zeros.
type panel struct{ at, row, count int } // offset in values; first row in src; rows

const (
	blockRows  = 16      // weight rows of one item
	tileValues = 1 << 21 // float64 values of a tile's panels: 16 MB
)

// width returns the stored rows of a panel.
func (p panel) width() int {
	if p.count == 1 {
		return 1
	}
	return lanes
}

// begin starts a tile of the product of x and weight (and second, which may be nil).
func (p *product) begin(x, weight, second, res, out *ref.Arg) {
	p.x, p.weight, p.res, p.out = x, [2]*ref.Arg{weight, second}, res, out
	p.k, p.n = weight.Cols, out.Cols
	p.blocks = (p.n + blockRows - 1) / blockRows
	p.reset()
}

func (p *product) reset() {
	p.src, p.dst, p.groups = p.src[:0], p.dst[:0], p.groups[:0]
}

// reserve makes room for a tile of the given rows in at most that many groups, so that the
// memory of a call does not depend on how its rows fall into groups.
func (p *product) reserve(rows, groups int) {
	groups = min(groups, rows)
	p.src, p.dst = slices.Grow(p.src[:0], rows), slices.Grow(p.dst[:0], rows)
	p.groups = slices.Grow(p.groups[:0], groups+1)
	p.panels = slices.Grow(p.panels[:0], rows/lanes+groups)
	p.values = slices.Grow(p.values[:0], (rows+groups*(lanes-1))*p.k)
}

// group opens a group; the rows added after it belong to it.
func (p *product) group(id int) {
	if n := len(p.groups); n > 0 && p.groups[n-1].count == 0 {
		p.groups = p.groups[:n-1]
	}
	p.groups = append(p.groups, rowGroup{id: id, first: len(p.src)})
}

func (p *product) add(src, dst int) {
	p.src, p.dst = append(p.src, int32(src)), append(p.dst, int32(dst))
	p.groups[len(p.groups)-1].count++
}

// tileRows returns how many activation rows fit a tile.
func (p *product) tileRows() int { return max(lanes, tileValues/max(p.k, 1)) }

// run computes the tile.
func (p *product) run(e *engine, c *ref.Call) {
	if n := len(p.groups); n > 0 && p.groups[n-1].count == 0 {
		p.groups = p.groups[:n-1]
	}
	p.panels = p.panels[:0]
	at := 0
	for _, g := range p.groups {
		for i := 0; i < g.count; i += lanes {
			pn := panel{at: at, row: g.first + i, count: min(lanes, g.count-i)}
			p.panels = append(p.panels, pn)
			at += pn.width() * p.k
		}
	}
	p.values = slices.Grow(p.values[:0], at)[:at]
	e.pool.each(c, len(p.panels), at, fillPanel)
	e.pool.each(c, len(p.groups)*p.blocks, len(p.src)*p.k*p.n, runBlock)
}

func fillPanel(e *engine, c *ref.Call, w *worker, i int) {
	p := &e.prod
	pn := p.panels[i]
	width := pn.width()
	if width == 1 {
		p.x.Row64(int(p.src[pn.row]), p.values[pn.at:][:p.k])
		return
	}
	values := asLanes(p.values[pn.at:][:width*p.k])
	row := w.work.F64(0, p.k)
	for lane := range width {
		if lane < pn.count {
			p.x.Row64(int(p.src[pn.row+lane]), row)
		} else {
			clear(row)
		}
		for k, v := range row {
			values[k][lane] = v
		}
	}
}

// runBlock multiplies one block of weight rows with all panels of a group.
func runBlock(e *engine, c *ref.Call, w *worker, item int) {
	p := &e.prod
	g := p.groups[item/p.blocks]
	n0 := item % p.blocks * blockRows
	rows := min(blockRows, p.n-n0)
	padded := (rows + 3) &^ 3
	var decoded [2][]float64 // weight rows
	var sums [2][]float64    // [padded][width] of a panel
	for s, weight := range p.weight {
		if weight == nil {
			continue
		}
		decoded[s], sums[s] = w.work.F64(s, padded*p.k), w.work.F64(2+s, padded*lanes)
		for r := range rows {
			weight.Row64(g.id*p.n+n0+r, decoded[s][r*p.k:][:p.k])
		}
		clear(decoded[s][rows*p.k:])
	}
	part := w.work.F32(0, blockRows)[:rows]
	first, _ := slices.BinarySearchFunc(p.panels, g.first, func(pn panel, row int) int { return pn.row - row })
	for _, pn := range p.panels[first:] {
		if pn.row >= g.first+g.count {
			break
		}
		width := pn.width()
		for s, values := range decoded {
			if values != nil {
				times(p.k, padded, values, p.values[pn.at:][:width*p.k], width, sums[s])
			}
		}
		for lane := range pn.count {
			for r := range part {
				part[r] = float32(sums[0][r*width+lane])
				if sums[1] != nil {
					part[r] = ref.SiluMul(part[r], float32(sums[1][r*width+lane]))
				}
			}
			p.store(w, int(p.dst[pn.row+lane]), n0, part)
		}
	}
}

// store writes part as columns n0.. of output row dst.
func (p *product) store(w *worker, dst, n0 int, part []float32) {
	if p.res != nil {
		row := p.res.Row(dst, w.work.F32(1, p.res.Cols))
		for r, v := range row[n0:][:len(part)] {
			part[r] += v
		}
	}
	p.out.SetPart(dst, n0, part)
}

// times fills sums[r*width+lane] with the products of rows weight rows and a panel.
func times(k, rows int, weight, values []float64, width int, sums []float64) {
	clear(sums[:rows*width])
	for r := 0; r < rows; r += 4 {
		if width == 1 {
			narrow(k, weight[r*k:], values, sums[r:])
		} else {
			wide(weight[r*k:], k, asLanes(values), (*[4][lanes]float64)(asLanes(sums)[r:]))
		}
	}
}
