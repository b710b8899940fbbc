package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"dsac/models/synth"
	"dsac/passes"
	"dsac/runtime/plan"
)

func newGrowthPrepare() *cobra.Command {
	var target string
	cmd := &cobra.Command{
		Use:   "prepare DIR --target sm_NN",
		Short: "Compile the plans that run measures",
		Args:  oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if t := passes.Targets[target]; t == nil || t.GPU == nil {
				return fmt.Errorf("--target %s: want %s", target, strings.Join(gpuTargets(), ", "))
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			for _, n := range growthLayers {
				name := filepath.Join(args[0], layersName(n))
				say("compiling %s", name)
				if err := prepareGrowth(cmd, name, target, n); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				fmt.Fprintln(cmd.OutOrStdout(), "wrote", name)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&target, "target", "", "GPU to compile for")
	_ = cmd.MarkFlagRequired("target")
	return cmd
}

// prepareGrowth compiles a reduced model from a header that is gone afterwards.
func prepareGrowth(cmd *cobra.Command, name, target string, layers int) (err error) {
	ctx := growthShort
	if layers == growthDeep {
		ctx = growthCtx
	}
	dir, err := os.MkdirTemp("", "dsac-growth")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	header := filepath.Join(dir, "header.gguf")
	if _, err := synth.Write(header, synth.Options{Geometry: "glm-5", Layers: layers, Experts: 16, Context: ctx, Quant: "q8_0", NoVocab: true, HeaderOnly: true}); err != nil {
		return err
	}
	m, err := openModel(header, "", ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	p, err := m.compile(cmd.Context(), passes.Options{Target: target, Ctx: ctx, Chunk: growthPrefill, KV: passes.Targets[target].KV, Version: version})
	if err != nil {
		return err
	}
	return plan.WriteFile(name, p)
}
