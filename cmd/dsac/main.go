// Command dsac compiles GLM-DSA models into static plans, lints plans and runs them. It wires
// the packages together and holds nothing else: flags, files, messages, exit codes.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// version is set by the Makefile.
var version = "unknown"

// Exit codes of every command.
const (
	exitOK       = 0
	exitFindings = 1 // lint found something
	exitError    = 2
)

// exitCode is an error that only sets the exit code: everything has been said.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process where it stands
	err := newRoot().ExecuteContext(ctx)
	stop()
	var code exitCode
	switch {
	case err == nil:
	case errors.As(err, &code):
		os.Exit(int(code))
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "dsac: stopped")
		os.Exit(exitError)
	default:
		fmt.Fprintln(os.Stderr, "dsac:", err)
		diagnose(err, os.Args, os.Stderr)
		os.Exit(exitError)
	}
}
