package cuda

import (
	"strings"
	"testing"
)

func TestTargets(t *testing.T) {
	for _, c := range []struct {
		target       string
		major, minor int
		want         string // part of the refusal, "" if it runs
	}{
		{"sm_80", 9, 0, ""},
		{"sm_90", 9, 0, ""},
		{"sm_90", 12, 0, ""},
		{"sm_120", 12, 1, ""},
		{"sm_120a", 12, 0, ""},
		{"sm_120f", 12, 1, ""},
		{"sm_120", 9, 0, "the plan is for sm_120, X is sm_90"},
		{"sm_121", 12, 0, "the plan is for sm_121, X is sm_120"},
		{"sm_90a", 12, 0, "the plan is for sm_90a, X is sm_120"},
		{"sm_120a", 12, 1, "the plan is for sm_120a, X is sm_121"},
		{"sm_120f", 13, 0, "the plan is for sm_120f, X is sm_130"},
		{"host", 9, 0, `target "host" has no GPU code`},
		{"sm_", 9, 0, "has no GPU code"},
		{"sm_1x", 9, 0, "has no GPU code"},
		{"", 9, 0, "has no GPU code"},
	} {
		g := &GPU{Name: "X", Major: c.major, Minor: c.minor}
		err := checkTarget(c.target, g)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s on %s: got %v, want %q", c.target, g.Arch(), err, c.want)
		}
		if g.Fits(c.target) != (c.want == "") {
			t.Errorf("%s fits %s: %v", c.target, g.Arch(), g.Fits(c.target))
		}
	}
}

func TestPTXVersions(t *testing.T) {
	for _, c := range []struct {
		text string
		cuda int
		want string
	}{
		{".version 7.8\n.target sm_80", 11080, ""},
		{"// a comment\n.version 9.0\n", 13000, ""},
		{".version 8.5\n", 12060, ""},
		{".version 9.9\n", 15000, ""},
		{".version 9.0\n", 12080, "PTX 9.0, the driver (CUDA 12.8) takes up to 8.7: update the driver to one for CUDA 13.0"},
		{".version 9.5\n", 13000, "update the driver to one for a CUDA newer than 13.1"},
		{".target sm_80\n", 13000, "no .version line"},
		{".version eight\n", 13000, "no .version line"},
		{"", 13000, "no .version line"},
	} {
		err := checkPTX([]byte(c.text), c.cuda)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q with CUDA %d: got %v, want %q", c.text, c.cuda, err, c.want)
		}
	}
}
