package passes

import (
	"sort"
	"strings"

	"dsac/codegen"
	"dsac/codegen/ptx"
)

// Target is a device that plans are made for.
type Target struct {
	Name string
	KV   string          // element type of the caches unless chosen
	GPU  *codegen.Target // nil: the host, which needs no kernels
}

// Targets lists the targets by name: the host, and every GPU that kernels can be made for.
var Targets = func() map[string]*Target {
	m := map[string]*Target{"host": {Name: "host", KV: "f32"}}
	for _, t := range ptx.Targets {
		m[t.Name] = &Target{Name: t.Name, KV: "f16", GPU: &codegen.Target{Target: t}}
	}
	return m
}()

// target returns the row that the options name.
func (o *Options) target() *Target { return Targets[o.Target] }

// TargetNames lists the targets for messages.
func TargetNames() string {
	var names []string
	for n := range Targets {
		names = append(names, n)
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}
