package kernels

import (
	"strings"

	"dsac/codegen"
	"dsac/codegen/kernels/product"
	"dsac/runtime/quant/repack"
)

// products are the families of package product.
func products(s *codegen.Spec) (Kernel, error) {
	l, emit, err := product.Make(s)
	return Kernel{Launch: l, Emit: emit}, err
}

// weightTypes are the types of weight matrices that can be repacked.
var weightTypes = func() string {
	var names []string
	for _, l := range repack.Layouts {
		names = append(names, l.Type.String())
	}
	return strings.Join(names, " ")
}()

// weights are the types of the named operands of a product: matrices, but for the list idx of
// experts and activations x, which may be rows of half_rows.
func weights(operands ...string) map[string]string {
	types := map[string]string{}
	for _, o := range operands {
		switch o {
		case "idx":
			types[o] = "i32"
		case "x":
			types[o] = "f32 f16"
		default:
			types[o] = weightTypes
		}
	}
	return types
}
