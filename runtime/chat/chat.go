// Package chat turns a conversation into a prompt by running the Jinja template that a GGUF
// file brings (tokenizer.chat_template; docs/spec/glm-dsa.md, section 6.3), with the rules of
// the Hugging Face template runner: trim_blocks, lstrip_blocks, its tojson, its functions.
// The template engine is gonja; what it does otherwise than Jinja2 is mended in whitespace.go, rewrite.go,
// python.go and json.go.
// It must not import other packages of this module than runtime/tokenizer.
package chat

import (
	"encoding/json"
	"errors"
	"time"

	"dsac/runtime/tokenizer"
)

// Message is one turn of a conversation.
type Message struct {
	Role      string // system, user, assistant or tool
	Content   string
	Reasoning string     // what an assistant thought before its content
	ToolCalls []ToolCall // what an assistant asked for
}

// ToolCall is a call of a function by the model.
type ToolCall struct {
	Name      string
	Arguments json.RawMessage // a JSON object; its order is kept
}

// Options are the variables of a template besides the messages.
type Options struct {
	AddGenerationPrompt bool
	EnableThinking      *bool  // nil: the template's default
	ReasoningEffort     string // "": the template's default
	Tools               []any  // json.RawMessage (order kept), or maps, slices, strings, numbers
	Now                 time.Time
	Vars                map[string]any // others, such as bos_token or clear_thinking

	// Special lists the texts of added tokens (tokenizer.Specials), so that Segments can
	// keep messages from producing them.
	Special []string
}

// errNoTemplate is returned for a file without a template.
var errNoTemplate = errors.New("the model file has no chat template (tokenizer.chat_template): use --raw to send the text as it is, or a file that has one")

// Render returns the prompt for msgs. Its text alone does not tell structure from what a user
// typed; to make tokens of it use Segments.
func Render(template string, msgs []Message, opts Options) (string, error) {
	opts.Special = nil
	segs, err := Segments(template, msgs, opts)
	if err != nil || len(segs) == 0 {
		return "", err
	}
	return segs[0].Text, nil
}

// Segments returns the prompt in pieces for Tokenizer.EncodeSegments: text that a message
// brought and that reads like a token of opts.Special comes in segments of its own without
// ParseSpecial, so that it stays text. Joined, the pieces are what Render returns.
func Segments(template string, msgs []Message, opts Options) ([]tokenizer.Segment, error) {
	if template == "" {
		return nil, errNoTemplate
	}
	in, err := inputOf(msgs, opts.Tools)
	if err != nil {
		return nil, err
	}
	g, err := newGuard(opts.Special, template, in.strings())
	if err != nil {
		return nil, err
	}
	vars := map[string]any{
		"messages":              g.value(in.messages),
		"tools":                 nil,
		"documents":             nil,
		"add_generation_prompt": opts.AddGenerationPrompt,
	}
	if len(in.tools) > 0 {
		vars["tools"] = g.value(in.tools)
	}
	if opts.EnableThinking != nil {
		vars["enable_thinking"] = *opts.EnableThinking
	}
	if opts.ReasoningEffort != "" {
		vars["reasoning_effort"] = opts.ReasoningEffort
	}
	for name, v := range opts.Vars {
		tree, err := treeOf(v, 0)
		if err != nil {
			return nil, err
		}
		vars[name] = (&guard{}).value(tree)
	}
	text, err := execute(template, vars, opts.Now)
	if err != nil {
		return nil, err
	}
	return g.segments(text), nil
}
