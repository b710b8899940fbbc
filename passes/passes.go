package passes

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"

	"dsac/ir"
)

// Pass is one step of the way from graph form to plan form.
type Pass struct {
	Name     string
	Run      func(u *Unit) error
	Required bool
	Gives    string // what holds afterwards
}

// Pipeline lists the passes in the order in which they run on each entry.
var Pipeline = []Pass{
	{"resolve", resolve, true, "caches have the element type that was chosen"},
	{"shard", shard, true, "types and weights are those of one rank"},
	{"absorb", absorb, false, "attention is in the cheaper of its two forms"},
	{"lower", lower, true, "the target has a kernel for every op"},
	{"fold", fold, false, "slices are column selections of the ops that read them"},
	{"fuse", fuse, false, "chains in the rule table are one op"},
	{"halve", halve, true, "products of many rows read activations in f16"},
	{"sweep", sweep, true, "every node has a reader, is a result, or writes a state"},
	{"layout", layout, true, "every weight has the arrangement its kernels want"},
	{"schedule", schedule, true, "one order, whatever the order of the input"},
	{"batch", batch, false, "nodes that do not wait for each other share a launch"},
	{"destinations", destinations, true, "every result has a slot of its own"},
	{"inplace", inplace, false, "results take the bytes of inputs where that is proved"},
	{"liveness", liveness, true, "every slot has an interval"},
	{"offsets", offsets, true, "slots that live together do not overlap"},
	{"pdl", pdl, false, "launches start while the one before them still runs"},
}

// Order gives the reasons for the order of the pipeline; init compares the two.
var Order = []struct{ Before, After, Why string }{
	{"resolve", "destinations", "sizes need element types"},
	{"shard", "absorb", "the cheaper form depends on the heads of a rank"},
	{"shard", "fuse", "a fused residual would join a partial and a complete sum"},
	{"absorb", "lower", "lowering splits absorbed attention"},
	{"lower", "fold", "parts of attention read columns too"},
	{"absorb", "fold", "absorption slices the heads of q"},
	{"fold", "fuse", "rules match ops that read columns directly"},
	{"fuse", "halve", "rules match products and what makes their activations"},
	{"absorb", "halve", "it makes products"},
	{"halve", "schedule", "half_rows has a place in the order"},
	{"fuse", "sweep", "fusion leaves nodes without readers"},
	{"sweep", "layout", "a dead node wants nothing"},
	{"sweep", "schedule", "dead nodes have no place in the order"},
	{"layout", "batch", "kernels depend on the arrangement of weights"},
	{"schedule", "batch", "launches are gathered from one order"},
	{"batch", "inplace", "who runs beside a node must not miss the bytes that it takes"},
	{"batch", "liveness", "what one launch uses lives as long as the launch"},
	{"schedule", "inplace", "a proof that nobody reads later needs an order"},
	{"destinations", "inplace", "in-place joins slots"},
	{"inplace", "liveness", "a joined slot lives as long as both"},
	{"liveness", "offsets", "placement needs intervals"},
}

func init() {
	index := make(map[string]int)
	for i, p := range Pipeline {
		index[p.Name] = i
	}
	for _, o := range Order {
		b, okB := index[o.Before]
		a, okA := index[o.After]
		if !okA || !okB || b >= a {
			panic(fmt.Sprintf("BUG: pass %s must come before %s: %s", o.Before, o.After, o.Why))
		}
	}
}

func find(name string) *Pass {
	for i := range Pipeline {
		if Pipeline[i].Name == name {
			return &Pipeline[i]
		}
	}
	return nil
}

func passNames() string {
	names := make([]string, len(Pipeline))
	for i, p := range Pipeline {
		names[i] = p.Name
	}
	return strings.Join(names, ", ")
}

// run takes u through the pipeline, with the verifier before the first pass and after each.
func run(u *Unit) error {
	if err := ir.Verify(u.G); err != nil {
		return fmt.Errorf("entry %s before the first pass: %w", u.Entry.Name, err)
	}
	input := u.G.Clone()
	for i := range Pipeline {
		p := &Pipeline[i]
		if u.Opt.Skip[p.Name] {
			continue
		}
		if u.Opt.Shuffle != 0 && p.Name == "schedule" {
			shuffle(u.G, rand.New(rand.NewPCG(u.Opt.Shuffle, 0)))
		}
		if err := runPass(p, u, input); err != nil {
			return err
		}
		if err := ir.Verify(u.G); err != nil {
			panic(fmt.Sprintf("BUG: pass %s left a bad graph: %v", p.Name, err))
		}
		if err := verifySlots(u); err != nil {
			panic(fmt.Sprintf("BUG: pass %s left bad slots: %v", p.Name, err))
		}
		if u.Opt.Stopped != nil {
			if err := u.Opt.Stopped(); err != nil {
				return err
			}
		}
		if u.Opt.Observe != nil {
			if err := u.Opt.Observe(p.Name, u); err != nil {
				return err
			}
		}
	}
	return nil
}

// Crash is a broken invariant of a pass: a bug of the compiler, with what replays it.
type Crash struct {
	Pass    string
	Cause   any
	Stack   string
	T, R, C int    // the entry's extents
	Graph   string // the text of the graph that the pipeline was given; it shows the bug again
}

func (c *Crash) Error() string {
	return fmt.Sprintf("pass %s: %v (a bug in dsac; the graph that shows it is kept)", c.Pass, c.Cause)
}

// runPass is the one place where a panic of a pass becomes an error.
func runPass(p *Pass, u *Unit, input *ir.Graph) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Crash{p.Name, r, string(debug.Stack()), u.Bind.T, u.Bind.R, u.Bind.C, input.Text()}
		}
	}()
	if err := p.Run(u); err != nil {
		var at *Error
		if errors.As(err, &at) {
			return err
		}
		return fmt.Errorf("pass %s: %w", p.Name, err)
	}
	return nil
}

// Error is a fault in the user's model, found by a pass.
type Error struct {
	Pos ir.Pos
	Msg string
}

func (e *Error) Error() string { return e.Msg }

// shuffle permutes nodes within what their dependencies allow: a test of determinism.
func shuffle(g *ir.Graph, rng *rand.Rand) {
	listSchedule(g, func(ready []*ir.Node) int { return rng.IntN(len(ready)) })
}
