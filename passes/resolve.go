package passes

import "dsac/ir"

// kvType is the DSL's element type of caches, which the compile chooses.
const kvType ir.DType = "kv"

// resolve gives the caches their element type. It needs nothing; it leaves no value of type
// kv; it never changes a shape.
func resolve(u *Unit) error {
	set := func(v *ir.Value) {
		if v.Type.DType == kvType {
			v.Type.DType = ir.DType(u.Opt.KV)
		}
	}
	for _, v := range u.G.Args {
		set(v)
	}
	for _, n := range u.G.Nodes {
		for _, v := range n.Out {
			set(v)
		}
	}
	return nil
}
