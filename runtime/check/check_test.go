package check

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"dsac/runtime/plan"
)

func TestRightDeviceIsClean(t *testing.T) {
	for _, kv := range []string{"f32", "f16"} {
		b := newBench(t, kv)
		r := b.run(t, Options{})
		if !r.Clean() {
			var out bytes.Buffer
			r.Write(&out)
			t.Errorf("kv %s:\n%s", kv, out.String())
		}
		for _, run := range r.Runs {
			if run.Compared != run.Steps || run.Steps < 50 {
				t.Errorf("kv %s, %s: %d of %d steps compared", kv, run.Entry, run.Compared, run.Steps)
			}
		}
		if got := r.Runs[1]; got.Pos != len(prompt) || got.Rows != 1 {
			t.Errorf("decode ran %d rows at %d", got.Rows, got.Pos)
		}
	}
}

// firstOf plants a fault in the first step of an op.
func firstOf(op string, f func(s *Step)) func(*Step, string) {
	done := false
	return func(s *Step, name string) {
		if name == op && !done {
			done = true
			f(s)
		}
	}
}

// output is the first operand that a step writes.
func output(s *Step) *Param {
	for i := range s.Params {
		if s.Params[i].Effect == plan.W {
			return &s.Params[i]
		}
	}
	return nil
}

func scale(b []byte, by float32) {
	for ; len(b) >= 4; b = b[4:] {
		le.PutUint32(b, math.Float32bits(by*math.Float32frombits(le.Uint32(b))))
	}
}

// TestPlantedFaults plants one fault in a step of the device, which must be reported as what
// it is, where it is, and nowhere else.
func TestPlantedFaults(t *testing.T) {
	b := newBench(t, "f32")
	for _, c := range []struct {
		name, op string
		spoil    func(s *Step)
		kinds    []Kind
		detail   string
	}{
		{"a wrong scale", "matmul", func(s *Step) {
			q := output(s)
			scale(s.bytes(q)[q.Writes[0].Lo:q.Writes[0].Hi], 1.01)
		}, []Kind{Differs}, "of 2816 values are wrong"},
		{"one value off in the last live row", "rmsnorm", func(s *Step) {
			q := output(s)
			at := q.Writes[0].Hi - 4
			scale(s.bytes(q)[at:at+4], 1.5)
		}, []Kind{Differs}, "row 10 column 255 is"},
		{"output in another buffer", "add", func(s *Step) {
			// The result goes over another input, and what is expected stays poison.
			q, x := output(s), &s.Params[1]
			copy(s.bytes(x), s.bytes(q))
			poison(s.bytes(q), "f32")
		}, []Kind{Outside, Unwritten}, "the step declares it writes nothing"},
		{"unwritten tail rows", "gate_up", func(s *Step) {
			q := output(s)
			n := q.Writes[0].Hi
			poison(s.bytes(q)[n-n/11:n], "f32")
		}, []Kind{Unwritten}, "row 10 column 0 was not written"},
		{"a dead row is written", "rope", func(s *Step) {
			q := output(s)
			scale(s.bytes(q)[q.Writes[0].Hi:][:4], 0)
			s.bytes(q)[q.Writes[0].Hi] = 1
		}, []Kind{Outside}, "the step declares it writes [0,"},
		{"a NaN", "mqa_attend", func(s *Step) {
			q := output(s)
			le.PutUint32(s.bytes(q)[4:], 0x7fc00000)
		}, []Kind{NotANum}, "row 0 column 1 is NaN"},
		{"the cache before the new rows", "append", func(s *Step) {
			q := output(s)
			s.bytes(q)[q.Writes[0].Hi] ^= 1
		}, []Kind{Outside}, "the step declares it writes [0,"},
		{"a position that may not be chosen", "index_topk", func(s *Step) {
			q := output(s)
			le.PutUint32(s.bytes(q), 11)
		}, []Kind{List}, "list of row 0: element 0 is 11, of 1 that may be chosen"},
		{"a position chosen twice", "index_topk", func(s *Step) {
			q := output(s)
			row := s.bytes(q)[10*q.Size/16:]
			copy(row[4:8], row[:4])
		}, []Kind{List}, "want ascending, then -1"},
		{"a position with a low score", "index_topk", func(s *Step) {
			// The list of the last row has 8 of 11 positions: take those that were left out.
			q := output(s)
			row := s.bytes(q)[10*q.Size/16:][:q.Size/16]
			others(row, 11)
		}, []Kind{List}, "swaps, of scores that differ by up to"},
		{"a list left unwritten", "index_topk", func(s *Step) {
			poison(s.bytes(output(s)), "i32")
		}, []Kind{Unwritten}, "list of row 0: was not written"},
		{"the wrong token", "sample", func(s *Step) {
			q := output(s)
			s.bytes(q)[plan.CtlToken] ^= 1
		}, []Kind{Differs}, ""},
		{"the control buffer", "rmsnorm", func(s *Step) {
			s.bytes(&s.Params[len(s.Params)-1])[plan.CtlPos] ^= 1
		}, []Kind{Outside}, "the step declares it writes [44,48), [48,52)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.dev.spoil = firstOf(c.op, c.spoil)
			r := b.run(t, Options{})
			var got []Kind
			for _, f := range r.Findings {
				got = append(got, f.Kind)
				if f.Op != c.op || f.Entry != "prefill16" {
					t.Errorf("found in entry %s, op %s", f.Entry, f.Op)
				}
			}
			if len(got) != len(c.kinds) {
				t.Fatalf("got %v, want kinds %v", r.Findings, c.kinds)
			}
			for i := range got {
				if got[i] != c.kinds[i] {
					t.Errorf("got %v, want kinds %v", r.Findings, c.kinds)
				}
			}
			if !strings.Contains(r.First.Detail, c.detail) {
				t.Errorf("got %q, want %q", r.First.Detail, c.detail)
			}
		})
	}
}

// others makes the list of row hold as many positions below n as before, those that it lacked
// first.
func others(row []byte, n int32) {
	var has, lacks []int32
	for i := 0; i < len(row); i += 4 {
		has = append(has, int32(le.Uint32(row[i:])))
	}
	in := map[int32]bool{}
	for _, v := range has {
		in[v] = true
	}
	for v := range n {
		if !in[v] {
			lacks = append(lacks, v)
		}
	}
	keep := map[int32]bool{}
	for _, v := range append(lacks, has...)[:len(has)] {
		keep[v] = true
	}
	at := 0
	for v := range n {
		if keep[v] {
			le.PutUint32(row[at:], uint32(v))
			at += 4
		}
	}
}

// TestPoisonReachesResults gives a device that reads a byte that the step does not declare.
func TestPoisonReachesResults(t *testing.T) {
	b := newBench(t, "f32")
	b.dev.spoil = firstOf("matmul", func(s *Step) {
		q := output(s)
		x := s.bytes(&s.Params[0])
		dead := x[s.Params[0].Reads[0].Hi:]
		copy(s.bytes(q)[:4], dead[:4])
	})
	r := b.run(t, Options{})
	if r.Found != 1 || r.First.Kind != Unwritten && r.First.Kind != NotANum {
		t.Errorf("got %v, want one NaN", r.Findings)
	}
}

// TestHostsOwnNaNIsNamed: where the host itself has no logits, the error says which step lost them.
func TestHostsOwnNaNIsNamed(t *testing.T) {
	b := newBench(t, "f32")
	b.run(t, Options{})
	for i := range b.plan.Steps {
		if st := &b.plan.Steps[i]; strings.Contains(b.plan.Str(st.Op), "append") {
			for _, o := range b.plan.Ops(st) {
				if o.Effect != plan.R && b.plan.Str(b.plan.Bufs[o.Buf].DType) == "f32" {
					poison(b.host.BufferAt(o.Buf), "f32")
				}
			}
		}
	}
	c, err := New(b.plan, b.host, b.dev, Options{Tol: ofTable})
	if err != nil {
		t.Fatal(err)
	}
	e, err := b.host.Entry("decode1")
	if err != nil {
		t.Fatal(err)
	}
	err = c.Run(t.Context(), e, []int32{1})
	if err == nil || !strings.Contains(err.Error(), "logit 0 is NaN") || !strings.Contains(err.Error(), "; the host itself has its first NaN in step l0.") {
		t.Errorf("got %v", err)
	}
}

func TestFromAndPerKernel(t *testing.T) {
	b := newBench(t, "f32")
	c, err := New(b.plan, b.host, b.dev, Options{Tol: ofTable, From: "l1.x"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := b.host.Entry("decode4")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Run(t.Context(), e, prompt[:4]); err != nil {
		t.Fatal(err)
	}
	if b.dev.ran[0] != "l1.x" || b.dev.ran[len(b.dev.ran)-1] != "advance" {
		t.Errorf("ran %v", b.dev.ran)
	}
	if c, err = New(b.plan, b.host, b.dev, Options{Tol: ofTable, From: "nosuch"}); err != nil {
		t.Fatal(err)
	}
	if err := c.Run(t.Context(), e, prompt[:4]); err == nil || !strings.Contains(err.Error(), `entry decode4 has no step "nosuch"`) {
		t.Errorf("got %v", err)
	}
}

// TestBrokenDeviceHasAReport: figures that JSON has no words for must not cost the report.
func TestBrokenDeviceHasAReport(t *testing.T) {
	b := newBench(t, "f32")
	b.dev.spoil = firstOf("rmsnorm", func(s *Step) { scale(s.bytes(output(s)), float32(math.Inf(1))) })
	r := b.run(t, Options{})
	if _, err := json.Marshal(r); err != nil || r.Clean() {
		t.Errorf("%d findings, %v", r.Found, err)
	}
	if b, err := json.Marshal([]Number{0.5, Number(math.NaN()), Number(math.Inf(-1))}); err != nil || string(b) != "[0.5,null,null]" {
		t.Errorf("got %s, %v", b, err)
	}
}

func TestReportForms(t *testing.T) {
	b := newBench(t, "f32")
	b.dev.spoil = firstOf("add", func(s *Step) { scale(s.bytes(output(s)), 2) })
	r := b.run(t, Options{})
	var text bytes.Buffer
	if err := r.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"prefill16: 11 rows at position 0", "differs: entry prefill16, step l1.x.2 (add), buffer l1.x.2 byte 0", "findings, first differs"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("report lacks %q:\n%s", want, text.String())
		}
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if back.First == nil || back.First.Kind != Differs || len(back.Ops) < 10 || back.Found != 1 {
		t.Errorf("from JSON: %+v", back)
	}
}

// TestForcedChoices lets errors add up: small ones pass, large ones do not, and a list that
// the device would choose otherwise does not spoil what follows.
func TestForcedChoices(t *testing.T) {
	b := newBench(t, "f32")
	nmse := func() float64 {
		r := b.run(t, Options{Forced: true, MaxNMSE: 1e-6})
		var worst float64
		for _, run := range r.Runs {
			worst = max(worst, *run.NMSE)
		}
		if r.Clean() != (worst <= 1e-6) {
			t.Errorf("NMSE %g, clean %v", worst, r.Clean())
		}
		return worst
	}
	if got := nmse(); got > 1e-12 {
		t.Errorf("right device: NMSE %g", got)
	}
	b.dev.spoil = func(s *Step, op string) {
		if op == "matmul" {
			scale(s.bytes(output(s)), 1.1)
		}
	}
	if got := nmse(); got < 1e-6 {
		t.Errorf("matmuls off by 10 %%: NMSE %g", got)
	}
	b.dev.spoil = func(s *Step, op string) {
		if op == "index_topk" {
			q := output(s)
			clear(s.bytes(q)[:q.Writes[0].Hi])
		}
	}
	if got := nmse(); got > 1e-12 {
		t.Errorf("other lists: NMSE %g, though they are forced", got)
	}
	// Other experts come with other weights.
	b.dev.spoil = func(s *Step, op string) {
		if op == "router" {
			for i := range s.Params {
				if q := &s.Params[i]; q.Effect == plan.W {
					clear(s.bytes(q)[:q.Writes[0].Hi])
				}
			}
		}
	}
	if got := nmse(); got > 1e-12 {
		t.Errorf("other experts: NMSE %g, though they are forced", got)
	}
	r := b.run(t, Options{Forced: true, MaxNMSE: 1})
	if r.Runs[0].Forced != 2*len(prompt) || r.Runs[1].Forced != 2 {
		t.Errorf("%d and %d lists forced, want those of two layers", r.Runs[0].Forced, r.Runs[1].Forced)
	}
}

// TestTotals adds rows of runs up: one bad row among good ones passes, and is not forgotten.
func TestTotals(t *testing.T) {
	r := &Report{}
	r.total("decode1", "logits").add(1, Sums{err: 3, sum: 100})
	r.judge(0.01)
	if r.Found != 1 || r.Totals[0].NMSE != 0.03 {
		t.Errorf("a row with an error of 0.03: %d findings, %+v", r.Found, r.Totals[0])
	}
	r.judge(0.01)
	r.total("prefill8", "logits").add(8, Sums{err: 0.1, sum: 800})
	if r.judge(0.01); r.Found != 1 || len(r.Totals) != 2 {
		t.Errorf("judged again, and with another entry: %d findings, %d totals", r.Found, len(r.Totals))
	}
	r = &Report{}
	for i := range 4 {
		r.total("decode1", "logits").add(1, Sums{err: []float64{3, 0.2, 0.2, 0.2}[i], sum: 100})
	}
	if r.judge(0.01); r.Found != 0 || r.Totals[0].Rows != 4 || math.Abs(float64(r.Totals[0].NMSE)-0.009) > 1e-12 {
		t.Errorf("one bad row of four: %d findings, %+v", r.Found, r.Totals[0])
	}
}

// TestListsAreTaken records a host's choices and gives it others in the next run: it must go by
// them, with the weights that belong to them, and so must the device.
func TestListsAreTaken(t *testing.T) {
	b := newBench(t, "f32")
	lists := NewLists()
	run := func() (logits []float32) {
		r := b.run(t, Options{Forced: true, MaxNMSE: 1e-12, Lists: lists, Results: func(_ int, _, want []float32) { logits = append(logits, want...) }})
		if !r.Clean() {
			t.Errorf("the device does not follow: %v", r.First)
		}
		return logits
	}
	first := run()
	if !slices.Equal(run(), first) {
		t.Error("the same choices, and other results")
	}
	changed := 0
	for key, list := range lists.kept {
		if strings.HasSuffix(key.buffer, ".g.idx") && key.pos == 0 { // experts
			for i := range list {
				list[i] = int32(i)
			}
			changed++
		}
	}
	if changed == 0 {
		t.Fatalf("no list of experts is among %v", slices.Collect(maps.Keys(lists.kept)))
	}
	if slices.Equal(run(), first) {
		t.Error("other experts, and the same results")
	}
}
