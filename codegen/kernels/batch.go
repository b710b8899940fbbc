package kernels

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"dsac/codegen"
	"dsac/ir/ops"
)

// Batch is kernels in one: chains of specs, each chain in blocks of its own.
type Batch [][]*codegen.Spec

// Key says all of a batch in words.
func (b Batch) Key() string {
	var parts []string
	for _, chain := range b {
		var keys []string
		for _, s := range chain {
			keys = append(keys, s.Key())
		}
		parts = append(parts, strings.Join(keys, "; "))
	}
	return strings.Join(parts, " | ")
}

// Name returns the kernel's name.
func (b Batch) Name() string {
	sum := sha256.Sum256([]byte(b.Key()))
	return "batch_" + hex.EncodeToString(sum[:4])
}

// Operands names the operands of all specs in order, as its parameters.
func (b Batch) Operands() []string {
	var names []string
	for _, s := range slices.Concat(b...) {
		names = append(names, operandNames(s)...)
	}
	return names
}

// Hot says whether the kernel of any op in it must not spill registers.
func (b Batch) Hot() bool {
	return slices.ContainsFunc(slices.Concat(b...), func(s *codegen.Spec) bool { return Hot(s.Op) })
}

// Share is how many blocks and threads of a launch a spec of a batch has.
type Share struct{ Blocks, Threads int }

// AddBatch emits the kernel of a batch into a module, unless one like it is there, and returns
// its name and launch, and what each spec has of it.
func AddBatch(m *codegen.Module, b Batch) (string, codegen.Launch, []Share, error) {
	var chains []codegen.Chain
	var shares []Share
	beside, err := b.besides()
	if err != nil {
		return "", codegen.Launch{}, nil, err
	}
	for i, specs := range b {
		var chain codegen.Chain
		for _, s := range specs {
			own := *s
			own.Beside = beside[i]
			k, err := Make(&own)
			if err != nil {
				return "", codegen.Launch{}, nil, err
			}
			chain = append(chain, codegen.Stage{Operands: operandNames(s), Launch: k.Launch, Emit: k.Emit})
			shares = append(shares, Share{k.Blocks(), k.Threads()})
		}
		chains = append(chains, chain)
	}
	name := b.Name()
	if !slices.Contains(m.Names, name) {
		name = m.Batch(name, chains)
	}
	return name, codegen.BatchLaunch(chains), shares, nil
}

// besides returns for each chain how many blocks all others have, were they launched alone.
func (b Batch) besides() ([]int, error) {
	own, all := make([]int, len(b)), 0
	for i, specs := range b {
		for _, s := range specs {
			k, err := Make(s)
			if err != nil {
				return nil, err
			}
			own[i] = max(own[i], k.Blocks())
		}
		all += own[i]
	}
	for i := range own {
		own[i] = all - own[i]
	}
	return own, nil
}

func operandNames(s *codegen.Spec) []string {
	var names []string
	for _, o := range ops.Find(s.Op).Operands {
		names = append(names, o.Name)
	}
	return names
}
