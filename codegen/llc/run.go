package llc

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strings"

	"dsac/codegen"
	"dsac/codegen/cache"
)

// revision is part of the cache's keys: raise it when Options or rewrite change.
const revision = "4"

// model is what llc is asked for: the nearest GPU and PTX version that it knows. What is newer
// in a kernel is inline assembly, which llc passes on.
type model struct{ cpu, ptx string }

// models has one row per LLVM version and least compute capability, best first.
var models = []struct {
	major, sm int
	model
}{
	{16, 90, model{"sm_90", "ptx78"}},
	{14, 80, model{"sm_80", "ptx75"}},
}

func (t *Tool) model(g *codegen.Target) (model, error) {
	for _, m := range models {
		if t.Major >= m.major && g.SM >= m.sm {
			return m.model, nil
		}
	}
	return model{}, fmt.Errorf("llc %s makes no code for %s", t.Version, g.Name)
}

func (m model) options() []string {
	return []string{"-O3", "-march=nvptx64", "-mcpu=" + m.cpu, "-mattr=+" + m.ptx, "-nvptx-short-ptr", "-o", "-", "-"}
}

// Compile turns the text of a module into PTX for its target. Results are cached by everything
// that they depend on; dsac is the version of this program.
func (t *Tool) Compile(ir string, g *codegen.Target, dsac string) (string, error) {
	key, err := t.Key(ir, g, dsac)
	if err != nil {
		return "", err
	}
	ptx, err := cache.Do(kind, key, func() ([]byte, error) {
		m, err := t.model(g)
		if err != nil {
			return nil, err
		}
		cmd := exec.Command(t.Path, m.options()...)
		var out, errs bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(ir), &out, &errs
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("llc %s: %w: %s", t.Version, err, firstLines(errs.String(), 3))
		}
		text, err := withClusters(out.String(), ir)
		if err == nil {
			text, err = rewrite(text, g)
		}
		return []byte(text), err
	})
	return string(ptx), err
}

// kind is the cache's for PTX.
const kind = "ptx"

// Key is what Compile keeps its result under.
func (t *Tool) Key(ir string, g *codegen.Target, dsac string) (string, error) {
	m, err := t.model(g)
	if err != nil {
		return "", err
	}
	return cache.Key("llc", revision, t.Version, dsac, g.Name, g.PTX, strings.Join(m.options(), " "), ir), nil
}

// Kept returns what Compile made under a key, if the cache has it.
func Kept(key string) (string, bool) {
	ptx, ok := cache.Kept(kind, key)
	return string(ptx), ok
}

var header = regexp.MustCompile(`(?m)^\.version ([0-9.]+)\n\.target sm_[0-9a-z]+`)

// rewrite names the real target: PTX for an older GPU is valid for a newer one. The version
// stays where it is newer than the target needs: inline assembly may use what it brought.
func rewrite(ptx string, g *codegen.Target) (string, error) {
	m := header.FindStringSubmatchIndex(ptx)
	if m == nil {
		return "", fmt.Errorf("llc's output has no .version and .target lines")
	}
	version := ptx[m[2]:m[3]]
	for _, v := range append(brought(ptx), g.PTX) {
		if newer(v, version) {
			version = v
		}
	}
	return ptx[:m[0]] + ".version " + version + "\n.target " + g.Name + withoutComments(ptx[m[1]:]), nil
}

// laterThanTarget lists what came with a later version of PTX than the first target that has it.
var laterThanTarget = []struct{ text, version string }{
	{"barrier.cluster.arrive.relaxed", "8.0"},
}

// brought lists the versions that brought what the text uses of those.
func brought(ptx string) (versions []string) {
	for _, l := range laterThanTarget {
		if strings.Contains(ptx, l.text) {
			versions = append(versions, l.version)
		}
	}
	return versions
}

// withoutComments leaves out lines that say nothing: llc frames each piece of inline assembly
// with two, which are a third of a text.
func withoutComments(ptx string) string {
	var b strings.Builder
	b.Grow(len(ptx))
	for line := range strings.Lines(ptx) {
		if !strings.HasPrefix(strings.TrimLeft(line, " \t"), "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// newer compares versions of the form "7.8".
func newer(a, b string) bool {
	var a1, a2, b1, b2 int
	fmt.Sscanf(a, "%d.%d", &a1, &a2)
	fmt.Sscanf(b, "%d.%d", &b1, &b2)
	return a1 > b1 || a1 == b1 && a2 > b2
}

func firstLines(s string, n int) string {
	lines := strings.SplitN(strings.TrimSpace(s), "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], " / ")
}
