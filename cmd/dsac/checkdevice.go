package main

import (
	"context"
	"slices"
	"strings"

	"dsac/codegen/emudev"
	"dsac/runtime/check"
	"dsac/runtime/host"
)

// checkDevice is a device that a check compares with the host.
type checkDevice struct {
	target func() string // that a model is compiled for unless --target says otherwise
	// open puts the session's plan on the device. The function that it returns frees it.
	open func(ctx context.Context, c *checkFlags, x *session) (check.Device, func() error, error)
}

// checkDevices lists the devices by the value of --device.
var checkDevices = map[string]*checkDevice{
	"cuda": {ownTarget, openCUDA},
	"emu":  {func() string { return "sm_120" }, openEmu},
}

func checkDeviceNames() string {
	var names []string
	for n := range checkDevices {
		names = append(names, n)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func openEmu(_ context.Context, c *checkFlags, x *session) (check.Device, func() error, error) {
	layouts := make(map[string]emudev.Layout)
	for name, pack := range weightLayouts() {
		layouts[name] = pack
	}
	d, err := emudev.Open(x.plan, host.File(x.file), emudev.Options{Layouts: layouts, Fast: c.quick})
	return d, func() error { return nil }, err
}
