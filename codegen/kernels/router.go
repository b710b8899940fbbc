package kernels

import (
	"fmt"
	"math"

	"dsac/codegen"
)

// routerOps are the ops of the family; docs/spec/glm-dsa.md section 2.4.
var routerOps = map[string]func(s *codegen.Spec) (Kernel, error){
	"router": route, "group_mask": maskOnly, "gate_weights": gatesOnly,
}

func router(s *codegen.Spec) (Kernel, error) { return routerOps[s.Op](s) }

// route: idx = the k best of sigmoid(z) + bias in the best groups, g = their weights; a warp
// per row does all of it in registers.
func route(s *codegen.Spec) (Kernel, error) {
	experts, count := s.Operands[0].Width(), s.Int("k")
	if err := checkShort(experts); err != nil {
		return Kernel{}, err
	}
	groups, err := newGroups(s, experts)
	if err != nil {
		return Kernel{}, err
	}
	return perWarp(s, func(k *codegen.K, row codegen.I32) {
		p := loadRow(k, rowAt(k.Arg(0), s.Operands[0], row), experts)
		bias := loadRow(k, k.Arg(1).ReadOnly(), experts)
		values := make([]codegen.F32, len(p))
		for i := range p {
			p[i] = p[i].Sigmoid()
			values[i] = p[i].Add(bias[i])
		}
		values = groups.mask(k, values)
		chosen := newChoice(k, experts, values).take(k, count)
		storeList(k, k.Arg(2).Elem(row, count*4), chosen, count)

		sum := k.F32(0)
		for i, c := range chosen {
			p[i] = codegen.Select(c, p[i], k.F32(0))
			sum = sum.Add(p[i])
		}
		factor := gateFactor(k, s, k.WarpSum(sum))
		at := ranks(k, chosen)
		for i, c := range chosen {
			k.Arg(3).Elem(row, count*f32).Elem(at[i].Clamp(0, count-1), f32).When(c).StF32(p[i].Mul(factor))
		}
	}), nil
}

// gateFactor is what the chosen gates are multiplied by: scale, and one over their sum where
// they are normalised.
func gateFactor(k *codegen.K, s *codegen.Spec, sum codegen.F32) codegen.F32 {
	scale := k.F32(s.Float("scale"))
	if s.Int("norm") == 0 {
		return scale
	}
	return scale.Div(sum.Max(s.Float("floor")))
}

// gatesOnly: g = p[idx], normalised and scaled; a warp per row.
func gatesOnly(s *codegen.Spec) (Kernel, error) {
	experts, count := s.Operands[0].Width(), s.Operands[1].Width()
	if err := checkShort(count); err != nil {
		return Kernel{}, err
	}
	return perWarp(s, func(k *codegen.K, row codegen.I32) {
		g := make([]codegen.F32, slots(count))
		c := &choice{n: count}
		sum := k.F32(0)
		for i := range g {
			e := k.Arg(1).Elem(row, count*4).Elem(k.Lane().Add(32*i), 4).When(c.has(k, i)).LdI32()
			g[i] = rowAt(k.Arg(0), s.Operands[0], row).Elem(e.Clamp(0, experts-1), f32).When(c.has(k, i)).LdF32()
			sum = sum.Add(g[i])
		}
		factor := gateFactor(k, s, k.WarpSum(sum))
		for i := range g {
			k.Arg(2).Elem(row, count*f32).Elem(k.Lane().Add(32*i), f32).When(c.has(k, i)).StF32(g[i].Mul(factor))
		}
	}), nil
}

// maskOnly: y = x with -inf outside the best groups.
func maskOnly(s *codegen.Spec) (Kernel, error) {
	n := s.Operands[0].Width()
	if err := checkShort(n); err != nil {
		return Kernel{}, err
	}
	groups, err := newGroups(s, n)
	if err != nil {
		return Kernel{}, err
	}
	return perWarp(s, func(k *codegen.K, row codegen.I32) {
		c := &choice{n: n}
		for i, v := range groups.mask(k, loadRow(k, rowAt(k.Arg(0), s.Operands[0], row), n)) {
			rowAt(k.Arg(1), s.Operands[1], row).Elem(k.Lane().Add(32*i), f32).When(c.has(k, i)).StF32(v)
		}
	}), nil
}

// groups are equal parts of the experts of which some are used.
type groups struct{ experts, count, used int }

func newGroups(s *codegen.Spec, experts int) (groups, error) {
	g := groups{experts, s.Int("groups"), s.Int("used")}
	if g.count > 32 {
		return g, fmt.Errorf("%d groups of experts, a warp chooses from at most 32", g.count)
	}
	return g, nil
}

// mask makes the values of all groups minus infinity but those of the `used` ones whose two
// largest values sum highest, of equal sums the lower group. Lane i scores group i.
func (g groups) mask(k *codegen.K, values []codegen.F32) []codegen.F32 {
	if g.count <= 1 || g.used >= g.count {
		return values
	}
	row := k.Shared("groups", rowWarps*len(values)*32*f32).Elem(k.ThreadY(), len(values)*32*f32)
	for i, v := range values {
		row.Elem(k.Lane().Add(32*i), f32).StF32(v)
	}
	k.SyncWarp()
	size := g.experts / g.count
	first, second := codegen.Let(k.F32(math.Inf(-1))), codegen.Let(k.F32(math.Inf(-1)))
	own := row.Elem(k.Lane().Min(g.count-1), size*f32)
	k.For(0, size, 1, func(i codegen.I32) {
		v := own.Elem(i, f32).LdF32() // a NaN is never the larger
		second.Set(second.Get().Max(first.Get().Min(v)))
		first.Set(first.Get().Max(v))
	})
	best := newChoice(k, g.count, []codegen.F32{first.Get().Add(second.Get())}).take(k, g.used)
	used := k.Ballot(best[0])
	out := make([]codegen.F32, len(values))
	for i, v := range values {
		group := k.Lane().Add(32 * i).UDiv(size)
		in := used.Shr(group.And(31)).And(1).Ne(0)
		out[i] = codegen.Select(in, v, k.F32(math.Inf(-1)))
	}
	return out
}
