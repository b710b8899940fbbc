package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dsac/runtime/gguf"
	"dsac/runtime/plan"
)

func newLogits() *cobra.Command {
	var s sessionFlags
	var tokens, out string
	cmd := &cobra.Command{
		Use:   "logits PLAN|MODEL.gguf --tokens 1,2,3 -o OUT.f32",
		Short: "Write the logits of given tokens",
		Long: `Logits runs tokens from an empty cache and writes the logits of every position as raw
little-endian float32, [tokens][vocabulary]. A plan compiled with --logits last has them for
steps of at most 8 rows only: then --chunk must be 8 or less.`,
		Example: `  dsac logits model.gguf --tokens 785,6722,315 -o out.f32
  dsac logits model.plan -m model.gguf --tokens 1,2,3 --chunk 1 -o out.f32`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := parseTokens(tokens)
			if err != nil {
				return err
			}
			if s.compile.chunk < 1 {
				return fmt.Errorf("--chunk %d: want at least 1", s.compile.chunk)
			}
			if err := notModel(out); err != nil {
				return err
			}
			s.compile.logits, s.live = "all", "chunk"
			x, err := s.openSession(cmd, args[0])
			if err != nil {
				return err
			}
			defer x.Close()
			chunk := min(s.compile.chunk, x.plan.MetaInt(plan.MetaCtx))
			if most := x.largest(allRows); chunk > most {
				if cmd.Flags().Changed("chunk") {
					return fmt.Errorf("--chunk %d: this plan gives logits of every row for steps of at most %d rows; compile it with --logits all", chunk, most)
				}
				chunk = most
			}
			if err := x.checkIDs(ids); err != nil {
				return err
			}
			return writeLogits(cmd, x, ids, chunk, out)
		},
	}
	s.register(cmd)
	_ = cmd.Flags().MarkHidden("logits")
	f := cmd.Flags()
	f.StringVar(&tokens, "tokens", "", "token ids, separated by commas")
	f.StringVarP(&out, "output", "o", "", "`FILE` to write")
	_ = cmd.MarkFlagRequired("tokens")
	_ = cmd.MarkFlagRequired("output")
	return cmd
}

// notModel refuses to overwrite what is certainly no file of logits.
func notModel(path string) error {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if st.IsDir() {
		return fmt.Errorf("%s is a folder: name a file", path)
	}
	if !st.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file: choose another path", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 8)
	if _, err := io.ReadFull(f, head); err == nil && (plan.IsPlan(head) || gguf.IsGGUF(head)) {
		return fmt.Errorf("%s is a model or a plan: not overwritten, choose another path", path)
	}
	return nil
}

// writeLogits streams rows to a temporary file that takes the name out when all is written.
func writeLogits(cmd *cobra.Command, x *session, ids []int32, chunk int, out string) error {
	tmp, err := os.CreateTemp(filepath.Dir(out), ".logits-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	w := bufio.NewWriterSize(tmp, 1<<20)
	err = x.feed(cmd.Context(), ids, chunk, allRows, nil, func(entry, rows int) error {
		for r := range rows {
			if err := binary.Write(w, binary.LittleEndian, x.dev.Logits(entry, r)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.Chmod(tmp.Name(), 0o644); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), out); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "wrote %s: %d x %s float32\n", out, len(ids), x.plan.MetaValue(plan.MetaVocab))
	return nil
}

func parseTokens(list string) ([]int32, error) {
	var ids []int32
	for _, f := range strings.Split(list, ",") {
		f = strings.TrimSpace(f)
		if f == "" {
			continue
		}
		id, err := strconv.ParseInt(f, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("--tokens: %q is not a token id", f)
		}
		ids = append(ids, int32(id))
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("--tokens is empty: give at least one token id")
	}
	return ids, nil
}
