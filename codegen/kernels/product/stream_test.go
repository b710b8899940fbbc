package product

import "testing"

func TestStreamTypes(t *testing.T) {
	var trials []trial
	for i := range formats {
		dtype := formats[i].Type.String()
		trials = append(trials, trial{spec: matmul(dtype, 2, 40, 512)})
	}
	check(t, trials)
}
