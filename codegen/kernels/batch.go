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

// Launch returns the launch of a batch, and what each spec has of it when there are several.
func (b Batch) Launch() (codegen.Launch, []Share, error) {
	chains, err := b.chains()
	switch {
	case err != nil:
		return codegen.Launch{}, nil, err
	case b.plain():
		return chains[0][0].Launch, nil, nil
	}
	var shares []Share
	for _, st := range slices.Concat(chains...) {
		shares = append(shares, Share{st.Launch.Blocks(), st.Launch.Threads()})
	}
	return codegen.BatchLaunch(chains), shares, nil
}

// Add emits the kernel of a batch into a module, unless one like it is there, and returns its
// name: the batch's, or that of a kernel with the same text.
func (b Batch) Add(m *codegen.Module) (string, error) {
	if b.plain() {
		name, _, err := Add(m, b[0][0])
		return name, err
	}
	name := b.Name()
	if slices.Contains(m.Names, name) {
		return name, nil
	}
	chains, err := b.chains()
	if err != nil {
		return "", err
	}
	return m.Batch(name, chains), nil
}

// plain says whether b is one spec, whose kernel is not made of parts.
func (b Batch) plain() bool { return len(b) == 1 && len(b[0]) == 1 }

func (b Batch) chains() (chains []codegen.Chain, err error) {
	beside, err := b.besides()
	if err != nil {
		return nil, err
	}
	for i, specs := range b {
		var chain codegen.Chain
		for _, s := range specs {
			own := *s
			own.Part, own.Beside = !b.plain(), beside[i]
			k, err := Make(&own)
			if err != nil {
				return nil, err
			}
			chain = append(chain, codegen.Stage{Operands: operandNames(s), Launch: k.Launch, Emit: k.Emit})
		}
		chains = append(chains, chain)
	}
	return chains, nil
}

// besides returns for each chain how many blocks all others have, were they launched alone.
func (b Batch) besides() ([]int, error) {
	own, all := make([]int, len(b)), 0
	if len(b) == 1 {
		return own, nil
	}
	for i, specs := range b {
		for _, s := range specs {
			part := *s
			part.Part = true
			k, err := Make(&part)
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
