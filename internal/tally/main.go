// Command tally runs "go test -json" with the arguments it is given, prints what failed and
// why tests were skipped, and closes with one line: N passed, N failed, N skipped. It imports
// nothing of this module.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"strings"
	"time"
)

type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

type result struct {
	passed, failed, skipped int
	out                     map[string][]string // package/test -> its output
	skips                   map[string]int      // reason -> tests
}

func main() {
	cmd := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(2)
	}
	start := time.Now()
	r := result{out: make(map[string][]string), skips: make(map[string]int)}
	sc := bufio.NewScanner(pipe)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		var e event
		if json.Unmarshal(sc.Bytes(), &e) != nil {
			fmt.Println(sc.Text())
			continue
		}
		r.add(e)
	}
	err = cmd.Wait()
	r.print(time.Since(start))
	if err != nil && r.failed == 0 {
		r.failed++ // a package that did not build
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", r.passed, r.failed, r.skipped)
	if err != nil || r.failed > 0 {
		os.Exit(1)
	}
}

// add counts leaf results: a test with subtests counts as one more.
func (r *result) add(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output":
		r.out[key] = append(r.out[key], e.Output)
	case "build-output":
		fmt.Print(e.Output)
	case "pass":
		if e.Test != "" {
			r.passed++
			delete(r.out, key)
		} else {
			fmt.Printf("ok   %-40s %6.1fs\n", e.Package, e.Elapsed)
		}
	case "fail":
		if e.Test != "" {
			r.failed++
		}
		fmt.Printf("FAIL %s %s\n%s", e.Package, e.Test, strings.Join(r.out[key], ""))
	case "skip":
		if e.Test != "" {
			r.skipped++
			r.skips[reason(r.out[key])]++
		}
	}
}

// reason finds what a skipped test said.
func reason(lines []string) string {
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if l != "" && !strings.HasPrefix(l, "===") && !strings.HasPrefix(l, "---") {
			if _, after, ok := strings.Cut(l, ".go:"); ok {
				if _, msg, ok := strings.Cut(after, ": "); ok {
					return msg
				}
			}
			return l
		}
	}
	return "no reason given"
}

func (r *result) print(d time.Duration) {
	var reasons []string
	for why := range r.skips {
		reasons = append(reasons, why)
	}
	sort.Strings(reasons)
	for _, why := range reasons {
		fmt.Printf("skipped %d: %s\n", r.skips[why], why)
	}
	fmt.Printf("tests took %.0f s\n", d.Seconds())
}
