package plan

import "strconv"

// The words of the text form. An index is the value of the constant.
var (
	regionKindNames = [...]string{Arena: "arena", In: "in", Out: "out", Const: "const", State: "state", Host: "host", Sym: "sym"}
	roleNames       = [...]string{Temp: "temp", Result: "result", Scratch: "scratch", Diag: "diag", Control: "control"}
	effectNames     = [...]string{R: "r", RW: "rw", Acc: "acc", W: "w", Scr: "scr"}
	itemKindNames   = [...]string{DoStep: "op", Record: "rec", Wait: "wait", NextStep: "step"}
)

// String returns the word of the text form.
func (k RegionKind) String() string { return word(regionKindNames[:], int(k)) }

// String returns the word of the text form.
func (r Role) String() string { return word(roleNames[:], int(r)) }

// String returns the word of the text form.
func (e Effect) String() string { return word(effectNames[:], int(e)) }

// String returns the word of the text form.
func (k ItemKind) String() string { return word(itemKindNames[:], int(k)) }

func word(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "invalid(" + strconv.Itoa(i) + ")"
}

// index returns the position of s in names, or -1.
func index(names []string, s string) int {
	for i, n := range names {
		if n == s {
			return i
		}
	}
	return -1
}

// stepFlagNames lists the flags in print order; the bit of entry i is 1<<i.
var stepFlagNames = [...]string{"ew", "rf", "lin", "xrow", "init", "pdl", "gw", "mayread", "prev", "idx32", "unk", "par"}

// bufFlagNames lists the flags in print order; the bit of entry i is 1<<i.
var bufFlagNames = [...]string{"stride0", "grpbuf", "parity"}

const (
	allStepFlags = StepFlags(1<<len(stepFlagNames) - 1)
	allBufFlags  = BufFlags(1<<len(bufFlagNames) - 1)
)

// Keys that the text form uses itself: no attribute may have them.
var (
	stepKeys = map[string]bool{"r": true, "rw": true, "acc": true, "w": true, "scr": true,
		"kind": true, "src": true, "launch": true, "late": true}
	bufKeys = map[string]bool{"dtype": true, "shape": true, "lay": true, "layout": true, "role": true,
		"align": true, "life": true, "of": true, "inplace_of": true, "layer": true, "valid": true, "pad": true}
)

// defaultRegions exist in a text unless it declares them.
var defaultRegions = [...]struct {
	name string
	kind RegionKind
}{{"A", Arena}, {"I", In}, {"O", Out}, {"W", Const}, {"S", State}, {"H", Host}}

const defaultRegionSize = 64 << 10 // bytes

// mainStream is how the text form writes the stream "".
const mainStream = "main"

// Character classes of the text form.
const (
	chName  = 1 << iota // bare in a name: letters, digits, _ . % -
	chLabel             // bare in the name of a step, entry, kernel, event: also /
	chDType             // bare in an operand's dtype or layout: also |
	chValue             // bare in an attribute value
	chKey               // in an attribute key: letters, digits, _ .
)

var classes = func() (t [256]uint8) {
	for c := byte('!'); c <= '~'; c++ {
		alnum := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if c != '"' && c != '\\' && c != '=' && c != '#' {
			t[c] |= chValue
		}
		if alnum || c == '_' || c == '.' {
			t[c] |= chKey
		}
		if alnum || c == '_' || c == '.' || c == '%' || c == '-' {
			t[c] |= chName | chLabel | chDType
		}
		if c == '/' {
			t[c] |= chLabel
		}
		if c == '|' {
			t[c] |= chDType
		}
	}
	return t
}()

// bare says whether s is non-empty and has only characters of the class.
func bare(s string, class uint8) bool {
	for i := 0; i < len(s); i++ {
		if classes[s[i]]&class == 0 {
			return false
		}
	}
	return s != ""
}

// quoteUnless returns s as it stands if the class allows it, else as a Go string literal.
func quoteUnless(s string, class uint8) string {
	if bare(s, class) {
		return s
	}
	return strconv.Quote(s)
}
