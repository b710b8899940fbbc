package chat

import (
	"strings"
	"testing"
)

func TestTemplateErrors(t *testing.T) {
	for _, c := range []struct{ name, template, want string }{
		{"missing", "", "the model file has no chat template (tokenizer.chat_template): use --raw"},
		{"raise", "a\n\n{% if true %}\n  {{ raise_exception('roles must alternate') }}\n{% endif %}", "chat template line 4: roles must alternate"},
		{"raise after stripped lines", "a\n\n\n{%- if true -%}\n\n\n{{- raise_exception('no') }}{% endif %}", "chat template line 7: no"},
		{"unclosed tag", "x\ny {{ 1 ", `chat template line 2: a tag that starts with "{{" has no "}}"`},
		{"unclosed string", "{{ 'a }}", `chat template line 1: a tag that starts with "{{" has no "}}"`},
		{"unclosed block", "\n{% if true %}x", "chat template"},
		{"unclosed raw", "\n{% raw %}x", "chat template line 2: raw has no endraw"},
		{"unknown statement", "a\nb\n{% frob %}", "chat template line 3: ControlStructure 'frob' not found"},
		{"unknown filter", "a\n{{ 1 | frob }}", "chat template line 2: "},
		{"unknown method", "\n\n{{ messages.frob() }}", "chat template line 3: invalid call to method 'frob'"},
		{"syntax", "a\n{{ 1 + }}", "chat template line 2: "},
		{"files", "{% include '/etc/passwd' %}", "ControlStructure 'include' not found"},
		{"imports", "{% import '/etc/passwd' as x %}", "ControlStructure 'import' not found"},
		{"too long", strings.Repeat("x", maxTemplate+1), "chat template: 262145 bytes, at most 262144"},
	} {
		_, err := Render(c.template, hello, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %q", c.name, err)
		}
	}
}

// What a template can do to the process is bounded, and every failure is an error.
func TestHostileTemplates(t *testing.T) {
	for _, c := range []struct{ name, template, want string }{
		{"macro without end", "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}", "macro f calls itself more than 200 times"},
		{"two macros without end", "{% macro f(x) %}{{ g(x) }}{% endmacro %}{% macro g(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}", "more than 200 times"},
		{"long range", "{% for i in range(1000000000) %}{% endfor %}", "range of more than 1048576 numbers"},
		{"step zero", "{% for i in range(1, 2, 0) %}{% endfor %}", "range with step 0"},
		{"long output", "{% for i in range(70000) %}" + strings.Repeat("x", 1000) + "{% endfor %}", "more than 16777216 bytes of output"},
		{"division by zero", "{{ 1 % 0 }}", "chat template"},
		{"negative repeat", "{{ 'a' * -1 }}", "chat template"},
		{"brackets", "{{ " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000) + " }}", "more than 200 brackets inside each other"},
		{"many operators", "{{ " + strings.Repeat("not ", 60_000) + "1 }}{{ 1 % 0 }}", "chat template"},
		{"many blocks", strings.Repeat("{% if true %}", 20_000), "chat template line 1: more than 200 blocks inside each other"},
		{"deep blocks without end", strings.Repeat("{% if true %}", 200), "chat template"},
	} {
		_, err := Render(c.template, hello, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %.200v, want %q", c.name, err, c.want)
		}
	}
}

// Rendering twice gives the same, and leaves nothing behind in the engine.
func TestRenderIsRepeatable(t *testing.T) {
	const template = "{% set x = (x | default(0)) + 1 %}{{ x }}{{ messages | tojson }}"
	first, err := Render(template, hello, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Render(template, hello, Options{}); err != nil || again != first {
		t.Errorf("got %q, %v, want %q", again, err, first)
	}
}

func FuzzRender(f *testing.F) {
	f.Add(glm52(f), "Hello <|user|>")
	f.Add("{%- for m in messages -%} {{ m.content if m else 'x' }} {%- endfor %}", "a")
	f.Add("{% raw %}{{ {% endraw %}{# #}{{ '}}' }}", "b")
	f.Fuzz(func(t *testing.T, template, content string) {
		if len(template) > 2000 {
			return
		}
		msgs := []Message{{Role: "user", Content: content}}
		text, err := Render(template, msgs, Options{AddGenerationPrompt: true})
		if err != nil {
			if strings.Contains(err.Error(), "given up") {
				t.Fatal(err)
			}
			return
		}
		segs, err := Segments(template, msgs, Options{AddGenerationPrompt: true})
		if err != nil {
			t.Fatalf("segments: %v, though it renders", err)
		}
		joined := ""
		for _, s := range segs {
			joined += s.Text
		}
		if joined != text {
			t.Fatalf("segments join to %q, want %q", joined, text)
		}
	})
}
