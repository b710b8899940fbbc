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

func TestPick(t *testing.T) {
	p := toyPlan(t)
	const plenty, none = 10 << 30, 0
	for _, c := range []struct {
		name   string
		target string
		gpus   []GPU
		want   int // ordinal, -1: refused
	}{
		{"the first that has room", "sm_90", []GPU{{Ordinal: 0, Major: 9, Free: none}, {Ordinal: 1, Major: 9, Free: plenty}, {Ordinal: 2, Major: 9, Free: plenty}}, 1},
		{"not an older one", "sm_120", []GPU{{Ordinal: 0, Major: 9, Free: plenty}, {Ordinal: 1, Major: 12, Free: plenty}}, 1},
		{"the emptiest of those without room", "sm_90", []GPU{{Ordinal: 0, Major: 9, Free: 1}, {Ordinal: 1, Major: 9, Free: 3}, {Ordinal: 2, Major: 9, Free: 2}}, 1},
		{"the largest where nobody knows what is free", "sm_90", []GPU{{Ordinal: 0, Major: 9, Memory: 1}, {Ordinal: 1, Major: 9, Memory: 3}}, 1},
		{"none runs it", "sm_120", []GPU{{Ordinal: 0, Major: 9, Free: plenty}}, -1},
		{"none is there", "sm_120", nil, -1},
	} {
		setMeta(p, "target", c.target)
		g, err := pick(c.gpus, p)
		if c.want < 0 && err == nil || c.want >= 0 && (err != nil || g.Ordinal != c.want) {
			t.Errorf("%s: got GPU %d (%v), want %d", c.name, g.Ordinal, err, c.want)
		}
	}
}

// Names of targets and texts of kernels come from plan files.
func FuzzForeignText(f *testing.F) {
	f.Add("sm_120a", []byte(".version 8.7\n.target sm_120\n"))
	f.Add("sm_9", []byte(".version"))
	f.Add("host", []byte(".version 999999999999999999999.1"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		if tg, err := parseTarget(name); err == nil {
			if g := (GPU{Major: tg.major, Minor: tg.minor}); !g.Fits(name) {
				t.Errorf("%s does not run on %s", name, g.Arch())
			}
		}
		if v, ok := ptxVersion(text); ok && v < 0 {
			t.Errorf("version %d", v)
		}
		_ = checkPTX(text, 13000)
	})
}
