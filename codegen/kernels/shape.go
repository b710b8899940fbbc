package kernels

import "dsac/codegen"

// f32 is the size of an element in bytes.
const f32 = 4

// vectorWidth returns how many f32 (4, 2 or 1) can be accessed at once in rows of operands
// whose buffers are aligned to 16 bytes.
func vectorWidth(operands ...codegen.OperandSpec) int {
	for _, n := range []int{4, 2} {
		fits := true
		for _, o := range operands {
			fits = fits && o.Width()%n == 0 && o.Col%n == 0 && o.Selected()%n == 0
		}
		if fits {
			return n
		}
	}
	return 1
}

// rowAt returns the address of the first selected column of row r (an I32 or an integer).
func rowAt(p codegen.Ptr, o codegen.OperandSpec, r any) codegen.Ptr {
	return p.Elem(r, o.Width()*f32).At(o.Col * f32)
}

// elems returns the number of elements of a shape.
func elems(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// warps rounds a number of threads up to whole warps.
func warps(threads int) int { return ceilDiv(threads, 32) * 32 }
