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

// productTypes are the types of a product's operands.
var productTypes = map[string]string{"weight": weightTypes, "gate": weightTypes, "up": weightTypes, "idx": "i32"}
