package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dsac/models/synth"
)

func newSynth() *cobra.Command {
	var o synth.Options
	var out string
	var mtp, noMTP bool
	cmd := &cobra.Command{
		Use:   "synth --geometry NAME -o FILE.gguf",
		Short: "Write a GGUF of a named geometry with random weights",
		Long:  "Synth writes a GGUF file with the geometry of a real model and random blocks of sane scale.\nThe same options and seed give the same bytes.\n\nGeometries:\n" + geometryList() + "\nRecipes of tensor types: " + strings.Join(synth.Recipes(), ", "),
		Example: `  dsac synth --geometry glm-5.2 --header-only -o glm52.gguf
  dsac synth --geometry glm-5 --layers 5 --quant slice -o slice.gguf
  dsac synth --geometry tiny --quant q8_0 --seed 7 -o tiny.gguf`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case mtp && noMTP:
				return fmt.Errorf("--mtp and --no-mtp exclude each other")
			case mtp:
				o.MTP = synth.MTPWith
			case noMTP:
				o.MTP = synth.MTPWithout
			}
			o.Progress = bytesProgress(os.Stderr, "writing")
			o.Cancel = cmd.Context().Done()
			files, err := synth.Write(out, o)
			if errors.Is(err, synth.ErrCanceled) {
				return cmd.Context().Err()
			}
			if err != nil {
				return err
			}
			for _, f := range files {
				fmt.Fprintln(cmd.OutOrStdout(), "wrote", f)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Geometry, "geometry", "", "named geometry, see above")
	f.IntVar(&o.Layers, "layers", 0, "trunk layers (default: all)")
	f.IntVar(&o.Experts, "experts", 0, "routed experts per layer (default: all)")
	f.IntVar(&o.Context, "context", 0, "context_length (default: the model's)")
	f.StringVar(&o.Quant, "quant", "", "recipe of tensor types (default: the geometry's)")
	f.BoolVar(&mtp, "mtp", false, "write the multi-token-prediction block")
	f.BoolVar(&noMTP, "no-mtp", false, "leave it out")
	f.BoolVar(&o.Official, "official", false, "no indexer copies on shared layers, indexer.types present")
	f.BoolVar(&o.NoVocab, "no-vocab", false, `tokenizer model "none"`)
	f.BoolVar(&o.HeaderOnly, "header-only", false, "no tensor data: enough to compile and lint")
	f.IntVar(&o.Shards, "split", 0, "number of files")
	f.Uint64Var(&o.Seed, "seed", 1, "of the random weights")
	f.StringVarP(&out, "output", "o", "", "GGUF `FILE` to write")
	_ = cmd.MarkFlagRequired("geometry")
	_ = cmd.MarkFlagRequired("output")
	return cmd
}

func geometryList() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	names, docs := synth.Geometries()
	for i, n := range names {
		fmt.Fprintf(w, "  %s\t%s\n", n, docs[i])
	}
	w.Flush()
	return b.String()
}
