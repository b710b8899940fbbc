package chat

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// jinjaCase is a template and what Jinja2 3.1.6 renders, run as the Hugging Face runner does
// (sandboxed, trim_blocks, lstrip_blocks, loop controls, its tojson). testdata/jinja.py writes them.
type jinjaCase struct {
	Name     string
	Template string // empty: testdata/glm52.jinja
	Messages []struct {
		Role, Content string
		Reasoning     string `json:"reasoning_content"`
		ToolCalls     []struct {
			Function struct {
				Name      string
				Arguments json.RawMessage
			}
		} `json:"tool_calls"`
	}
	Tools []json.RawMessage
	Vars  map[string]any
	Want  string
}

func glm52(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "glm52.jinja"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAgainstJinja(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "jinja.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []jinjaCase
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			if c.Template == "" {
				c.Template = glm52(t)
			}
			var msgs []Message
			for _, m := range c.Messages {
				msg := Message{Role: m.Role, Content: m.Content, Reasoning: m.Reasoning}
				for _, call := range m.ToolCalls {
					msg.ToolCalls = append(msg.ToolCalls, ToolCall{call.Function.Name, call.Function.Arguments})
				}
				msgs = append(msgs, msg)
			}
			opts := Options{Vars: map[string]any{}, Now: time.Unix(0, 0).UTC()}
			for name, v := range c.Vars {
				switch name {
				case "add_generation_prompt":
					opts.AddGenerationPrompt = v.(bool)
				case "enable_thinking":
					on := v.(bool)
					opts.EnableThinking = &on
				case "reasoning_effort":
					opts.ReasoningEffort = v.(string)
				default:
					opts.Vars[name] = v
				}
			}
			for _, tool := range c.Tools {
				opts.Tools = append(opts.Tools, tool)
			}
			got, err := Render(c.Template, msgs, opts)
			if err != nil {
				t.Fatal(err)
			}
			if got != c.Want {
				t.Errorf("\n got %q\nwant %q", got, c.Want)
			}
		})
	}
}
