package plan

import (
	"fmt"
	"io"
	"strings"
)

// The text form has one fact per line; # starts a comment. Names with other characters than
// letters, digits, _ . % - (in labels also /) are quoted like Go strings, and so are values
// with blanks, quotes, = or #. Numbers are bytes unless a key says otherwise.
//
//	plan KEY=VALUE...                             facts, see the Meta keys
//	bucket NAME need=N max=N
//	dyn NAME
//	region NAME KIND SIZE [gen=N]                 arena in out const state host sym
//	source INDEX "FILE":LINE:COL "TEXT"
//	kernel NAME [regs=N] [shared=N] [params=A,B]
//	buf NAME REGION+OFF SIZE [dtype=T] [shape=AxB] [lay=L] [role=R] [align=N] [life=LO:HI]
//	    [of=BUF] [inplace_of=BUF] [layer=N] [valid=BOUND] [KEY=VALUE...] [FLAG...] [pad=OFF]
//	weight TENSOR [type=T] dims=AxB [layout=L] [buf=BUF] [axis=N] [part=LO:HI]
//	entry NAME rows=T [outs=R] [arena=N]          owns the buffers and order that follow
//	launch INDEX [kernel=K] grid=XxYxZ block=XxYxZ [shared=N]
//	op NAME [@STREAM] [kind=OP] [r=...] [rw=...] [acc=...] [w=...] [scr=...] [KEY=VALUE...]
//	    [FLAG...] [late=BUF,#OPERAND] [src=INDEX] [launch=INDEX]
//	rec EVENT @STREAM
//	wait EVENT @STREAM
//	step
//	ptx KERNEL <<END, ptx KERNEL base64 <<END, cubin KERNEL base64 <<END    up to a line END
//
// An operand is BUF[LO:HI]{COL:COL}<OP|OP>:DTYPE/LAYOUT, all but the name optional: bytes,
// columns of each row, expected definitions, and what it takes the bytes for. A bound is
// N, K*SYM or N+K*SYM with SYM one of n, pos, len. Buffers before the first entry line are
// shared; a text without entry lines has one nameless entry of one row. The regions A arena,
// I in, O out, W const, S state, H host of 64 KiB exist unless declared.

// SyntaxError is what Parse returns for a text that is not a plan.
type SyntaxError struct {
	Name      string // of the text
	Line, Col int    // from 1; Col counts bytes
	Msg       string
	Source    string // the line
}

// Error gives the place, what was wrong, and the line with a caret.
func (e *SyntaxError) Error() string {
	before, after := e.window()
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, before)
	return fmt.Sprintf("%s:%d:%d: %s\n\t%s%s\n\t%s^", e.Name, e.Line, e.Col, e.Msg, before, after, pad)
}

// window cuts a long line down to the part around the column.
func (e *SyntaxError) window() (before, after string) {
	const left, right = 100, 60
	at := min(e.Col-1, len(e.Source))
	before, after = e.Source[:at], e.Source[at:]
	if len(before) > left {
		before = "..." + strings.ToValidUTF8(before[len(before)-left:], "")
	}
	if len(after) > right {
		after = strings.ToValidUTF8(after[:right], "") + "..."
	}
	return before, after
}

// Print writes the text form. There is exactly one text per plan: Parse gives the plan back
// and Print the same bytes again. It refuses a plan that Encode would refuse.
func Print(w io.Writer, p *Plan) error {
	if err := Sound(p); err != nil {
		return err
	}
	pr := printer{p: p}
	pr.plan()
	_, err := w.Write(pr.b)
	return err
}

// Text returns the text form. The plan must be sound.
func (p *Plan) Text() string {
	if err := Sound(p); err != nil {
		panic("BUG: " + err.Error())
	}
	pr := printer{p: p}
	pr.plan()
	return string(pr.b)
}
