package emu

import (
	"fmt"

	"dsac/codegen/ptx"
)

// warpOps compiles the exchanges among the lanes of a warp.
var warpOps = map[string]func(*compiler, *ptx.Instr) (step, error){
	"shfl": shuffle, "vote": vote, "match": matchLanes, "redux": reduceLanes, "activemask": activeMask,
	"elect": elect, "bar": warpBarrier,
}

// members checks that every lane named by the mask operand executes the instruction, and that
// every executing lane is named. It returns the lanes that take part.
func (w *warp) members(in *ptx.Instr, m uint32, slot int) uint32 {
	for q := m; q != 0; q &= q - 1 {
		l := lane(q)
		mask := uint32(w.r[slot][l])
		if absent := mask & w.live &^ m; absent != 0 {
			w.find(AbsentLane, in, l, nil, 0, fmt.Sprintf("mask %#x, executing lanes %#x", mask, m))
			return m
		}
		if mask>>l&1 == 0 {
			w.find(AbsentLane, in, l, nil, 0, fmt.Sprintf("lane %d is not in its own mask %#x", l, mask))
			return m
		}
	}
	return m
}

// shuffle: c packs the clamp (bits 0-4) and the segment mask (bits 8-12).
func shuffle(c *compiler, in *ptx.Instr) (step, error) {
	to, p := in.Args[0], -1
	var err error
	if to.Kind == ptx.OpPair {
		if p, err = c.dst(&to.Sub[1]); err != nil {
			return nil, err
		}
		to = to.Sub[0]
	}
	d, err := c.dst(&to)
	if err != nil {
		return nil, err
	}
	s, err := c.srcs(in, 1, 5)
	if err != nil {
		return nil, err
	}
	kind := in.Spec.Mods[1]
	return func(w *warp, m uint32) {
		w.members(in, m, s[3])
		src := w.r[s[0]]
		var ok uint32
		for q := m; q != 0; q &= q - 1 {
			l := lane(q)
			b, ctl := int(w.r[s[1]][l]&31), int(w.r[s[2]][l])
			clamp, seg := ctl&31, ctl>>8&31
			last := l&seg | clamp&^seg
			j, in31 := 0, false
			switch kind {
			case "up":
				j = l - b
				in31 = j >= last
			case "down":
				j = l + b
				in31 = j <= last
			case "bfly":
				j = l ^ b
				in31 = j <= last
			default:
				j = l&seg | b&^seg
				in31 = j <= last
			}
			if !in31 {
				j = l
			} else {
				ok |= 1 << l
			}
			if m>>j&1 == 0 {
				w.find(AbsentLane, in, l, nil, 0, fmt.Sprintf("reads lane %d, which does not execute it", j))
			}
			w.r[d][l] = src[j]
		}
		if p >= 0 {
			w.setPred(p, m, ok)
		}
	}, nil
}

func activeMask(c *compiler, in *ptx.Instr) (step, error) {
	d, err := c.dst(&in.Args[0])
	return func(w *warp, m uint32) {
		for q := m; q != 0; q &= q - 1 {
			w.r[d][lane(q)] = uint64(m)
		}
	}, err
}

// warpBarrier is bar.warp.sync: what its lanes did before is ordered before what follows.
func warpBarrier(c *compiler, in *ptx.Instr) (step, error) {
	mask, err := c.src(&in.Args[0], ptx.U32)
	return func(w *warp, m uint32) {
		w.members(in, m, mask)
		w.tick()
	}, err
}
