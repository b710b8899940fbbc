package cases

import (
	"encoding/binary"
	"math"

	"dsac/runtime/plan"
)

// choice is a way to choose a token.
type choice struct {
	name                     string
	temp, topP, minP, repeat float32
	topK                     uint32
}

// choices are the ways that are timed, each restriction alone and all of them.
var choices = []choice{
	{name: "greedy", topP: 1, repeat: 1},
	{name: "temp", temp: 1, topP: 1, repeat: 1},
	{name: "top-k", temp: 1, topK: 40, topP: 1, repeat: 1},
	{name: "top-p", temp: 1, topP: 0.95, repeat: 1},
	{name: "min-p", temp: 1, topP: 1, minP: 0.05, repeat: 1},
	{name: "all", temp: 0.8, topK: 40, topP: 0.95, minP: 0.05, repeat: 1.1},
}

// params are the bytes that the sampler reads.
func (c *choice) params() []byte {
	b := make([]byte, plan.SmpSize)
	for at, x := range map[int]float32{plan.SmpTemp: c.temp, plan.SmpTopP: c.topP, plan.SmpMinP: c.minP, plan.SmpPenalty: c.repeat} {
		binary.LittleEndian.PutUint32(b[at:], math.Float32bits(x))
	}
	binary.LittleEndian.PutUint32(b[plan.SmpTopK:], c.topK)
	return b
}
