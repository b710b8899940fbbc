package emu

import "fmt"

// bind gives every parameter and module variable its window of addresses.
func (g *grid) bind(opt Options) error {
	shadows := map[*Buffer]*shadow{}
	add := func(p Param, index int) uint64 {
		v := view{base: uint64(len(g.views)+1)<<windowShift + windowStart + uint64(p.Off%256), size: uint64(p.Size), param: index, name: p.Name,
			data: p.Buf.Data[p.Off : p.Off+p.Size], init: p.Buf.init[p.Off : p.Off+p.Size], cell0: uint64(p.Off),
			access: p.Access, reads: p.Reads, writes: p.Writes, multi: p.Multi, early: p.Const || !g.k.waits}
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
		g.varBase = append(g.varBase, add(Param{Buf: g.k.globalMem[i], Size: v.Bytes(), Name: v.Name, Multi: true, Const: true}, -1))
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
		case "%cluster_nctarank":
			g.template[s] = every(uint64(k.cluster))
		case "%nclusterid.x":
			g.template[s] = every(uint64(g.cfg.Grid[0]) / uint64(k.cluster))
		case "%nwarpid":
			g.template[s] = every(uint64(g.warps()))
		case "%nsmid":
			g.template[s] = every(1)
		case "%dynamic_smem_size":
			g.template[s] = every(uint64(g.cfg.DynShared))
		case "%total_smem_size":
			g.template[s] = every(uint64(g.sharedSize))
		}
	}
}
