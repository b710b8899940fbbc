package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dsac/runtime/plan"
	"dsac/runtime/tokenizer"
)

// generator turns prompts into text on one session.
type generator struct {
	*session
	flags  *runFlags
	ctx    context.Context
	tok    *tokenizer.Tokenizer
	out    io.Writer
	log    io.Writer
	seen   []int32 // tokens in the caches, for the repetition penalty
	chat   conversation
	figure figures
}

// figures are what run reports at its end.
type figures struct {
	prompt, decoded         int
	promptTime, decodedTime time.Duration
}

func newGenerator(x *session, r *runFlags, cmd *cobra.Command) (*generator, error) {
	tok, err := newTokenizer(x.file)
	if err != nil {
		return nil, err
	}
	g := &generator{session: x, flags: r, ctx: cmd.Context(), tok: tok, out: cmd.OutOrStdout(), log: cmd.ErrOrStderr()}
	for _, d := range []struct {
		flag, key string
		dst       *float32
	}{{"temp", "general.sampling.temp", &r.sample.Temperature}, {"top-p", "general.sampling.top_p", &r.sample.TopP}} {
		if v, ok, err := x.file.Float(d.key); err != nil {
			return nil, err
		} else if ok && !cmd.Flags().Changed(d.flag) {
			*d.dst = float32(v)
		}
	}
	if err := x.dev.SetParams(r.sample); err != nil {
		return nil, err
	}
	if err := g.mask(); err != nil {
		return nil, err
	}
	return g, g.fill()
}

// mask keeps vocabulary rows that are no token from being drawn: those of type unused, and
// those past the tokenizer's end.
func (g *generator) mask() error {
	vocab := g.plan.MetaInt(plan.MetaVocab)
	for _, id := range g.tok.Unused() {
		if int(id) < vocab {
			if err := g.dev.Mask(int(id), int(id)+1); err != nil {
				return err
			}
		}
	}
	if n := g.tok.Size(); n < vocab {
		return g.dev.Mask(n, vocab)
	}
	return nil
}

// fill obeys --state random:SEED[:ROWS]. Without ROWS it leaves room for the prompt and -n
// tokens, half of the context at most.
func (g *generator) fill() error {
	if g.flags.state == "" {
		return nil
	}
	f := strings.Split(g.flags.state, ":")
	if f[0] != "random" || len(f) < 2 || len(f) > 3 {
		return fmt.Errorf("--state %q: want random:SEED or random:SEED:ROWS", g.flags.state)
	}
	seed, err := strconv.ParseUint(f[1], 10, 64)
	if err != nil {
		return fmt.Errorf("--state %q: the seed is not a number", g.flags.state)
	}
	rows := g.plan.MetaInt(plan.MetaCtx) / 2
	if len(f) == 3 {
		if rows, err = strconv.Atoi(f[2]); err != nil {
			return fmt.Errorf("--state %q: the number of rows is not a number", g.flags.state)
		}
	}
	return g.dev.RandomState(seed, rows)
}

// complete continues a text.
func (g *generator) complete(text string) error {
	ids := g.tok.Encode(text, g.flags.raw)
	if len(ids) == 0 {
		return errEmptyPrompt
	}
	if err := errors.Join(g.checkIDs(ids), g.room(len(ids))); err != nil {
		return err // before anything is written
	}
	if _, err := io.WriteString(g.out, text); err != nil {
		return err
	}
	_, err := g.generate(ids)
	return g.end(err)
}

// end closes a run: the end of the line and the figures, also after Ctrl-C. Another error
// stands alone.
func (g *generator) end(err error) error {
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	fmt.Fprintln(g.out)
	return errors.Join(err, g.report())
}

// generate feeds ids and draws tokens until a stop token, -n tokens, the end of the context
// or cancellation; it streams their text and returns it.
func (g *generator) generate(ids []int32) (string, error) {
	if err := g.checkIDs(ids); err != nil {
		return "", err
	}
	start := time.Now()
	if err := g.prefill(ids); err != nil {
		return "", err
	}
	g.figure.prompt += len(ids)
	g.figure.promptTime += time.Since(start)
	stream := g.tok.Stream()
	var text strings.Builder
	emit := func(s string) error {
		text.WriteString(s)
		_, err := io.WriteString(g.out, s)
		return err
	}
	decode, err := g.dev.EntryFor(1, nil)
	if err != nil {
		return "", err
	}
	start = time.Now()
	defer func() { g.figure.decodedTime += time.Since(start) }()
	for n := 1; ; n++ {
		id := g.dev.Token()
		if g.tok.Stop(id) {
			break
		}
		s, err := stream.Push(id)
		if err != nil {
			return "", err
		}
		if err := emit(s); err != nil {
			return "", err
		}
		if n == g.flags.tokens || g.dev.Pos() == g.plan.MetaInt(plan.MetaCtx) {
			break
		}
		// ids[0] already holds the token: the step's last op put it there.
		if err := g.dev.RunContext(g.ctx, decode, 1); err != nil {
			return text.String(), err
		}
		g.seen = append(g.seen, id)
		g.figure.decoded++
	}
	return text.String(), emit(stream.Flush())
}

// prefill feeds a prompt. Only the last piece's draw counts: before it, the tokens seen are
// set to the prompt's.
func (g *generator) prefill(ids []int32) error {
	keep := g.isPrefill
	if len(ids) <= g.largest(allRows) {
		keep = nil // a short prompt fits a decode entry
	}
	chunk := g.largest(func(e *plan.Entry) bool { return keep == nil || keep(e) })
	g.seen = append(g.seen, ids...)
	before := func(last bool) error {
		if !last {
			return nil
		}
		g.dev.Forget()
		return g.dev.Seen(g.seen...)
	}
	return g.feed(g.ctx, ids, chunk, keep, before, func(int, int) error { return nil })
}

// report prints the closing line: rates, which attention ran, memory.
func (g *generator) report() error {
	rate := func(n int, d time.Duration) float64 { return float64(n) / max(d.Seconds(), 1e-9) }
	f := g.figure
	sparse, full := g.attention()
	kind := fmt.Sprintf("dense attention (context within top-k) on %d layers", full)
	if sparse > 0 {
		kind = fmt.Sprintf("sparse attention on %d layers", sparse)
	}
	_, err := fmt.Fprintf(g.log, "prompt %d tokens, %.1f tok/s; decode %d tokens, %.1f tok/s; %s; %.1f MiB besides the mapped weights\n",
		f.prompt, rate(f.prompt, f.promptTime), f.decoded, rate(f.decoded, f.decodedTime), kind, float64(g.dev.Bytes())/(1<<20))
	return err
}

// attention counts the layers whose attention chose among positions, and all of them.
func (g *generator) attention() (sparse, layers int) {
	e := &g.plan.Entries[0]
	steps := g.plan.EntrySteps(e)
	for i := range steps {
		s := &steps[i]
		if _, ok := g.plan.TextAttr(s.Attrs, "grp"); !ok {
			continue
		}
		for _, o := range g.plan.Ops(s) {
			b := &g.plan.Bufs[o.Buf]
			if b.Flags&plan.GrpBuf == 0 || o.Effect != plan.R {
				continue
			}
			layers++
			if g.dev.Pos() > int(b.Shape[b.Dims-1]) {
				sparse++
			}
		}
	}
	return sparse, layers
}
