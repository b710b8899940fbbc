package main

import (
	"context"
	"io"
)

// interruptible returns a reader of r whose Read ends with the context's error when ctx is
// done, even while r has nothing to give: a terminal waits for a line without end.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	return &ctxReader{ctx: ctx, r: r, got: make(chan readResult, 1)}
}

type ctxReader struct {
	ctx     context.Context
	r       io.Reader
	got     chan readResult
	pending []byte // read but not handed out
	err     error  // comes after pending
}

type readResult struct {
	data []byte
	err  error
}

func (c *ctxReader) Read(dst []byte) (int, error) {
	if len(c.pending) == 0 && c.err == nil {
		go func() {
			buf := make([]byte, 64<<10)
			n, err := c.r.Read(buf)
			c.got <- readResult{buf[:n], err}
		}()
		select {
		case <-c.ctx.Done():
			c.err = c.ctx.Err() // the reading goroutine ends with the process
		case g := <-c.got:
			c.pending, c.err = g.data, g.err
		}
	}
	if n := copy(dst, c.pending); n > 0 {
		c.pending = c.pending[n:]
		return n, nil
	}
	return 0, c.err
}
