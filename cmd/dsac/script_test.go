package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"dsac/codegen/llc"
	"dsac/internal/fixture"
	"dsac/runtime/cuda"
)

// The scripts in testdata/script use dsac as a user does. Beside the commands of testscript
// they have those of scriptCmds; $TINY is a folder with small models.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"dsac": main, "dsac-peak": mainPeak})
}

func TestScripts(t *testing.T) {
	tiny := fixture.Path(t, "golden", "tiny")
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		ContinueOnError:     true,
		RequireUniqueNames:  true,
		Cmds:                scriptCmds,
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "gpu":
				return len(cuda.Probe().GPUs) > 0, nil
			case "llc":
				_, err := llc.Find()
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("TINY", tiny)
			env.Setenv("ROOT", fixture.Root())
			env.Setenv("Q4", filepath.Join(tiny, "q4_k_m.gguf"))
			env.Setenv("DSAC_CACHE", filepath.Join(env.WorkDir, ".cache"))
			return nil
		},
	})
}

// scriptCmds are the commands of the scripts beside testscript's own.
var scriptCmds = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"refused":   scriptRefused,
	"interrupt": scriptInterrupt,
	"gguf":      scriptGGUF,
	"poke":      scriptPoke,
	"cut":       scriptCut,
	"edit":      scriptEdit,
	"flip":      scriptFlip,
}

// scriptRefused (refused ARG...) runs dsac ARG... and demands what every wrong input must
// get: exit code 2, one message on standard error, nothing on standard output.
func scriptRefused(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("refused takes no !")
	}
	err := ts.Exec("dsac", args...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		ts.Fatalf("dsac did not refuse: %v", err)
	}
	out, msg := ts.ReadFile("stdout"), ts.ReadFile("stderr")
	switch {
	case exit.ExitCode() != exitError:
		ts.Fatalf("exit code %d, want %d", exit.ExitCode(), exitError)
	case out != "":
		ts.Fatalf("standard output is not empty: %q", out)
	case !strings.HasPrefix(msg, "dsac: ") || strings.Count(msg, "dsac: ") != 1:
		ts.Fatalf("want one message that starts with dsac:, got %q", msg)
	case strings.Contains(msg, "BUG") || strings.Contains(msg, "goroutine"):
		ts.Fatalf("wrong input ended in a bug of dsac: %s", msg)
	}
}
