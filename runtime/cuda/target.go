package cuda

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// target is an architecture that code was made for.
type target struct {
	major, minor int
	kind         byte // 'a': runs on this architecture alone; 'f': on its family; 0: on newer ones too
}

// parseTarget reads sm_90, sm_120, sm_120a.
func parseTarget(s string) (target, error) {
	digits, ok := strings.CutPrefix(s, "sm_")
	var t target
	if ok && (strings.HasSuffix(digits, "a") || strings.HasSuffix(digits, "f")) {
		t.kind = digits[len(digits)-1]
		digits = digits[:len(digits)-1]
	}
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 20 || n > 9999 {
		return target{}, fmt.Errorf("target %q has no GPU code: want sm_NN; compile with --target for this GPU, see dsac doctor", s)
	}
	t.major, t.minor = n/10, n%10
	return t, nil
}

// runsOn says whether code for t runs on g, natively or through the driver's compiler.
func (t target) runsOn(g *GPU) bool {
	switch t.kind {
	case 'a':
		return g.Major == t.major && g.Minor == t.minor
	case 'f':
		return g.Major == t.major && g.Minor >= t.minor
	}
	return g.Major > t.major || g.Major == t.major && g.Minor >= t.minor
}

// checkTarget refuses a plan whose code cannot run on g.
func checkTarget(planTarget string, g *GPU) error {
	t, err := parseTarget(planTarget)
	if err != nil {
		return fmt.Errorf("%w: plan for %w", ErrUnsupported, err)
	}
	if !t.runsOn(g) {
		return fmt.Errorf("%w: the plan is for %s, %s is %s: compile with --target %s", ErrUnsupported, planTarget, g.Name, g.Arch(), g.Arch())
	}
	return nil
}

// Fits says whether a plan compiled for a target runs on g.
func (g *GPU) Fits(planTarget string) bool { return checkTarget(planTarget, g) == nil }

// ptxVersions lists the newest PTX version that a CUDA version takes, oldest first.
var ptxVersions = []struct{ cuda, ptx int }{ // cuda as the driver counts, ptx times ten
	{11080, 78}, {12000, 80}, {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84}, {12050, 85},
	{12070, 86}, {12080, 87}, {12090, 88}, {13000, 90}, {13010, 91},
}

// checkPTX refuses a text that is newer than the driver's compiler, which would answer with a
// number. A driver newer than the table takes all.
func checkPTX(text []byte, cuda int) error {
	version, ok := ptxVersion(text)
	if !ok {
		return fmt.Errorf("the PTX has no .version line")
	}
	newest := 0
	for _, v := range ptxVersions {
		if v.cuda <= cuda {
			newest = v.ptx
		}
	}
	if cuda >= ptxVersions[len(ptxVersions)-1].cuda+10 || version <= newest {
		return nil
	}
	need := "a CUDA newer than 13.1"
	for _, v := range ptxVersions {
		if v.ptx >= version {
			need = "CUDA " + cudaVersion(v.cuda)
			break
		}
	}
	return fmt.Errorf("the kernels are PTX %d.%d, the driver (CUDA %s) takes up to %d.%d: update the driver to one for %s",
		version/10, version%10, cudaVersion(cuda), newest/10, newest%10, need)
}

// ptxVersion returns ten times the number in the .version line.
func ptxVersion(text []byte) (int, bool) {
	_, rest, ok := bytes.Cut(text, []byte(".version"))
	if !ok {
		return 0, false
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	major, minor, ok := strings.Cut(strings.TrimSpace(string(line)), ".")
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	return 10*a + b, ok && err1 == nil && err2 == nil && a >= 0 && a < 100 && b >= 0 && b < 10
}
