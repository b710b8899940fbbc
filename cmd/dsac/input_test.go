package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestInterruptibleReadsAll(t *testing.T) {
	want := strings.Repeat("line of text\n", 20000)
	for _, tc := range []struct {
		name string
		r    io.Reader
	}{
		{"whole", strings.NewReader(want)},
		{"halves", iotest.HalfReader(strings.NewReader(want))},
		{"data_with_end", iotest.DataErrReader(strings.NewReader(want))},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := io.ReadAll(iotest.OneByteReader(interruptible(t.Context(), tc.r)))
			if err != nil || string(got) != want {
				t.Errorf("%d bytes and %v, want %d bytes", len(got), err, len(want))
			}
		})
	}
}

// Ctrl-C at the prompt of a conversation once did nothing until the next line.
func TestInterruptibleEndsWhileItWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	defer w.Close()
	in := interruptible(ctx, r)
	done := make(chan error)
	go func() {
		_, err := in.Read(make([]byte, 8))
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
