package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"dsac/runtime/cuda"
)

// diagnosis bounds the search for the step that failed.
const diagnosis = 2 * time.Minute

// envDiagnosis is set for the second run, so that there is no third.
const envDiagnosis = "DSAC_DIAGNOSIS"

// diagnose finds the step of a fault that does not know it. The launches of a graph share one
// fate, and after a fault this process cannot use the GPU: the same command runs once more,
// launch by launch, in another one. What a user types in cannot be repeated.
func diagnose(err error, args []string, log io.Writer) {
	var f *cuda.Fault
	if !errors.As(err, &f) || f.Step != "" || os.Getenv(envDiagnosis) != "" || len(args) < 2 {
		return
	}
	fmt.Fprintln(log, "dsac: running it again launch by launch to find the step")
	ctx, cancel := context.WithTimeout(context.Background(), diagnosis)
	defer cancel()
	exe, err := os.Executable()
	if err != nil {
		fmt.Fprintln(log, "dsac:", err)
		return
	}
	cmd := exec.CommandContext(ctx, exe, append(args[1:len(args):len(args)], "--steps")...)
	cmd.Env = append(os.Environ(), envDiagnosis+"=1")
	var said bytes.Buffer
	cmd.Stderr = &said
	runErr := cmd.Run()
	switch last := lastLine(said.String()); {
	case runErr == nil:
		fmt.Fprintln(log, "dsac: launch by launch it did not fail: an order that the plan lacks, or the hardware")
	case ctx.Err() != nil:
		fmt.Fprintf(log, "dsac: no fault within %v launch by launch\n", diagnosis)
	default:
		fmt.Fprintln(log, last)
	}
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
