package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"dsac/codegen/cache"
	"dsac/runtime/plan"
)

// cached compiles the model at path, or returns the plan that an earlier call with the same
// header, description, options and compiler kept. A damaged copy is compiled anew; where
// nothing can be kept, the message says so and the plan serves this once.
func (c *compileFlags) cached(cmd *cobra.Command, path string) (*plan.Plan, error) {
	m, err := openModel(path, c.dsl, c.ctx)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	opt, err := c.options(m.ctx)
	if err != nil {
		return nil, err
	}
	dir, noDir := cache.Dir()
	key, err := m.fingerprint(fmt.Sprintf("%s %+v", c.dsl, opt))
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, key+".plan")
	if old, err := plan.Open(name); noDir == nil && err == nil {
		// The mapping stays for the life of the process: commands run one session.
		return old.Plan, nil
	}
	opt.Warn = func(msg string) { fmt.Fprintln(cmd.ErrOrStderr(), "dsac: warning:", msg) }
	p, err := m.compile(cmd.Context(), opt)
	if err != nil {
		return nil, err
	}
	err = noDir
	if err == nil {
		err = keep(name, p)
	}
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "compiled %s (context %d); the plan is not kept: %v\n", path, m.ctx, err)
		return p, nil
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "compiled %s (context %d); the plan is kept in %s\n", path, m.ctx, name)
	return p, nil
}

// keep writes a plan into the cache, in place of a damaged one.
func keep(name string, p *plan.Plan) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
		return err
	}
	return plan.WriteFile(name, p)
}

// fingerprint is a hash of everything in a header that a plan depends on.
func (m *model) fingerprint(options string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, version, executableStamp(), options)
	for i := range m.file.Keys {
		k := &m.file.Keys[i]
		fmt.Fprintln(h, k.Name, k.TypeString(), k.Text(4096))
	}
	for i := range m.file.Tensors {
		t := &m.file.Tensors[i]
		fmt.Fprintln(h, t.Name, t.Type, t.Dims)
	}
	if m.dsl != "" {
		text, err := os.ReadFile(m.dsl)
		if err != nil {
			return "", err
		}
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))[:32], nil
}

// executableStamp tells builds of the same version apart, so that a developer's cache is
// never stale.
func executableStamp() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	st, err := os.Stat(exe)
	if err != nil {
		return ""
	}
	return fmt.Sprint(st.Size(), st.ModTime().UnixNano())
}
