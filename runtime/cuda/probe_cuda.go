//go:build cuda

package cuda

// #include "raw.h"
import "C"

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"gorgonia.org/cu"
)

// nvmlInit opens the management library once; it stays open.
var nvmlInit = sync.OnceValue(func() error {
	if r := nvml.Init(); r != nvml.SUCCESS {
		return fmt.Errorf("nvmlInit: %s", nvml.ErrorString(r))
	}
	return nil
})

func nvmlDevice(bus string) (nvml.Device, error) {
	if err := nvmlInit(); err != nil {
		return nil, err
	}
	d, r := nvml.DeviceGetHandleByPciBusId(bus)
	if r != nvml.SUCCESS {
		return nil, fmt.Errorf("nvmlDeviceGetHandleByPciBusId %s: %s", bus, nvml.ErrorString(r))
	}
	return d, nil
}

func nvmlMemory(bus string) (nvml.Memory, error) {
	d, err := nvmlDevice(bus)
	if err != nil {
		return nvml.Memory{}, err
	}
	m, r := d.GetMemoryInfo()
	if r != nvml.SUCCESS {
		return m, fmt.Errorf("nvmlDeviceGetMemoryInfo: %s", nvml.ErrorString(r))
	}
	return m, nil
}

// clusterLaunch is CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH.
const clusterLaunch cu.DeviceAttribute = 120

// describe asks the driver about a GPU.
func describe(dev cu.Device, ordinal int) (GPU, error) {
	g := GPU{Ordinal: ordinal, Peers: []int{}, cuda: cu.Version()}
	var err error
	if g.Name, err = dev.Name(); err != nil {
		return g, wrap("cuDeviceGetName", err)
	}
	total, err := dev.TotalMem()
	if err != nil {
		return g, wrap("cuDeviceTotalMem", err)
	}
	g.Memory = uint64(total)
	var bus [3]int
	var l2 int
	for _, a := range []struct {
		id  cu.DeviceAttribute
		out *int
	}{
		{cu.ComputeCapabilityMajor, &g.Major}, {cu.ComputeCapabilityMinor, &g.Minor}, {cu.MultiprocessorCount, &g.SMs}, {cu.L2CacheSize, &l2},
		{cu.PciDomainID, &bus[0]}, {cu.PciBusID, &bus[1]}, {cu.PciDeviceID, &bus[2]},
	} {
		if *a.out, err = dev.Attribute(a.id); err != nil {
			return g, wrap("cuDeviceGetAttribute", err)
		}
	}
	if n, err := dev.Attribute(clusterLaunch); err == nil { // older drivers do not know it
		g.Clusters = n != 0
	}
	g.L2 = uint64(l2)
	g.Bus = fmt.Sprintf("%08X:%02X:%02X.0", bus[0], bus[1], bus[2])
	return g, nil
}

// measure adds what only the management library knows, as far as it says.
func (g *GPU) measure() error {
	d, err := nvmlDevice(g.Bus)
	if err != nil {
		return err
	}
	if m, r := d.GetMemoryInfo(); r == nvml.SUCCESS {
		g.Free = m.Free
	}
	set := func(out *int, scale int, get func() (int, nvml.Return)) {
		if v, r := get(); r == nvml.SUCCESS {
			*out = v / scale
		}
	}
	unsigned := func(get func() (uint32, nvml.Return)) func() (int, nvml.Return) {
		return func() (int, nvml.Return) { v, r := get(); return int(v), r }
	}
	set(&g.PCIeGen, 1, d.GetCurrPcieLinkGeneration)
	set(&g.PCIeGenMax, 1, d.GetMaxPcieLinkGeneration)
	set(&g.PCIeWidth, 1, d.GetCurrPcieLinkWidth)
	set(&g.PCIeWidthMax, 1, d.GetMaxPcieLinkWidth)
	set(&g.PowerW, 1000, unsigned(d.GetPowerUsage))
	set(&g.PowerLimitW, 1000, unsigned(d.GetEnforcedPowerLimit))
	set(&g.ClockMHz, 1, unsigned(func() (uint32, nvml.Return) { return d.GetClockInfo(nvml.CLOCK_SM) }))
	set(&g.ClockMaxMHz, 1, unsigned(func() (uint32, nvml.Return) { return d.GetMaxClockInfo(nvml.CLOCK_SM) }))
	return nil
}

// Probe reports what there is to run on. It needs no driver, and makes no context on a GPU.
func Probe() System {
	s := System{Built: built, GPUs: []GPU{}, Header: cudaVersion(int(C.dsac_header_version()))}
	if err := nvmlInit(); err != nil {
		s.Notes = append(s.Notes, err.Error())
	} else if v, r := nvml.SystemGetDriverVersion(); r == nvml.SUCCESS {
		s.Driver = v
	}
	if err := available(); err != nil {
		s.Problem = strings.TrimPrefix(err.Error(), ErrUnavailable.Error()+": ")
		return s
	}
	s.CUDA = cudaVersion(cu.Version())
	if s.Driver == "" {
		s.Driver = kernelModule()
	}
	n, err := cu.NumDevices()
	if err != nil {
		s.Problem = wrap("cuDeviceGetCount", err).Error()
		return s
	}
	devs := make([]cu.Device, n)
	for i := range n {
		if devs[i], err = cu.GetDevice(i); err == nil {
			var g GPU
			if g, err = describe(devs[i], i); err == nil {
				if merr := g.measure(); merr != nil {
					s.Notes = append(s.Notes, fmt.Sprintf("GPU %d: %v", i, merr))
				}
				s.GPUs = append(s.GPUs, g)
				continue
			}
		}
		s.Notes = append(s.Notes, fmt.Sprintf("GPU %d: %v", i, err))
	}
	s.peers(devs)
	return s
}

var moduleVersion = regexp.MustCompile(`\d+\.\d+(\.\d+)?`)

// kernelModule returns the driver's version as its kernel module says it, for machines without
// the management library.
func kernelModule() string {
	text, err := os.ReadFile("/proc/driver/nvidia/version")
	if err != nil {
		return "unknown"
	}
	return moduleVersion.FindString(string(text))
}

// peers asks for every pair of GPUs whether one reaches the memory of the other.
func (s *System) peers(devs []cu.Device) {
	for i := range s.GPUs {
		g := &s.GPUs[i]
		for j := range s.GPUs {
			if o := s.GPUs[j].Ordinal; o != g.Ordinal {
				if ok, err := devs[g.Ordinal].CanAccessPeer(devs[o]); err == nil && ok != 0 {
					g.Peers = append(g.Peers, o)
				}
			}
		}
	}
}
