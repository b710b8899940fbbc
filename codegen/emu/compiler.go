package emu

import (
	"fmt"
	"math"

	"dsac/codegen/ptx"
)

// compiler turns instructions into steps. Operands become slots: registers first, then one
// slot for each constant, special register and variable address, filled before the run.
type compiler struct {
	k *Kernel
	e *ptx.Entry
}

// builders holds, by first word of the opcode, how to compile it.
var builders map[string]func(*compiler, *ptx.Instr) (step, error)

func init() {
	builders = map[string]func(*compiler, *ptx.Instr) (step, error){}
	for _, group := range []map[string]func(*compiler, *ptx.Instr) (step, error){
		arithmetic, logic, floats, functions, moves, memory, warpOps, tensor,
	} {
		for name, b := range group {
			if builders[name] != nil {
				panic("BUG: two builders of " + name)
			}
			builders[name] = b
		}
	}
}

func (c *compiler) instr(in *ptx.Instr) (step, error) {
	b := builders[in.Spec.Name]
	if b == nil {
		return nil, fmt.Errorf("the emulator has no %s", in.Spec.Name)
	}
	return b(c, in)
}

func (k *Kernel) slot() int { k.regs++; return k.regs - 1 }

// constant returns the slot that holds x in every lane.
func (c *compiler) constant(x uint64) int {
	if s, ok := c.k.consts[x]; ok {
		return s
	}
	s := c.k.slot()
	c.k.consts[x] = s
	return s
}

// immediate is the register form of a number used as type t.
func immediate(o *ptx.Operand, t ptx.Type) uint64 {
	switch o.Kind {
	case ptx.OpF32:
		if t == ptx.F64 {
			return math.Float64bits(float64(f32(o.Bits)))
		}
		return o.Bits
	case ptx.OpF64:
		if t == ptx.F32 {
			return bits32(float32(f64(o.Bits)))
		}
		return o.Bits
	}
	return truncate(uint64(o.Int), t.Bits())
}

// truncate keeps the low n bits.
func truncate(x uint64, n int) uint64 {
	if n >= 64 || n == 0 {
		return x
	}
	return x & (1<<n - 1)
}

// signExtend reads the low n bits as a signed number.
func signExtend(x uint64, n int) int64 { return int64(x<<(64-n)) >> (64 - n) }

// src returns the slot of a source operand used as type t.
func (c *compiler) src(o *ptx.Operand, t ptx.Type) (int, error) {
	switch o.Kind {
	case ptx.OpReg:
		return o.Reg, nil
	case ptx.OpInt, ptx.OpF32, ptx.OpF64:
		return c.constant(immediate(o, t)), nil
	case ptx.OpSpecial:
		if clocks[o.Name] {
			return 0, fmt.Errorf("%s can only be read by mov", o.Name)
		}
		return named(c.k, c.k.special, o.Name), nil
	case ptx.OpSym:
		return c.address(o.Name)
	}
	return 0, fmt.Errorf("operand cannot be read")
}

func named(k *Kernel, m map[string]int, name string) int {
	if s, ok := m[name]; ok {
		return s
	}
	m[name] = k.slot()
	return m[name]
}

// address returns the slot of a variable's address in its own space.
func (c *compiler) address(name string) (int, error) {
	v := c.e.Var(name)
	if v == nil {
		return 0, fmt.Errorf("the address of parameter %s cannot be taken", name)
	}
	switch v.Space {
	case ptx.Shared:
		if v.Dynamic() {
			return named(c.k, c.k.dynSlot, name), nil
		}
		return c.constant(uint64(c.k.shared.Off[name])), nil
	case ptx.Const:
		return c.constant(c.k.constAt[name]), nil
	case ptx.Local:
		return c.constant(c.k.localAt[name]), nil
	}
	return named(c.k, c.k.varSlot, name), nil
}

// srcs returns the slots of operands from..to-1.
func (c *compiler) srcs(in *ptx.Instr, from, to int) (s [4]int, err error) {
	for i := from; i < to; i++ {
		if s[i-from], err = c.src(&in.Args[i], in.Spec.ArgType(i)); err != nil {
			return s, err
		}
	}
	return s, nil
}

// dst returns the slot of a destination; the sink "_" gets a slot that nobody reads.
func (c *compiler) dst(o *ptx.Operand) (int, error) {
	switch o.Kind {
	case ptx.OpReg:
		return o.Reg, nil
	case ptx.OpSink:
		return c.k.slot(), nil
	}
	return 0, fmt.Errorf("operand cannot be written")
}

// pred returns a source predicate. A constant one becomes a register of its own.
func (c *compiler) pred(o *ptx.Operand) (predicate, error) {
	if o.Kind == ptx.OpReg && c.e.Regs[o.Reg].Type == ptx.Pred {
		return predicate{o.Reg, o.Neg}, nil
	}
	if o.Kind == ptx.OpInt {
		// an unwritten slot's mask is 0 in every lane
		return predicate{c.k.slot(), o.Int != 0}, nil
	}
	return predicate{}, fmt.Errorf("operand is not a predicate")
}

// operands returns the destination and the sources of a plain instruction.
func (c *compiler) operands(in *ptx.Instr) (d int, s [4]int, err error) {
	if d, err = c.dst(&in.Args[0]); err != nil {
		return d, s, err
	}
	s, err = c.srcs(in, 1, len(in.Args))
	return d, s, err
}
