package ref

import (
	"encoding/binary"

	"dsac/runtime/plan"
)

// advance ends a step: pos grows by the accepted rows, and the drawn token becomes the first
// input of the next step. Operands: control buffer (plan.Ctl* layout), ids i32[T].
func advance(c *Call) {
	ctl, ids := c.Args[0].Data, c.Args[1].I32
	le := binary.LittleEndian
	pos := le.Uint64(ctl[plan.CtlPos:]) + uint64(le.Uint32(ctl[plan.CtlAccepted:]))
	le.PutUint64(ctl[plan.CtlPos:], pos)
	ids[0] = int32(le.Uint32(ctl[plan.CtlToken:]))
}
