package plan

import (
	"errors"
	"testing"
)

func TestParseErrors(t *testing.T) {
	const head = "buf a A+0 512\nbuf b A+512 512\nop f w=a\n"
	tests := []struct {
		name, text, want string
	}{
		{"unknown buffer", "buf y O+0 8\nop g r=q w=y", "t:2:8: unknown buffer \"q\": declare it with a buf line above\n\top g r=q w=y\n\t       ^"},
		{"unknown label", head + "op g r=a<h> w=b", "t:4:10: unknown op \"h\" in this entry\n\top g r=a<h> w=b\n\t         ^"},
		{"duplicate buffer", "buf a A+0 8\nbuf a A+8 8", "t:2:5: buffer a is already declared\n\tbuf a A+8 8\n\t    ^"},
		{"duplicate op", head + "op f w=b", "t:4:4: op f is already there: labels are unique in an entry\n\top f w=b\n\t   ^"},
		{"duplicate region", "region A arena 8\nregion A arena 8", "t:2:8: region A is already declared or in use: declare it once, before its first buffer\n\tregion A arena 8\n\t       ^"},
		{"region after use", "buf a A+0 8\nregion A arena 8", "t:2:8: region A is already declared or in use: declare it once, before its first buffer\n\tregion A arena 8\n\t       ^"},
		{"unknown region", "buf a Q+0 8", "t:1:7: unknown region \"Q\": declare it with a region line\n\tbuf a Q+0 8\n\t      ^"},
		{"unknown word", "\tbuff a", "t:1:2: unknown word \"buff\" at the start of a line: want one of bucket buf cubin dyn entry kernel launch op plan ptx rec region source step wait weight\n\t\tbuff a\n\t\t^"},
		{"unknown flag", "op f eww", "t:1:6: unknown flag \"eww\": want ew rf lin xrow init pdl gw mayread prev idx32 unk par or key=value\n\top f eww\n\t     ^"},
		{"unknown role", "buf a A+0 8 role=tmp", "t:1:18: unknown role \"tmp\": want one of temp result scratch diag control\n\tbuf a A+0 8 role=tmp\n\t                 ^"},
		{"bad symbol", head + "op g w=a[0:4*m]", "t:4:14: unknown symbol \"m]\": the symbols are n, pos and len\n\top g w=a[0:4*m]\n\t             ^"},
		{"two symbols", head + "op g w=a[0:n+pos]", "t:4:14: a range bound has at most one symbol\n\top g w=a[0:n+pos]\n\t             ^"},
		{"open range", head + "op g w=a[0:4", "t:4:13: \"]\" wanted after the range, found the end of the word\n\top g w=a[0:4\n\t            ^"},
		{"end of -1", head + "op g w=a[0:-1]", "t:4:9: a range cannot end at -1\n\top g w=a[0:-1]\n\t        ^"},
		{"key twice", "op f k=1 k=2", "t:1:10: k is given twice\n\top f k=1 k=2\n\t         ^"},
		{"view of itself", "buf a A+0 8 of=b\nbuf b A+0 8 of=a", "t:2:16: buffer b is a view of itself\n\tbuf b A+0 8 of=a\n\t               ^"},
		{"open quote", `op f k="a`, "t:1:8: quote is not closed\n\top f k=\"a\n\t       ^"},
		{"size too large", "buf a A+0 18446744073709551616", "t:1:11: size 18446744073709551616 does not fit in 64 bits\n\tbuf a A+0 18446744073709551616\n\t          ^"},
		{"negative size", "buf a A+0 -8", "t:1:11: size wanted (a decimal number), found \"-8\"\n\tbuf a A+0 -8\n\t          ^"},
		{"pad on some", "buf a A+0 8 pad=0\nbuf b A+8 8", "t:2:1: pad= must stand on all buffers or on none: 1 of 2 have it\n\tbuf b A+8 8\n\t^"},
		{"launch without op", "launch 0 grid=1x1x1 block=1x1x1", "t:1:1: launch 0 has no op: follow it with ops that say launch=0\n\tlaunch 0 grid=1x1x1 block=1x1x1\n\t^"},
		{"launch with a gap", "launch 0 grid=1x1x1 block=1x1x1\nop a launch=0\nop b\nop c launch=0", "t:4:13: the ops of launch 0 are not consecutive\n\top c launch=0\n\t            ^"},
		{"buffer of another entry", "entry a\nbuf x A+0 8\nop f w=x\nentry b\nop g r=x", "t:5:8: unknown buffer \"x\": declare it with a buf line above\n\top g r=x\n\t       ^"},
		{"op of another entry", "buf x A+0 8\nentry a\nop f w=x\nentry b\nop g r=x<f>", "t:5:10: unknown op \"f\" in this entry\n\top g r=x<f>\n\t         ^"},
		{"open heredoc", "kernel k\nptx k <<END\nabc", "t:2:1: no line \"END\" closes this text\n\tptx k <<END\n\t^"},
		{"late of nothing", head + "op g r=a late=b", "t:4:15: late=b: the op has no operand b\n\top g r=a late=b\n\t              ^"},
		{"reserved text", "buf a", "t:1:6: buf wants NAME REGION+OFFSET SIZE\n\tbuf a\n\t     ^"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("t", []byte(tt.text))
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("got %v, want a syntax error", err)
			}
			if got := err.Error(); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
