package main

import (
	"fmt"

	"dsac/runtime/gguf"
	"dsac/runtime/tokenizer"
)

// newTokenizer builds the tokenizer of a model file from its tokenizer.ggml.* keys.
func newTokenizer(f *gguf.File) (*tokenizer.Tokenizer, error) {
	const prefix = "tokenizer.ggml."
	var v tokenizer.Vocab
	var err error
	text := func(key string) string {
		s, _, e := f.String(prefix + key)
		if err == nil {
			err = e
		}
		return s
	}
	list := func(key string) []string {
		s, ok, e := f.Strings(prefix + key)
		if err == nil {
			err = e
		}
		if !ok {
			return nil
		}
		return s.Slice()
	}
	id := func(key string) int32 {
		n, ok, e := f.Uint(prefix + key + "_token_id")
		if err == nil {
			err = e
		}
		if !ok {
			return -1
		}
		return int32(n)
	}
	v.Model, v.Pre = text("model"), text("pre")
	v.Tokens, v.Merges = list("tokens"), list("merges")
	types, _, e := f.Ints(prefix + "token_type")
	if err == nil {
		err = e
	}
	for _, t := range types {
		v.Types = append(v.Types, int32(t))
	}
	v.EOS, v.EOT, v.EOM, v.BOS, v.Pad, v.Unk = id("eos"), id("eot"), id("eom"), id("bos"), id("padding"), id("unknown")
	if err != nil {
		return nil, err
	}
	t, err := tokenizer.New(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return t, nil
}
