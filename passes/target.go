package passes

import (
	"sort"
	"strings"
)

// Target is a device that plans are made for.
type Target struct {
	Name string
	KV   string // element type of the caches unless chosen
}

// Targets lists the targets by name.
var Targets = map[string]*Target{
	"host": {Name: "host", KV: "f32"},
}

func targetNames() string {
	var names []string
	for n := range Targets {
		names = append(names, n)
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}
