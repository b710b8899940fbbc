package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptInterrupt (interrupt TEXT ARG...) runs dsac ARG... with an input that stays open,
// waits until it has written TEXT (to either output), or until a file matches for file:PATTERN,
// or for a second when TEXT is empty, and sends what Ctrl-C sends. It must stop at once, say so,
// and exit with code 2.
func scriptInterrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: interrupt TEXT ARG...")
	}
	cmd := exec.Command(findDsac(ts), args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "DSAC_CACHE="+ts.Getenv("DSAC_CACHE"))
	in, err := cmd.StdinPipe()
	ts.Check(err)
	defer in.Close()
	out, w, err := os.Pipe()
	ts.Check(err)
	defer out.Close()
	cmd.Stdout, cmd.Stderr = w, w
	ts.Check(cmd.Start())
	w.Close()
	late := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	defer late.Stop()
	var seen string
	switch pattern, file := strings.CutPrefix(args[0], "file:"); {
	case file:
		waitForFile(ts, pattern)
	case args[0] == "":
		time.Sleep(time.Second) // it reads its input by then
	default:
		seen = readUntil(ts, out, args[0])
	}
	ts.Check(cmd.Process.Signal(os.Interrupt))
	sent := time.Now()
	rest, err := io.ReadAll(out)
	ts.Check(err)
	err = cmd.Wait()
	took := time.Since(sent)
	all := seen + string(rest)
	ts.Logf("[interrupted]\n%s", all)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitError {
		ts.Fatalf("ended with %v, want exit code %d", err, exitError)
	}
	if !strings.HasSuffix(all, "dsac: stopped\n") {
		ts.Fatalf("the last line is not \"dsac: stopped\"")
	}
	if took > 5*time.Second {
		ts.Fatalf("took %v to stop", took)
	}
}

func waitForFile(ts *testscript.TestScript, pattern string) {
	for range 1000 {
		if m, _ := filepath.Glob(ts.MkAbs(pattern)); len(m) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("no file %s appeared", pattern)
}

// readUntil reads until what was read holds text.
func readUntil(ts *testscript.TestScript, out io.Reader, text string) string {
	var seen strings.Builder
	r := bufio.NewReaderSize(out, 1)
	for !strings.Contains(seen.String(), text) {
		b, err := r.ReadByte()
		if err != nil {
			ts.Fatalf("ended before it wrote %q:\n%s", text, seen.String())
		}
		seen.WriteByte(b)
	}
	return seen.String()
}

// findDsac returns the file that exec dsac runs.
func findDsac(ts *testscript.TestScript) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if name := filepath.Join(dir, "dsac"); fileExists(name) {
			return name
		}
	}
	ts.Fatalf("no dsac in PATH")
	return ""
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
