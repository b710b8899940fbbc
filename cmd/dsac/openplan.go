package main

import (
	"fmt"
	"io"
	"os"

	"dsac/runtime/gguf"
	"dsac/runtime/plan"
)

// isGGUF says whether a file starts like a GGUF model; folders are split models.
func isGGUF(path string) (bool, error) {
	st, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	if st.IsDir() {
		return true, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, 4)
	if _, err := io.ReadFull(f, head); err != nil {
		return false, nil
	}
	return gguf.IsGGUF(head), nil
}

// openPlan reads a plan, binary or text.
func openPlan(path string) (*plan.Plan, func() error, error) {
	m, err := plan.Open(path)
	if err == nil {
		return m.Plan, m.Close, nil
	}
	if !plan.IsText(path) {
		return nil, nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	p, err := plan.Parse(path, text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s is not a binary plan; read as text: %w", path, err)
	}
	return p, func() error { return nil }, nil
}
