package chat

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/nikolalohinski/gonja/v2/builtins"
	"github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/loaders"
)

// A template comes with a downloaded file. These bound what one can do to the process.
const (
	maxTemplate = 256 << 10 // bytes; real ones have less than 20,000
	maxOutput   = 16 << 20  // bytes
	maxRange    = 1 << 20   // numbers of range()
	maxMacro    = 200       // calls of one macro inside itself
	maxTime     = 10 * time.Second
)

// execute runs a template. All that goes wrong in it is an error that names the line where
// known. A template that runs into maxTime is abandoned: its goroutine may go on until the
// output bound stops it.
func execute(template string, vars map[string]any, now time.Time) (string, error) {
	if len(template) > maxTemplate {
		return "", fmt.Errorf("chat template: %d bytes, at most %d are accepted", len(template), maxTemplate)
	}
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r = result{err: fmt.Errorf("chat template: the template engine failed: %v", p)}
			}
			done <- r
		}()
		r.text, r.err = run(template, vars, now)
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-time.After(maxTime):
		return "", fmt.Errorf("chat template: not done after %v, given up", maxTime)
	}
}

// run parses and executes a template in a fresh environment.
func run(template string, vars map[string]any, now time.Time) (string, error) {
	template, err := settle(template)
	if err != nil {
		return "", err
	}
	cfg := config.New()
	cfg.KeepTrailingNewline = true // settle has dropped it
	loader, err := loaders.NewMemoryLoader(map[string]string{"/chat_template": template})
	if err != nil {
		return "", err
	}
	raised := "" // what our own functions refuse; the engine buries their errors in its own
	globals := exec.EmptyContext().Update(builtins.GlobalFunctions)
	for name, fn := range globalFuncs(now, &raised) {
		globals.Set(name, fn)
	}
	t, err := exec.NewTemplate("/chat_template", cfg, loader, &exec.Environment{
		Context: globals, Filters: filters(), Tests: builtins.Tests, ControlStructures: statements(&raised), Methods: methods(),
	})
	if err != nil {
		return "", templateError(rootOf(err), "")
	}
	var out bounded
	if err := t.Execute(&out, exec.NewContext(maps.Clone(vars))); err != nil {
		return "", templateError(err, raised)
	}
	return out.String(), nil
}

// bounded is a string builder that refuses to grow past maxOutput.
type bounded struct{ strings.Builder }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxOutput {
		return 0, fmt.Errorf("more than %d bytes of output", maxOutput)
	}
	return b.Builder.Write(p)
}

// WriteString keeps io.WriteString from going past Write.
func (b *bounded) WriteString(s string) (int, error) { return b.Write([]byte(s)) }

// globalFuncs are the functions that the Hugging Face runner adds, and range with a bound.
// What raise_exception is given goes to raised.
func globalFuncs(now time.Time, raised *string) map[string]any {
	return map[string]any{
		"raise_exception": func(args *exec.VarArgs) (string, error) {
			*raised = "the template refuses this conversation"
			if len(args.Args) > 0 {
				*raised = args.Args[0].String()
			}
			return "", errors.New(*raised)
		},
		"strftime_now": func(args *exec.VarArgs) (string, error) {
			if len(args.Args) != 1 {
				return "", errors.New("strftime_now takes a format")
			}
			return strftime(args.Args[0].String(), now), nil
		},
		"range": func(args *exec.VarArgs) (l list, err error) {
			if l, err = rangeList(args); err != nil {
				*raised = err.Error()
			}
			return l, err
		},
	}
}

// rangeList is range(stop), range(start, stop) and range(start, stop, step).
func rangeList(args *exec.VarArgs) (list, error) {
	n := []int{}
	for _, a := range args.Args {
		if !a.IsInteger() {
			return nil, fmt.Errorf("range takes whole numbers, got %s", a)
		}
		n = append(n, a.Integer())
	}
	start, stop, step := 0, 0, 1
	switch len(n) {
	case 1:
		stop = n[0]
	case 2:
		start, stop = n[0], n[1]
	case 3:
		start, stop, step = n[0], n[1], n[2]
	default:
		return nil, fmt.Errorf("range takes one to three numbers, got %d", len(n))
	}
	if step == 0 {
		return nil, errors.New("range with step 0")
	}
	l := list{}
	for i := start; step > 0 && i < stop || step < 0 && i > stop; i += step {
		if len(l) == maxRange {
			return nil, fmt.Errorf("range of more than %d numbers", maxRange)
		}
		l = append(l, i)
	}
	return l, nil
}

// places finds the line numbers in the engine's messages; the last is the innermost. It counts
// from 0 where it does not know.
var places = regexp.MustCompile(`(?:at line|\(Line:) ([1-9]\d*)`)

// templateError makes one line of an error of the engine.
func templateError(err error, raised string) error {
	where := ""
	if all := places.FindAllStringSubmatch(err.Error(), -1); len(all) > 0 {
		where = " line " + all[len(all)-1][1]
	}
	msg := raised
	if msg == "" {
		msg = rootOf(err).Error()
		if at := strings.LastIndex(msg, " (Line: "); at > 0 { // said already, and its column is not the user's
			msg = msg[:at]
		}
	}
	return fmt.Errorf("chat template%s: %s", where, oneLine(msg))
}

// oneLine shortens a message, which may quote a whole conversation, to one line.
func oneLine(msg string) string {
	const most = 300
	msg = strings.Join(strings.Fields(msg), " ")
	if len(msg) > most {
		msg = strings.ToValidUTF8(msg[:most], "") + " ..."
	}
	return msg
}

// rootOf returns the innermost error.
func rootOf(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
