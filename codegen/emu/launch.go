package emu

import (
	"fmt"
	"slices"

	"dsac/codegen/ptx"
)

// LaunchConfig is one launch: its shape, and one binding for each kernel parameter.
type LaunchConfig struct {
	ptx.Launch
	Params []Param
}

// Options choose what a launch checks.
type Options struct {
	Target      string        // for the limits; "": sm_120
	NoShadow    bool          // leave races, double writes and non-coherent reads unchecked: faster
	Ignore      []FindingKind // not wanted
	Cooperative bool          // blocks take turns, as if all were resident, so that they may wait for each other
	MaxInstrs   uint64        // thread instructions before the launch is given up; 0: 1<<36
}

// grid is a launch under way.
type grid struct {
	k            *Kernel
	cfg          LaunchConfig
	params       []byte
	views        []view
	sharedSize   int
	sharedShadow *shadow
	published    map[location]published
	wanted       [numFindings]bool
	findings     []Finding
	seen         map[findingKey]int
	varBase      []uint64 // addresses of the kernel's globals
	template     [][32]uint64
	limit        uint64
	threadInstrs,
	warpInstrs,
	barriers,
	depWaits uint64
}

// Launch runs the kernel. Faults of the kernel are findings in the report; the error is for a
// launch that cannot be made (limits of the target, parameters), or that does not end.
//
// Blocks run one after another in ascending order (x fastest), warps of a block in turn from
// barrier to barrier: the result is the same every time.
func (k *Kernel) Launch(cfg LaunchConfig, opt Options) (*Report, error) {
	g, err := k.newGrid(cfg, opt)
	if err != nil {
		return nil, fmt.Errorf("emu: %s: %w", k.entry.Name, err)
	}
	if opt.Cooperative {
		err = g.runTogether()
	} else {
		err = g.runInTurn()
	}
	if err != nil {
		err = fmt.Errorf("emu: %s: %w", k.entry.Name, err)
	}
	g.checkCover()
	return &Report{Findings: g.findings, ThreadInstrs: g.threadInstrs, WarpInstrs: g.warpInstrs, Barriers: g.barriers, GridDepWaits: g.depWaits, Params: g.touched()}, err
}

// touched sums up the launch by parameter.
func (g *grid) touched() []Touched {
	out := make([]Touched, len(g.cfg.Params))
	for _, v := range g.views {
		if v.param < 0 {
			continue
		}
		t := Touched{Loaded: v.loaded, Stored: v.stored}
		for off := uint64(0); v.sh != nil && off < v.size; {
			// up to the end of the granule
			end := min(((v.cell0+off)>>v.sh.shift+1)<<v.sh.shift-v.cell0, v.size)
			if v.sh.cells[(v.cell0+off)>>v.sh.shift].w != 0 {
				if n := len(t.Written); n > 0 && t.Written[n-1].Hi == int(off) {
					t.Written[n-1].Hi = int(end)
				} else {
					t.Written = append(t.Written, Range{int(off), int(end)})
				}
			}
			off = end
		}
		out[v.param] = t
	}
	return out
}

func (k *Kernel) newGrid(cfg LaunchConfig, opt Options) (*grid, error) {
	target := opt.Target
	if target == "" {
		target = "sm_120"
	}
	t, err := ptx.TargetNamed(target)
	if err != nil {
		return nil, err
	}
	if errs := k.entry.CheckLaunch(cfg.Launch, t); errs != nil {
		return nil, errs[0]
	}
	if len(cfg.Params) != len(k.entry.Params) {
		return nil, fmt.Errorf("%d parameters bound, the kernel has %d", len(cfg.Params), len(k.entry.Params))
	}
	g := &grid{k: k, cfg: cfg, seen: map[findingKey]int{}, limit: opt.MaxInstrs}
	if g.limit == 0 {
		g.limit = 1 << 36
	}
	for i := range g.wanted {
		g.wanted[i] = !slices.Contains(opt.Ignore, FindingKind(i))
	}
	g.sharedSize = k.entry.SharedLayout(cfg.DynShared).Total
	if !opt.NoShadow && g.sharedSize > 0 {
		g.sharedShadow = newShadow(g.sharedSize, k.grain[1], false)
	}
	if err := g.bind(opt); err != nil {
		return nil, err
	}
	g.fillTemplate()
	return g, nil
}

// bind gives every parameter and module variable its window of addresses.
func (g *grid) bind(opt Options) error {
	shadows := map[*Buffer]*shadow{}
	add := func(p Param, index int) uint64 {
		v := view{base: uint64(len(g.views)+1)<<windowShift + windowStart + uint64(p.Off%256), size: uint64(p.Size), param: index, name: p.Name,
			data: p.Buf.Data[p.Off : p.Off+p.Size], init: p.Buf.init[p.Off : p.Off+p.Size], cell0: uint64(p.Off),
			access: p.Access, reads: p.Reads, writes: p.Writes, multi: p.Multi}
		if v.access == 0 {
			v.access = Read | Write | Accum
		}
		if !opt.NoShadow {
			if shadows[p.Buf] == nil {
				shadows[p.Buf] = newShadow(len(p.Buf.Data), g.k.grain[0], g.k.hasNC)
			}
			v.sh = shadows[p.Buf]
		}
		g.views = append(g.views, v)
		return v.base
	}
	for i, p := range g.cfg.Params {
		kp := g.k.entry.Params[i]
		value := p.Value
		if p.Buf != nil {
			if p.Size == 0 {
				p.Size = len(p.Buf.Data) - p.Off
			}
			if p.Off < 0 || p.Size < 0 || p.Off+p.Size > len(p.Buf.Data) {
				return fmt.Errorf("parameter %d (%s): bytes [%d,%d) are not in buffer %s of %d", i, p.Name, p.Off, p.Off+p.Size, p.Buf.Name, len(p.Buf.Data))
			}
			for _, r := range p.Cover {
				if r.Lo < 0 || r.Hi > p.Size {
					return fmt.Errorf("parameter %d (%s): cover range [%d,%d) exceeds its %d bytes", i, p.Name, r.Lo, r.Hi, p.Size)
				}
			}
			if p.Name == "" {
				p.Name = p.Buf.Name
			}
			if kp.Bytes() != 8 {
				return fmt.Errorf("parameter %d (%s) is a buffer, the kernel takes %d bytes", i, p.Name, kp.Bytes())
			}
			g.cfg.Params[i] = p
			value = add(p, i)
		}
		g.params = append(g.params, make([]byte, kp.Off+kp.Bytes()-len(g.params))...)
		for j := 0; j < min(kp.Bytes(), 8); j++ {
			g.params[kp.Off+j] = byte(value >> (8 * j))
		}
	}
	for i, v := range g.k.globals {
		g.varBase = append(g.varBase, add(Param{Buf: g.k.globalMem[i], Size: v.Bytes(), Name: v.Name, Multi: true}, -1))
	}
	return nil
}

func every(x uint64) (out [32]uint64) {
	for l := range out {
		out[l] = x
	}
	return out
}

// fillTemplate sets what is the same for all warps of the launch; registers start with a
// pattern that no kernel expects.
func (g *grid) fillTemplate() {
	k := g.k
	g.template = make([][32]uint64, k.regs)
	for i := range k.entry.Regs {
		g.template[i] = every(truncate(0xdeadbeefdeadbeef, max(k.entry.Regs[i].Type.Bits(), 16)))
	}
	for x, s := range k.consts {
		g.template[s] = every(x)
	}
	for i, v := range k.globals {
		if s, ok := k.varSlot[v.Name]; ok {
			g.template[s] = every(g.varBase[i])
		}
	}
	layout := k.entry.SharedLayout(g.cfg.DynShared)
	for name, s := range k.dynSlot {
		g.template[s] = every(uint64(layout.Off[name]))
	}
	for name, s := range k.special {
		switch name {
		case "%ntid.x", "%ntid.y", "%ntid.z":
			g.template[s] = every(uint64(g.cfg.Block[name[6]-'x']))
		case "%nctaid.x", "%nctaid.y", "%nctaid.z":
			g.template[s] = every(uint64(g.cfg.Grid[name[8]-'x']))
		case "%nwarpid":
			g.template[s] = every(uint64((g.cfg.Threads() + 31) / 32))
		case "%nsmid":
			g.template[s] = every(1)
		case "%dynamic_smem_size":
			g.template[s] = every(uint64(g.cfg.DynShared))
		case "%total_smem_size":
			g.template[s] = every(uint64(g.sharedSize))
		}
	}
}

// checkCover reports declared output bytes that the launch did not write.
func (g *grid) checkCover() {
	if !g.wanted[Unwritten] {
		return
	}
	for i, p := range g.cfg.Params {
		for _, v := range g.views {
			if v.param != i || v.sh == nil {
				continue
			}
			for _, r := range p.Cover {
				missing, first := 0, -1
				for b := r.Lo; b < r.Hi; b++ {
					if v.sh.cells[(v.cell0+uint64(b))>>v.sh.shift].w == 0 {
						if missing++; first < 0 {
							first = b
						}
					}
				}
				if missing > 0 {
					g.findings = append(g.findings, Finding{Kind: Unwritten, Kernel: g.k.entry.Name, Param: i, Name: v.name, Off: int64(first), Count: 1,
						Detail: fmt.Sprintf("%d of the %d bytes [%d,%d)", missing, r.Hi-r.Lo, r.Lo, r.Hi)})
				}
			}
		}
	}
}
