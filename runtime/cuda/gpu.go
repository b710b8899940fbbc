package cuda

import (
	"fmt"

	"dsac/runtime/plan"
)

// GPU describes one device.
type GPU struct {
	Ordinal      int    `json:"ordinal"` // number for Options.GPU
	Name         string `json:"name"`
	Major        int    `json:"major"` // compute capability
	Minor        int    `json:"minor"`
	Memory       uint64 `json:"memory"` // bytes
	Free         uint64 `json:"free"`   // bytes
	SMs          int    `json:"sms"`
	Bus          string `json:"bus"`            // PCI bus id, domain:bus:device.0
	PCIeGen      int    `json:"pcie_gen"`       // current and most, 0 if unknown
	PCIeGenMax   int    `json:"pcie_gen_max"`   //
	PCIeWidth    int    `json:"pcie_width"`     // lanes
	PCIeWidthMax int    `json:"pcie_width_max"` //
	PowerW       int    `json:"power_w"`        // now, 0 if unknown
	PowerLimitW  int    `json:"power_limit_w"`
	ClockMHz     int    `json:"clock_mhz"` // SM clock now
	ClockMaxMHz  int    `json:"clock_max_mhz"`
	Peers        []int  `json:"peers"` // ordinals whose memory it can access

	cuda int // newest CUDA version of the driver, as it counts: 12080
}

// Arch returns the compute capability as a target is named: sm_120.
func (g *GPU) Arch() string { return fmt.Sprintf("sm_%d%d", g.Major, g.Minor) }

func (g *GPU) String() string { return fmt.Sprintf("GPU %d (%s, %s)", g.Ordinal, g.Name, g.Arch()) }

// System is what there is to run on.
type System struct {
	Built   bool     `json:"built"`  // this binary has CUDA support
	Header  string   `json:"header"` // CUDA version of cuda.h at build time
	Driver  string   `json:"driver"` // version of the NVIDIA driver, "" if there is none
	CUDA    string   `json:"cuda"`   // newest CUDA version that the driver supports
	GPUs    []GPU    `json:"gpus"`
	Problem string   `json:"problem"`         // why there are no GPUs, in one line, or ""
	Notes   []string `json:"notes,omitempty"` // facts that could not be learned, and why
}

// Pick returns the GPU for a plan: the first that runs its target and has the memory free, else
// the one of those that run it with the most free memory.
func Pick(p *plan.Plan) (GPU, error) {
	s := Probe()
	if s.Problem != "" {
		return GPU{}, fmt.Errorf("%w: %s", ErrUnavailable, s.Problem)
	}
	return pick(s.GPUs, p)
}

func pick(gpus []GPU, p *plan.Plan) (GPU, error) {
	need := uint64(reserve)
	for i := range p.Regions {
		need += p.Regions[i].Size
	}
	target := p.MetaValue(plan.MetaTarget)
	var best *GPU
	why := fmt.Errorf("%w: there is no GPU", ErrUnavailable)
	for i := range gpus {
		g := &gpus[i]
		if err := checkTarget(target, g); err != nil {
			why = err
			continue
		}
		if g.Free >= need {
			return *g, nil
		}
		if best == nil || g.Free > best.Free {
			best = g
		}
	}
	if best == nil {
		return GPU{}, why
	}
	return *best, nil
}

// cudaVersion writes the driver's number for a version, 12080, as people do.
func cudaVersion(v int) string {
	if v <= 0 {
		return ""
	}
	return fmt.Sprintf("%d.%d", v/1000, v%1000/10)
}
