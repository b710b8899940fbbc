package main

import (
	"fmt"
	"os"

	"dsac/models"
	"dsac/passes"
	"dsac/runtime/gguf"
)

// defaultCtx bounds the context when none is asked for: the caches of the host are float32,
// and a model's full context may need more memory than the machine has.
const defaultCtx = 8192

// model is a GGUF file and its description, bound.
type model struct {
	file  *gguf.File
	bound *models.Bound
	dsl   string // file of the user's own description, or ""
	ctx   int
}

func (m *model) Close() error { return m.file.Close() }

// openModel reads the header of a GGUF file and binds it to the description that fits its
// architecture, or to the one in the file dsl. The weights may be missing.
func openModel(path, dsl string, ctx int) (*model, error) {
	f, err := gguf.OpenHeader(path)
	if err != nil {
		return nil, err
	}
	m := &model{file: f, dsl: dsl, ctx: ctx}
	if err := m.bind(); err != nil {
		f.Close()
		return nil, err
	}
	return m, nil
}

func (m *model) bind() error {
	desc, err := m.description()
	if err != nil {
		return err
	}
	if desc.Arch != m.file.Arch() {
		return fmt.Errorf("%s describes %q, %s is a %q model", m.dsl, desc.Arch, m.file.Path, m.file.Arch())
	}
	trained, ok, err := m.file.Uint(desc.Arch + ".context_length")
	if err != nil {
		return err
	}
	if m.ctx == 0 {
		m.ctx = defaultCtx
		if ok {
			m.ctx = min(m.ctx, int(trained))
		}
	}
	if ok && m.ctx > int(trained) {
		return fmt.Errorf("context of %d rows: %s was made for %d", m.ctx, m.file.Path, trained)
	}
	m.bound, err = desc.Bind(models.FromGGUF(m.file), models.BindOptions{Ctx: m.ctx, KV: "kv"})
	return err
}

// description returns the user's description, or the built-in one of the file's architecture.
func (m *model) description() (*models.Model, error) {
	if m.dsl != "" {
		return models.ParseFile(m.dsl)
	}
	if m.file.Arch() == "" {
		return nil, fmt.Errorf("%s does not say what it is: key general.architecture is missing", m.file.Path)
	}
	desc, err := models.Builtin(m.file.Arch())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.file.Path, err)
	}
	return desc, nil
}

// source is what the passes start from.
func (m *model) source() (passes.Source, error) {
	g, err := m.bound.Graph("step")
	if err != nil {
		return passes.Source{}, err
	}
	name, _, err := m.file.String("general.name")
	return passes.Source{Arch: m.bound.Model.Arch, Model: name, Graph: g, Vocab: m.bound.Vocab()}, err
}

// terminal says whether f is a terminal: progress and colour are for people only.
func terminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}
