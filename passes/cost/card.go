package cost

import (
	"fmt"
	"strings"
)

// Card is a GPU as far as predictions need it.
type Card struct {
	Name      string
	Copy      float64 // bytes per second, read and written, of a device copy
	MMA       float64 // f16 products with f32 sums on tensor cores, 2 per multiply-add and second; 0: unknown
	SMs       int
	L2        float64 // bytes
	AllReduce float64 // microseconds of one sum over eight cards of what a decode step sums (24 KiB)
	Source    string
}

// Cards lists what is known. Copies and products of other cards: dsac bench kernels.
var Cards = []Card{
	{Name: "rtx-pro-6000", Copy: 1597e9, MMA: 0, SMs: 188, L2: 128 << 20, AllReduce: 13,
		Source: "GPU docs and public benchmarks: 1,792 GB/s nominal, 1,597 with ECC at the server clock; one-shot all-reduce over PCIe Gen5 of 8 to 32 KB: 9 to 17 us, the middle is taken"},
	{Name: "h200", Copy: 4285e9, MMA: 0, SMs: 132, L2: 50 << 20, AllReduce: 0,
		Source: "measured with dsac bench and a copy kernel (docs/measurements.md); one card only"},
}

// CardNamed returns a row of the table.
func CardNamed(name string) (*Card, error) {
	var names []string
	for i := range Cards {
		if Cards[i].Name == name {
			return &Cards[i], nil
		}
		names = append(names, Cards[i].Name)
	}
	return nil, fmt.Errorf("no card is named %q; known are %s", name, strings.Join(names, ", "))
}
