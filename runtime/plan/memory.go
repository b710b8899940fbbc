package plan

import (
	"cmp"
	"slices"
	"strings"
)

// Memory says where the bytes of a plan go. All numbers are bytes.
type Memory struct {
	Weights     []TypeBytes // by type, largest first
	WeightTotal uint64
	OtherConst  uint64 // const buffers that no weight fills
	Latent      Cache  // buffers latent.N
	Indexer     Cache  // buffers ikey.N
	OtherState  uint64 // other state buffers but the control buffer
	Control     uint64
	Entries     []EntryBytes
	Regions     []RegionBytes
	Total       uint64 // of the regions: what a device allocates
}

// TypeBytes is the size of all weights of a type, as they lie in memory.
type TypeBytes struct {
	Type  string
	Count int
	Bytes uint64
}

// Cache is the size of one kind of cache over all layers.
type Cache struct {
	Layers   int
	Bytes    uint64
	PerToken uint64 // Bytes by the rows of the caches, see MetaCtx; 0 if unknown
}

// EntryBytes is what an entry uses beside the caches and weights. Buffers that share bytes
// count once.
type EntryBytes struct {
	Name           string
	Rows           uint32
	Arena          uint64 // the whole arena, scratch included
	Scratch        uint64 // scratch buffers but those of the indexer
	IndexerScratch uint64 // scratch buffers with why=indexer
	In, Out        uint64
}

// RegionBytes is one allocation.
type RegionBytes struct {
	Name  string
	Kind  RegionKind
	Bytes uint64
}

// Names by which the report knows the caches and the indexer's scratch.
const (
	LatentPrefix = "latent."
	IKeyPrefix   = "ikey."
	WhyKey       = "why"
	WhyIndexer   = "indexer"
)

// Report adds up the memory of a sound plan.
func Report(p *Plan) Memory {
	var m Memory
	m.weights(p)
	m.state(p)
	for i := range p.Entries {
		m.Entries = append(m.Entries, entryBytes(p, int32(i)))
	}
	for i := range p.Regions {
		r := &p.Regions[i]
		m.Regions = append(m.Regions, RegionBytes{p.Str(r.Name), r.Kind, r.Size})
		m.Total += r.Size
	}
	return m
}

func (m *Memory) weights(p *Plan) {
	types := map[string]int{} // index in m.Weights
	filled := make([]bool, len(p.Bufs))
	holds := make([]bool, len(p.Bufs)) // owners of the bytes of a weight
	for i := range p.Weights {
		w := &p.Weights[i]
		if w.Buf == None || filled[w.Buf] {
			continue
		}
		filled[w.Buf], holds[p.Root(w.Buf)] = true, true
		name := p.Str(w.Type)
		t, ok := types[name]
		if !ok {
			t = len(m.Weights)
			types[name] = t
			m.Weights = append(m.Weights, TypeBytes{Type: name})
		}
		m.Weights[t].Count++
		m.Weights[t].Bytes += p.Bufs[w.Buf].Size
		m.WeightTotal += p.Bufs[w.Buf].Size
	}
	slices.SortFunc(m.Weights, func(a, b TypeBytes) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Type, b.Type))
	})
	for i := range p.Bufs {
		if b := &p.Bufs[i]; b.Parent == None && !holds[i] && p.Regions[b.Region].Kind == Const {
			m.OtherConst += b.Size
		}
	}
}

func (m *Memory) state(p *Plan) {
	for i := range p.Bufs {
		b := &p.Bufs[i]
		if b.Parent != None || p.Regions[b.Region].Kind != State {
			continue
		}
		switch name := p.Str(b.Name); {
		case b.Role == Control:
			m.Control += b.Size
		case strings.HasPrefix(name, LatentPrefix):
			m.Latent.add(b)
		case strings.HasPrefix(name, IKeyPrefix):
			m.Indexer.add(b)
		default:
			m.OtherState += b.Size
		}
	}
	if ctx := uint64(p.Ctx()); ctx > 0 {
		m.Latent.PerToken = m.Latent.Bytes / ctx
		m.Indexer.PerToken = m.Indexer.Bytes / ctx
	}
}

func (c *Cache) add(b *Buf) {
	c.Layers++
	c.Bytes += b.Size
}

// entryBytes measures the buffers that the steps of an entry use.
func entryBytes(p *Plan, entry int32) EntryBytes {
	e := &p.Entries[entry]
	m := EntryBytes{Name: p.Str(e.Name), Rows: e.Rows, Arena: e.Arena}
	used := make(map[int32]bool)
	for i := range p.EntrySteps(e) {
		for _, o := range p.Ops(&p.EntrySteps(e)[i]) {
			used[p.Root(o.Buf)] = true
		}
	}
	groups := map[*uint64][]int32{}
	var arena uint64
	for b := range used {
		buf := &p.Bufs[b]
		why, _ := p.TextAttr(buf.Attrs, WhyKey)
		switch kind := p.Regions[buf.Region].Kind; {
		case buf.Role == Scratch && why == WhyIndexer:
			groups[&m.IndexerScratch] = append(groups[&m.IndexerScratch], b)
		case buf.Role == Scratch:
			groups[&m.Scratch] = append(groups[&m.Scratch], b)
		case kind == In:
			groups[&m.In] = append(groups[&m.In], b)
		case kind == Out:
			groups[&m.Out] = append(groups[&m.Out], b)
		}
		if p.Regions[buf.Region].Kind == Arena {
			if end, ok := ends(buf.Off, buf.Size); ok {
				arena = max(arena, end)
			}
		}
	}
	for total, bufs := range groups {
		*total = p.covered(bufs)
	}
	if m.Arena == 0 {
		m.Arena = arena
	}
	return m
}

// covered returns how many bytes the buffers cover, counting shared bytes once.
func (p *Plan) covered(bufs []int32) (total uint64) {
	slices.SortFunc(bufs, func(a, b int32) int {
		x, y := &p.Bufs[a], &p.Bufs[b]
		return cmp.Or(cmp.Compare(x.Region, y.Region), cmp.Compare(x.Off, y.Off), cmp.Compare(a, b))
	})
	region, at := None, uint64(0) // covered up to at
	for _, i := range bufs {
		b := &p.Bufs[i]
		end, ok := ends(b.Off, b.Size)
		if !ok {
			end = 1<<64 - 1
		}
		if b.Region != region {
			region, at = b.Region, 0
		}
		if from := max(b.Off, at); end > from {
			total += end - from
			at = end
		}
	}
	return total
}
