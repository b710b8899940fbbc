package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"dsac/runtime/cuda"
	"dsac/runtime/gguf"
	"dsac/runtime/host"
	"dsac/runtime/plan"
	"dsac/runtime/sample"
)

// device is what replays a plan: host.Device or cuda.Device.
type device interface {
	Close() error
	Entry(name string) (int, error)
	EntryFor(n int, keep func(*plan.Entry) bool) (int, error)
	IDs() []int32
	Run(entry, n int) error
	RunContext(ctx context.Context, entry, n int) error
	Logits(entry, row int) []float32
	Token() int32
	Pos() int
	Reset()
	Rewind(pos int) error
	SetParams(p sample.Params) error
	Mask(from, to int) error
	Seen(ids ...int32) error
	Forget()
	RandomState(seed uint64, pos int) error
	Observe(before, after func(step int32) error)
	BufferAt(i int32) []byte
	Bytes() uint64
}

// deviceName is the value of --device: host, cuda (the first GPU that the plan fits) or cuda:N.
type deviceName struct {
	host    bool
	ordinal int // of the GPU, -1: any
}

func parseDevice(s string) (deviceName, error) {
	if s == "host" {
		return deviceName{host: true}, nil
	}
	if s == "cuda" {
		return deviceName{ordinal: -1}, nil
	}
	if n, ok := strings.CutPrefix(s, "cuda:"); ok {
		if i, err := strconv.Atoi(n); err == nil && i >= 0 {
			return deviceName{ordinal: i}, nil
		}
	}
	return deviceName{}, fmt.Errorf("--device %s: want host, cuda or cuda:N", s)
}

// load puts a plan on the device that was asked for, and without a wish on a GPU that fits the
// plan's target, else on the host. It says which on a terminal.
func (s *sessionFlags) load(ctx context.Context, p *plan.Plan, f *gguf.File) (device, error) {
	target := p.MetaValue(plan.MetaTarget)
	want, err := s.choose(p, target)
	if err != nil {
		return nil, err
	}
	if want.host && s.madeUp {
		return nil, errors.New("--random-weights are made on a GPU: give --device cuda, or weights with -m")
	}
	if want.host {
		say("device: host, plan for target %s", target)
		return host.Load(p, host.File(f), host.Options{Workers: s.workers, Poison: s.poison, Canary: s.canary})
	}
	if s.poison || s.canary {
		return nil, errors.New("--poison and --canary are for --device host")
	}
	d, err := loadCUDA(ctx, p, f, cuda.Options{GPU: want.ordinal, Steps: s.steps, MadeUp: s.madeUp})
	if err != nil {
		return nil, err
	}
	g := d.GPU()
	say("device: %s, plan for target %s", &g, target)
	return d, nil
}

// loadCUDA puts a plan on a GPU, with progress and notes for people.
func loadCUDA(ctx context.Context, p *plan.Plan, f *gguf.File, opt cuda.Options) (*cuda.Device, error) {
	opt.Progress, opt.Log = bytesProgress(os.Stderr, "loading"), func(line string) { say("%s", line) }
	if opt.MadeUp {
		return cuda.LoadContext(ctx, p, nil, opt)
	}
	return cuda.LoadContext(ctx, p, cuda.File(f), opt)
}

// choose settles which device a plan runs on.
func (s *sessionFlags) choose(p *plan.Plan, target string) (deviceName, error) {
	if s.device == "" && target == "host" {
		return deviceName{host: true}, nil
	}
	want := deviceName{ordinal: -1}
	if s.device != "" {
		var err error
		if want, err = parseDevice(s.device); err != nil || want.host || want.ordinal >= 0 {
			return want, err
		}
	}
	g, err := cuda.Pick(p)
	switch {
	case err == nil:
		return deviceName{ordinal: g.Ordinal}, nil
	case s.device == "":
		say("no GPU for this plan: %v", err)
		return deviceName{host: true}, nil
	}
	return want, fmt.Errorf("--device %s: %w", s.device, err)
}

// say writes a line to a terminal: logs stay quiet.
func say(format string, args ...any) {
	if terminal(os.Stderr) {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}
