package chat

import (
	"fmt"
	"strings"
	"time"
)

// strftimeLayouts maps the letters of Python's strftime to layouts of package time.
var strftimeLayouts = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'd': "02", 'e': "_2", 'H': "15", 'I': "03",
	'm': "01", 'M': "04", 'p': "PM", 'S': "05", 'y': "06", 'Y': "2006", 'z': "-0700", 'Z': "MST",
	'F': "2006-01-02", 'T': "15:04:05", 'D': "01/02/06", 'j': "002",
}

// unpadded are the layouts of letters after a dash, as in %-d.
var unpadded = map[byte]string{'d': "2", 'm': "1", 'I': "3", 'M': "4", 'S': "5"}

// strftime formats t; letters it does not know stay as they are.
func strftime(format string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		layout, ok := strftimeLayouts[format[i]]
		switch {
		case ok:
			b.WriteString(t.Format(layout))
		case format[i] == '%':
			b.WriteByte('%')
		case format[i] == '-' && i+1 < len(format) && format[i+1] == 'H':
			fmt.Fprint(&b, t.Hour())
			i++
		case format[i] == '-' && i+1 < len(format) && unpadded[format[i+1]] != "":
			b.WriteString(t.Format(unpadded[format[i+1]]))
			i++
		default:
			b.WriteString(format[i-1 : i+1])
		}
	}
	return b.String()
}
