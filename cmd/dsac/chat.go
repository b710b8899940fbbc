package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"dsac/runtime/chat"
	"dsac/runtime/tokenizer"
)

// conversation is the history of --chat.
type conversation struct {
	template string
	msgs     []chat.Message
	fed      []int32 // tokens of the history that are in the caches
}

// turn answers one message and reports.
func (g *generator) turn(text string) error {
	return g.end(g.answer(text))
}

// converse reads messages line by line until the end of the input.
func (g *generator) converse(in io.Reader) error {
	people := terminal(os.Stdin)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for {
		if people {
			fmt.Fprint(g.log, "> ")
		}
		if !lines.Scan() {
			break
		}
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		if err := g.answer(lines.Text()); err != nil {
			return g.end(err)
		}
		fmt.Fprintln(g.out)
	}
	if err := lines.Err(); err != nil {
		return g.end(err)
	}
	return g.report()
}

// answer renders the history with the file's template, feeds what the caches do not hold yet
// and generates.
func (g *generator) answer(message string) error {
	if err := g.startChat(); err != nil {
		return err
	}
	g.chat.msgs = append(g.chat.msgs, chat.Message{Role: "user", Content: message})
	opt := chat.Options{AddGenerationPrompt: true, EnableThinking: &g.flags.think, Now: time.Now(), Special: g.tok.Specials()}
	segs, err := chat.Segments(g.chat.template, g.chat.msgs, opt)
	if err != nil {
		return err
	}
	ids := g.tok.EncodeSegments(segs)
	same := 0
	for same < len(g.chat.fed) && same < len(ids)-1 && g.chat.fed[same] == ids[same] {
		same++
	}
	if err := g.dev.Rewind(min(same, g.dev.Pos())); err != nil {
		return err
	}
	same = g.dev.Pos()
	g.seen = append(g.seen[:0], ids[:same]...)
	reply, err := g.generate(ids[same:])
	g.chat.fed = append(g.chat.fed[:0], g.seen...)
	thought, said := chat.SplitReply(reply, strings.HasSuffix(text(segs), "<think>"))
	g.chat.msgs = append(g.chat.msgs, chat.Message{Role: "assistant", Reasoning: thought, Content: said})
	return err
}

func (g *generator) startChat() error {
	if g.chat.template != "" {
		return nil
	}
	if g.flags.state != "" {
		return errors.New("--state and --chat exclude each other")
	}
	t, ok, err := g.file.String("tokenizer.chat_template")
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%s has no chat template: use -p with the prompt as the model expects it, and --special if it holds tokens such as <|user|>", g.file.Path)
	}
	g.chat.template = t
	if g.flags.system != "" {
		g.chat.msgs = append(g.chat.msgs, chat.Message{Role: "system", Content: g.flags.system})
	}
	return nil
}

// text joins the pieces of a prompt.
func text(segs []tokenizer.Segment) string {
	var b strings.Builder
	for _, s := range segs {
		b.WriteString(s.Text)
	}
	return b.String()
}
