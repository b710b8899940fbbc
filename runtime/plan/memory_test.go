package plan

import (
	"reflect"
	"testing"
)

const memoryPlan = `plan ctx=4096
region A arena 8192
region I in 128
region O out 256
region W const 6000
region S state 7000000
buf ctl S+0 64 role=control
buf latent.0 S+64 4718592
buf latent.1 S+4718656 1179648
buf ikey.1 S+5898304 1048576
buf seen S+6946880 100
buf w0 W+0 2000
buf w1 W+2000 1000
buf w1b W+2500 500 of=w1
buf tied W+3000 2000
buf rope W+5000 24
weight a type=q4_k dims=256 buf=w0
weight b type=q8_0 dims=256 buf=w1b
weight c type=q8_0 dims=256 buf=tied
weight d type=q8_0 dims=256 buf=tied

entry decode rows=8 arena=8000
buf ids I+0 32
buf x A+0 4096
buf s1 A+4096 1024 role=scratch
buf s2 A+4608 1024 role=scratch
buf i1 A+5632 300 role=scratch why=indexer
buf unused A+7000 1000 role=scratch
buf y O+0 200
op f r=ids w=x scr=s1,s2,i1
op g r=x w=y
`

func TestReportIsExact(t *testing.T) {
	p, err := Parse("t", []byte(memoryPlan))
	if err != nil {
		t.Fatal(err)
	}
	got := Report(p)
	want := Memory{
		Weights:     []TypeBytes{{"q8_0", 2, 2500}, {"q4_k", 1, 2000}},
		WeightTotal: 4500,
		OtherConst:  24,
		Latent:      Cache{2, 5898240, 1440},
		Indexer:     Cache{1, 1048576, 256},
		OtherState:  100,
		Control:     64,
		Entries:     []EntryBytes{{"decode", 8, 8000, 1536, 300, 32, 200}},
		Regions: []RegionBytes{{"A", Arena, 8192}, {"I", In, 128}, {"O", Out, 256},
			{"W", Const, 6000}, {"S", State, 7000000}},
		Total: 7014576,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestReportText(t *testing.T) {
	p, err := Parse("t", []byte(memoryPlan))
	if err != nil {
		t.Fatal(err)
	}
	const want = `weights                             4,500  4.39 KiB
  q8_0 (2)                          2,500  2.44 KiB
  q4_k (1)                          2,000  1.95 KiB
other constants                        24  24 B
latent cache                    5,898,240  5.62 MiB
indexer cache                   1,048,576  1.00 MiB
caches per token                    1,696  1.66 KiB
  latent                            1,440  1.41 KiB
  indexer                             256  256 B
control                                64  64 B
other state                           100  100 B
arena of entry decode (8 rows)      8,000  7.81 KiB
  scratch                           1,536  1.50 KiB
  indexer scratch                     300  300 B
  inputs                               32  32 B
  outputs                             200  200 B
region A (arena)                    8,192  8.00 KiB
region I (in)                         128  128 B
region O (out)                        256  256 B
region W (const)                    6,000  5.86 KiB
region S (state)                7,000,000  6.68 MiB
total                           7,014,576  6.69 MiB
`
	if got := Report(p).String(); got != want {
		t.Errorf("%s\n%s", firstDiff(got, want), got)
	}
}

// TestCoveredAgainstBytes compares the union of ranges with a map of single bytes.
func TestCoveredAgainstBytes(t *testing.T) {
	p := &Plan{}
	seed := uint32(1)
	next := func(n uint32) uint64 { seed = seed*1664525 + 1013904223; return uint64(seed >> 8 % n) }
	for range 200 {
		p.Bufs = nil
		var all []int32
		seen := map[[2]uint64]bool{}
		for i := range 1 + next(7) {
			b := Buf{Region: int32(next(2) % 2), Off: next(20) % 64, Size: next(9) % 16}
			for x := b.Off; x < b.Off+b.Size; x++ {
				seen[[2]uint64{uint64(b.Region), x}] = true
			}
			p.Bufs = append(p.Bufs, b)
			if all = append(all, int32(i)); i > 8 {
				break
			}
		}
		if got, want := p.covered(all), uint64(len(seen)); got != want {
			t.Fatalf("got %d bytes, want %d of %+v", got, want, p.Bufs)
		}
	}
}
