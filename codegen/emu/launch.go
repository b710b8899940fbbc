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
	MaxInstrs   uint64        // thread instructions before the launch is given up; 0: 1<<32
}

// grid is a launch under way.
type grid struct {
	k            *Kernel
	cfg          LaunchConfig
	params       []byte
	views        []view
	sharedSize   int
	sharedShadow *shadow // of one block after another; nil where there are clusters, which have one for each block
	published    map[location]published
	wanted       [numFindings]bool
	findings     []Finding
	seen         map[findingKey]int
	varBase      []uint64 // addresses of the kernel's globals
	template     [][32]uint64
	limit        uint64
	unshadowed   bool // Options.NoShadow
	threadInstrs,
	warpInstrs,
	barriers,
	depWaits uint64
}

// Launch runs the kernel. Faults of the kernel are findings in the report; the error is for a
// launch that cannot be made (limits of the target, parameters), or that does not end.
//
// Blocks run one after another in ascending order (x fastest), those of a cluster by turns, warps
// of a block in turn from barrier to barrier: the result is the same every time.
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
	touched := g.touched()
	g.checkCover(touched)
	return &Report{Findings: g.findings, ThreadInstrs: g.threadInstrs, WarpInstrs: g.warpInstrs, Barriers: g.barriers, GridDepWaits: g.depWaits, Params: touched}, err
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
	cfg.Params = slices.Clone(cfg.Params) // bind completes them
	g := &grid{k: k, cfg: cfg, seen: map[findingKey]int{}, limit: opt.MaxInstrs, unshadowed: opt.NoShadow}
	if g.limit == 0 {
		g.limit = 1 << 32
	}
	for i := range g.wanted {
		g.wanted[i] = !slices.Contains(opt.Ignore, FindingKind(i))
	}
	g.sharedSize = k.entry.SharedLayout(cfg.DynShared).Total
	if !opt.NoShadow && g.sharedSize > 0 && k.cluster == 1 {
		g.sharedShadow = newShadow(g.sharedSize, k.grain[1], false)
	}
	if err := g.bind(opt); err != nil {
		return nil, err
	}
	g.fillTemplate()
	return g, nil
}
