package cuda

import "fmt"

// GPU describes one device.
type GPU struct {
	Ordinal      int    `json:"ordinal"` // number for Options.GPU
	Name         string `json:"name"`
	Major        int    `json:"major"` // compute capability
	Minor        int    `json:"minor"`
	Memory       uint64 `json:"memory"` // bytes
	Free         uint64 `json:"free"`   // bytes
	SMs          int    `json:"sms"`
	Clusters     bool   `json:"clusters"`       // it launches blocks in clusters
	L2           uint64 `json:"l2"`             // bytes
	Bus          string `json:"bus"`            // PCI bus id, domain:bus:device.0
	PCIeGen      int    `json:"pcie_gen"`       // now, 0 if unknown, as all that follows
	PCIeGenMax   int    `json:"pcie_gen_max"`   // of GPU and slot
	PCIeWidth    int    `json:"pcie_width"`     // lanes now
	PCIeWidthMax int    `json:"pcie_width_max"` // lanes of GPU and slot
	PowerW       int    `json:"power_w"`        // now
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

// cudaVersion writes the driver's number for a version, 12080, as people do.
func cudaVersion(v int) string {
	if v <= 0 {
		return ""
	}
	return fmt.Sprintf("%d.%d", v/1000, v%1000/10)
}
