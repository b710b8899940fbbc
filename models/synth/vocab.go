package synth

import (
	"fmt"

	"dsac/runtime/gguf"
)

// vocabulary describes a byte-level BPE vocabulary of the right size: special tokens at
// either end, 256 byte tokens, and made-up merges of them.
type vocabulary struct {
	pre    string // tokenizer.ggml.pre
	front  []string
	base   int // ids up to here are front, bytes and merges
	merges int
	added  []string // from base on
	size   int      // rows of the embedding; the rest are unused [PADn]

	ids      map[string]string // key suffix of tokenizer.ggml.*_token_id -> token
	template string
}

// glmAdded are the added tokens of GLM-5 (docs/spec/glm-dsa.md section 6.2).
var glmAdded = []string{
	"<|endoftext|>", "[MASK]", "[gMASK]", "[sMASK]", "<sop>", "<eop>", "<|system|>", "<|user|>", "<|assistant|>", "<|observation|>",
	"<|begin_of_image|>", "<|end_of_image|>", "<|begin_of_video|>", "<|end_of_video|>", "<|begin_of_audio|>", "<|end_of_audio|>",
	"<|begin_of_transcription|>", "<|end_of_transcription|>", "<|code_prefix|>", "<|code_middle|>", "<|code_suffix|>",
	"<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>",
	"<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "/nothink", "<|begin_of_box|>", "<|end_of_box|>", "<|image|>", "<|video|>",
}

var glmIDs = map[string]string{
	"eos": "<|endoftext|>", "padding": "[MASK]", "bos": "[gMASK]", "unknown": "<|endoftext|>",
	"eot": "<|user|>", "eom": "<|observation|>",
}

// tinyIDs differ in the padding token, as the official conversion has it.
var tinyIDs = map[string]string{
	"eos": "<|endoftext|>", "padding": "<|endoftext|>", "bos": "[gMASK]", "unknown": "<|endoftext|>",
	"eot": "<|user|>", "eom": "<|observation|>",
}

const glmTemplate = "[gMASK]<sop>{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}" +
	"{% if add_generation_prompt %}<|assistant|>{% endif %}"

var (
	glmVocab = vocabulary{pre: "glm4", base: 154820, merges: 321649, added: glmAdded, size: 154880, ids: glmIDs, template: glmTemplate}

	tinyVocab = vocabulary{
		pre: "glm4", base: 1003, merges: 747,
		added: append(append([]string{}, glmAdded[:12]...),
			"<think>", "</think>", "<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "/nothink"),
		size: 1024, ids: tinyIDs, template: glmTemplate,
	}

	deepseekVocab = vocabulary{
		pre: "deepseek-v3", front: []string{"<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜▁pad▁｜>"},
		base: 128000, merges: 127741, added: []string{"<｜User｜>", "<｜Assistant｜>", "<think>", "</think>"}, size: 129280,
		ids: map[string]string{"bos": "<｜begin▁of▁sentence｜>", "eos": "<｜end▁of▁sentence｜>", "padding": "<｜▁pad▁｜>"},
		template: "<｜begin▁of▁sentence｜>{% for m in messages %}{% if m.role == 'user' %}<｜User｜>{% else %}<｜Assistant｜>{% endif %}" +
			"{{ m.content }}{% endfor %}{% if add_generation_prompt %}<｜Assistant｜>{% endif %}",
	}
)

// Token types of tokenizer.ggml.token_type.
const (
	tokenNormal  = 1
	tokenControl = 3
	tokenUnused  = 5
)

// alphabet is what merged tokens are made of, most useful first; the first is a space in the
// byte-level alphabet.
var alphabet = append([]string{"Ġ"}, splitRunes("etaoinshrdlcumwfgypbvkjxqz0123456789.")...)

func splitRunes(s string) []string {
	var out []string
	for _, r := range s {
		out = append(out, string(r))
	}
	return out
}

// byteTokens returns the 256 tokens of single bytes in byte order: printable ones stand for
// themselves, the others for code points from 256 on (docs/spec/glm-dsa.md section 6.1).
func byteTokens() []string {
	var out []string
	next := rune(256)
	for b := range rune(256) {
		if b >= 0x21 && b <= 0x7e || b >= 0xa1 && b <= 0xac || b >= 0xae {
			out = append(out, string(b))
			continue
		}
		out = append(out, string(next))
		next++
	}
	return out
}

// build returns tokens, their types, and merges. Every merge joins two tokens of the
// vocabulary into one; each merged token has a merge that ends in one letter, and when more
// merges are wanted, others that split it elsewhere follow.
func (v *vocabulary) build() (tokens []string, types []int32, merges []string) {
	add := func(t string, typ int32) {
		tokens, types = append(tokens, t), append(types, typ)
	}
	for _, t := range v.front {
		add(t, tokenControl)
	}
	for _, t := range byteTokens() {
		add(t, tokenNormal)
	}
	var other []string // further splits
	words := make([][]string, 0, v.base)
	for _, a := range alphabet {
		words = append(words, []string{a})
	}
	// Breadth first: all words of two letters come before those of three, and so on, so that
	// every part of a word is a token already.
	for at := 0; len(tokens) < v.base; at++ {
		for _, letter := range alphabet {
			if len(tokens) == v.base {
				break
			}
			w := append(append([]string{}, words[at]...), letter)
			words = append(words, w)
			add(join(w), tokenNormal)
			merges = append(merges, join(w[:len(w)-1])+" "+letter)
			for cut := 1; cut < len(w)-1; cut++ {
				other = append(other, join(w[:cut])+" "+join(w[cut:]))
			}
		}
	}
	merges = append(merges, other...)
	merges = merges[:min(len(merges), v.merges)]
	for _, t := range v.added {
		add(t, tokenControl)
	}
	for len(tokens) < v.size {
		add(fmt.Sprintf("[PAD%d]", len(tokens)), tokenUnused)
	}
	return tokens, types, merges
}

func join(letters []string) string {
	s := ""
	for _, l := range letters {
		s += l
	}
	return s
}

// set writes the tokenizer's keys.
func (v *vocabulary) set(w *gguf.Writer) {
	tokens, types, merges := v.build()
	w.Set("tokenizer.ggml.model", "gpt2")
	w.Set("tokenizer.ggml.pre", v.pre)
	w.Set("tokenizer.ggml.tokens", tokens)
	w.Set("tokenizer.ggml.token_type", types)
	w.Set("tokenizer.ggml.merges", merges)
	id := map[string]int{}
	for _, list := range [][2]int{{0, len(v.front)}, {v.base, v.base + len(v.added)}} {
		for i := list[0]; i < list[1]; i++ {
			id[tokens[i]] = i
		}
	}
	for _, key := range []string{"eos", "padding", "bos", "unknown", "eot", "eom"} {
		if t, ok := v.ids[key]; ok {
			w.Set("tokenizer.ggml."+key+"_token_id", uint32(id[t]))
		}
	}
	w.Set("tokenizer.chat_template", v.template)
}
