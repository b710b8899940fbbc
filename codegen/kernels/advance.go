package kernels

import (
	"dsac/codegen"
	"dsac/runtime/plan"
)

// advance ends a step: pos grows by the accepted rows, and the drawn token becomes the first
// input of the next step. One thread.
func advance(s *codegen.Spec) (Kernel, error) {
	return Kernel{Launch: codegen.Line(1, 32), Emit: func(k *codegen.K) {
		k.If(k.Thread().Eq(0), func() {
			ctl := k.Arg(0)
			pos, token := ctl.At(plan.CtlPos).LdI64(), ctl.At(plan.CtlToken).LdI32() // none waits for a store
			ctl.At(plan.CtlPos).StI64(pos.Add(ctl.At(plan.CtlAccepted).LdI32().I64()))
			k.Arg(1).StI32(token)
		})
	}}, nil
}
