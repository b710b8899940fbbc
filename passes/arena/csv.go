package arena

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// ReadCSV reads buffers in the MiniMalloc benchmark format: a header, then one buffer a row.
// Columns id, lower, upper and size are required; alignment (bytes) and offset (a fixed one,
// or empty) are optional; hint is ignored. Any other column is an error, as it would change
// the problem.
func ReadCSV(r io.Reader) ([]Buffer, error) {
	cr := csv.NewReader(r)
	header, err := cr.Read()
	if err != nil {
		return nil, fmt.Errorf("buffer list: header: %w", err)
	}
	columns := make([]func(*Buffer, string) error, len(header))
	have := map[string]bool{}
	for i, name := range header {
		if columns[i] = csvColumns[name]; columns[i] == nil {
			return nil, fmt.Errorf("buffer list: unknown column %q", name)
		}
		if have[name] {
			return nil, fmt.Errorf("buffer list: column %q appears twice", name)
		}
		have[name] = true
	}
	for _, name := range []string{"id", "lower", "upper", "size"} {
		if !have[name] {
			return nil, fmt.Errorf("buffer list: no column %q", name)
		}
	}
	var bufs []Buffer
	seen := map[string]bool{}
	for {
		row, err := cr.Read()
		if errors.Is(err, io.EOF) {
			return bufs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("buffer list: %w", err)
		}
		line, _ := cr.FieldPos(0)
		var b Buffer
		for i, field := range row {
			if err := columns[i](&b, field); err != nil {
				return nil, fmt.Errorf("buffer list: line %d: %s: %w", line, header[i], err)
			}
		}
		if seen[b.Name] {
			return nil, fmt.Errorf("buffer list: line %d: id %q appears twice", line, b.Name)
		}
		seen[b.Name] = true
		bufs = append(bufs, b)
	}
}

// csvColumns maps a column's name to the way its fields are read.
var csvColumns = map[string]func(*Buffer, string) error{
	"id":        func(b *Buffer, s string) error { b.Name = s; return nil },
	"lower":     func(b *Buffer, s string) (err error) { b.Lower, err = strconv.ParseInt(s, 10, 64); return },
	"upper":     func(b *Buffer, s string) (err error) { b.Upper, err = strconv.ParseInt(s, 10, 64); return },
	"size":      func(b *Buffer, s string) (err error) { b.Size, err = strconv.ParseUint(s, 10, 64); return },
	"alignment": func(b *Buffer, s string) (err error) { b.Align, err = strconv.ParseUint(s, 10, 64); return },
	"hint":      func(*Buffer, string) error { return nil },
	"offset": func(b *Buffer, s string) (err error) {
		if s == "" {
			return nil
		}
		b.Fixed = true
		b.Offset, err = strconv.ParseUint(s, 10, 64)
		return
	},
}
