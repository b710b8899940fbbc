package emudev

import (
	"fmt"

	"dsac/codegen/emu"
	"dsac/codegen/ptx"
)

// kernel compiles a kernel of the plan at its first use.
func (d *Device) kernel(i int32) (*emu.Kernel, error) {
	if k := d.kernels[i]; k != nil {
		return k, nil
	}
	pk := &d.plan.Kernels[i]
	name := d.plan.Str(pk.Name)
	src := d.sources[pk.PTX]
	if src == nil {
		src = ptx.Cut(string(d.plan.Bytes(pk.PTX)))
		d.sources[pk.PTX] = src
	}
	m, err := ptx.Parse(src.Only(name))
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	k, err := emu.Compile(m, name)
	if err != nil {
		return nil, err
	}
	d.kernels[i] = k
	return k, nil
}
