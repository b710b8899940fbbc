package codegen

// Fresh returns a in a way that llc does not see through: what is made of it is computed where
// it stands, every time. llc moves such sums out of loops, or carries one for each address,
// however many registers that takes.
func (a I32) Fresh() I32 {
	return words(a.k, a.k.asm(ordered, "mov.b32 $0, $1;", repeat(a.v.Type(), 1), a.v))[0]
}
