package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dsac/codegen/llc"
	"dsac/codegen/ptxas"
	"dsac/passes"
	"dsac/runtime/cuda"
)

// examined is what doctor found; its JSON is the output of --json.
type examined struct {
	Version  string      `json:"version"`
	Platform string      `json:"platform"`
	CUDA     cuda.System `json:"cuda"`
	Tools    []toolState `json:"tools"`
	Targets  []targetRow `json:"targets"`
	Problems []problem   `json:"problems"`
}

// toolState is a program or library beside dsac.
type toolState struct {
	Name    string `json:"name"`
	For     string `json:"for"`
	Path    string `json:"path"` // "" if it is not there
	Version string `json:"version"`
}

// targetRow says what a target of compile needs and has.
type targetRow struct {
	Name    string `json:"name"`
	Compile bool   `json:"compile"` // plans for it can be made here
	Run     string `json:"run"`     // on what they run here, "" if on nothing but the host device
}

// problem is something missing, and what to do about it. The host device needs none solved.
type problem struct {
	What string `json:"what"`
	Do   string `json:"do"`
}

func newDoctor() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Show what works on this machine: driver, GPUs, tools, targets",
		Long: `Doctor looks for the NVIDIA driver, GPUs and the tools that compile kernels, and says what
works here, what does not, and what to do about it. It needs none of them: the host device
works everywhere, and the exit code is 0 where it does.`,
		Example: `  dsac doctor
  dsac doctor --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			x := examine()
			if asJSON {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetIndent("", "  ")
				return enc.Encode(x)
			}
			return x.print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func examine() *examined {
	x := &examined{Version: version, Platform: runtime.GOOS + "/" + runtime.GOARCH, CUDA: cuda.Probe(),
		Tools: []toolState{}, Targets: []targetRow{}, Problems: []problem{}}
	x.gpus()
	x.tools()
	x.targets()
	return x
}

func (x *examined) bad(what, do string) { x.Problems = append(x.Problems, problem{what, do}) }

// gpus turns what is wrong with driver and GPUs into problems.
func (x *examined) gpus() {
	s := &x.CUDA
	switch {
	case !s.Built:
		x.bad("this dsac has no CUDA support: cuda.h was not found when it was built",
			"install the CUDA toolkit, or run make cuda-headers; then make build")
	case s.Problem != "":
		x.bad(s.Problem, "install the NVIDIA driver if this machine has a GPU; a container needs the GPU passed in")
	}
	for i := range s.GPUs {
		g := &s.GPUs[i]
		if g.PCIeWidthMax > 0 && g.PCIeWidth < g.PCIeWidthMax {
			x.bad(fmt.Sprintf("%s has %d of %d PCIe lanes: weights load slower", g, g.PCIeWidth, g.PCIeWidthMax), "check the slot and the riser")
		}
		if g.Major >= 9 && !g.Clusters {
			x.bad(fmt.Sprintf("%s launches no blocks in clusters, which plans for it may ask for", g), "compile with --target sm_80")
		}
		if !slices.ContainsFunc(gpuTargets(), g.Fits) {
			x.bad(fmt.Sprintf("%s is older than every target", g), "use --device host")
		}
	}
	if n := len(s.GPUs); n > 1 && len(s.GPUs[0].Peers) == 0 {
		x.bad(fmt.Sprintf("%d GPUs without peer access: transfers between them go through the host", n), "see nvidia-smi topo -p2p r; an IOMMU or ACS setting often prevents it")
	}
}

// tools looks for what compile uses to make kernels.
func (x *examined) tools() {
	state := toolState{Name: "llc", For: "compiles kernels to PTX"}
	if t, err := llc.Find(); err == nil {
		state.Path, state.Version = t.Path, t.Version
	} else {
		x.bad("no kernels can be compiled: "+err.Error(), "only plans for the host can be made until then")
	}
	x.Tools = append(x.Tools, state)
	state = toolState{Name: "ptxas", For: "assembles PTX ahead of time; drivers do it themselves"}
	if t, err := ptxas.Find(); err == nil {
		state.Path, state.Version = t.Path, t.Version
	} else if !errors.Is(err, ptxas.ErrAbsent) {
		x.bad(err.Error(), "take another version, or none")
	}
	x.Tools = append(x.Tools, state, library("nccl", "joins several GPUs", "libnccl.so.2"))
}

// libraryFolders are where distributions and toolkits put libraries.
var libraryFolders = []string{"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib", "/usr/local/cuda/lib64"}

// library looks for a library that is opened when it is needed.
func library(name, what, file string) toolState {
	t := toolState{Name: name, For: what}
	for _, dir := range append(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")), libraryFolders...) {
		if p := filepath.Join(dir, file); t.Path == "" && dir != "" {
			if _, err := os.Stat(p); err == nil {
				t.Path = p
			}
		}
	}
	return t
}

// gpuTargets lists the targets with kernels, sorted.
func gpuTargets() []string {
	var names []string
	for name, t := range passes.Targets {
		if t.GPU != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (x *examined) targets() {
	x.Targets = append(x.Targets, targetRow{"host", true, "host"})
	for _, name := range gpuTargets() {
		row := targetRow{Name: name, Compile: x.Tools[0].Path != ""}
		var on []string
		for i := range x.CUDA.GPUs {
			if g := &x.CUDA.GPUs[i]; g.Fits(name) {
				on = append(on, fmt.Sprintf("GPU %d", g.Ordinal))
			}
		}
		row.Run = strings.Join(on, ", ")
		x.Targets = append(x.Targets, row)
	}
}
