// Package synthetic writes texts of plans that compilers of today do not make yet: several
// streams with events, ranks with all-reduces, split sums, shared top-k lists, a control
// buffer, all ranges symbolic. They are subjects of the mutation campaign and of benchmarks.
// It must not import anything of this module.
package synthetic

import (
	"fmt"
	"strings"
)

// Options of a plan.
type Options struct {
	Layers  int
	Entries int // decode entries; entry i takes 1<<i rows
	Ctx     int // rows of the caches; 0 = 64
}

// Sizes in bytes.
const (
	row   = 1024 // of a temporary
	kvRow = 512  // of a cache
)

// slots of the arena, in rows; the list of a group and the residual live across layers.
var slots = []string{"x", "a", "q", "k", "sum", "o", "p", "s", "b", "h", "d", "tk0", "tk1"}

// Text returns a sound plan: the lint finds nothing in it.
func Text(o Options) string {
	if o.Ctx == 0 {
		o.Ctx = 64
	}
	var b strings.Builder
	w := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	most := 1 << (o.Entries - 1)
	w("plan arch=synthetic ctx=%d tp=2", o.Ctx)
	w("region A arena %d", len(slots)*row*most)
	w("region I in 65536\nregion O out %d\nregion W const %d\nregion S state %d", o.Entries*row*most, (6*o.Layers+2)*4096, 4096+o.Layers*o.Ctx*kvRow)
	w("buf ctl S+0 64 role=control dtype=u8 shape=64 valid=64")
	w("buf ids I+0 %d dtype=i32 shape=%d valid=4*n", 4*most, most)
	for l := range o.Layers {
		w("buf kv.%d S+%d %d dtype=f16 shape=%dx256 layer=%d valid=%d*pos", l, 4096+l*o.Ctx*kvRow, o.Ctx*kvRow, o.Ctx, l, kvRow)
		for i, n := range []string{"q", "k", "o", "sh", "up", "down"} {
			w("buf w.%d.%s W+%d 4096 layer=%d", l, n, (6*l+i)*4096, l)
		}
	}
	w("buf w.embd W+%d 4096\nbuf w.head W+%d 4096", 6*o.Layers*4096, (6*o.Layers+1)*4096)
	for e := range o.Entries {
		entry(w, o, e)
	}
	return b.String()
}

// entry writes one entry of 1<<e rows: attention with keys made on a side stream, a split sum
// on both streams, a list that the second layer of a pair shares, two all-reduces per layer.
func entry(w func(string, ...any), o Options, e int) {
	t := 1 << e
	w("entry decode%d rows=%d", t, t)
	for i, s := range slots {
		flags := ""
		if strings.HasPrefix(s, "tk") {
			flags = " grpbuf"
		}
		w("buf %s A+%d %d dtype=f32 shape=%dx256 align=256%s", s, i*row*t, row*t, t, flags)
	}
	w("buf logits O+%d %d dtype=f32 shape=%dx256 align=256", e*row*(1<<(o.Entries-1)), row*t, t)
	rows := func(buf, by string) string {
		if by != "" {
			by = "<" + by + ">"
		}
		return fmt.Sprintf("%s[0:%d*n]%s", buf, row, by)
	}
	op := func(format string, args ...any) { w("op "+format, args...) }
	op("embed kind=embed r=ids[0:4*n],w.embd w=%s takes=ids,w.embd", rows("x", ""))
	x := "embed"
	for l := range o.Layers {
		n := func(s string) string { return fmt.Sprintf("l%d.%s", l, s) }
		wt := func(s string) string { return fmt.Sprintf("w.%d.%s", l, s) }
		grp := fmt.Sprintf("g%d", l/2)
		tk := fmt.Sprintf("tk%d", l/2%2)
		op("%s kind=norm r=%s w=%s layer=%d rf", n("norm"), rows("x", x), rows("a", ""), l)
		w("rec %s @main\nwait %s @side", n("ea"), n("ea"))
		op("%s @side kind=matmul r=%s,%s w=%s layer=%d takes=%s", n("k"), rows("a", n("norm")), wt("k"), rows("k", ""), l, wt("k"))
		op("%s @side kind=append r=%s w=kv.%d[%d*pos:%d*len] layer=%d", n("append"), rows("k", n("k")), l, kvRow, kvRow, l)
		op("%s kind=matmul r=%s,%s w=%s layer=%d takes=%s", n("q"), rows("a", n("norm")), wt("q"), rows("q", ""), l, wt("q"))
		if l%2 == 0 {
			op("%s kind=zero w=%s layer=%d init", n("zero"), rows("sum", ""), l)
			w("rec %s @main\nwait %s @side", n("ez"), n("ez"))
			op("%s kind=part0 r=%s acc=%s layer=%d", n("part0"), rows("q", n("q")), rows("sum", n("zero")), l)
			op("%s @side kind=part1 r=%s acc=%s layer=%d", n("part1"), rows("q", n("q")), rows("sum", n("part0")), l)
			w("rec %s @side\nwait %s @main", n("es"), n("es"))
			op("%s kind=topk r=%s w=%s layer=%d grp=%s", n("topk"), rows("sum", n("part1")), rows(tk, ""), l, grp)
		}
		w("rec %s @side\nwait %s @main", n("ekv"), n("ekv"))
		topk := fmt.Sprintf("l%d.topk", l/2*2)
		op("%s kind=attend r=%s,kv.%d[0:%d*len]<%s>,%s w=%s layer=%d grp=%s", n("attn"), rows("q", n("q")), l, kvRow, n("append"), rows(tk, topk), rows("o", ""), l, grp)
		op("%s kind=matmul r=%s,%s w=%s layer=%d dist=tp takes=%s", n("proj"), rows("o", n("attn")), wt("o"), rows("p", ""), l, wt("o"))
		op("%s kind=matmul r=%s,%s w=%s layer=%d dist=tp takes=%s", n("shared"), rows("o", n("attn")), wt("sh"), rows("s", ""), l, wt("sh"))
		op("%s kind=addp r=%s,%s w=%s layer=%d lin ew", n("both"), rows("p", n("proj")), rows("s", n("shared")), rows("b", ""), l)
		op("%s kind=allreduce rw=%s layer=%d coll=ar:tp", n("ar1"), rows("b", n("both")), l)
		op("%s kind=add r=%s rw=%s layer=%d ew", n("add1"), rows("b", n("ar1")), rows("x", x), l)
		op("%s kind=up r=%s,%s w=%s layer=%d takes=%s", n("up"), rows("x", n("add1")), wt("up"), rows("h", ""), l, wt("up"))
		op("%s kind=matmul r=%s,%s w=%s layer=%d dist=tp takes=%s", n("down"), rows("h", n("up")), wt("down"), rows("d", ""), l, wt("down"))
		op("%s kind=allreduce rw=%s layer=%d coll=ar:tp", n("ar2"), rows("d", n("down")), l)
		op("%s kind=add r=%s rw=%s layer=%d ew", n("add2"), rows("d", n("ar2")), rows("x", n("add1")), l)
		x = n("add2")
	}
	op("head kind=matmul r=%s,w.head w=%s takes=w.head", rows("x", x), rows("logits", ""))
	op("sample kind=sample r=%s w=ctl[32:44]", rows("logits", "head"))
	op("advance kind=advance rw=ctl<sample>")
}
