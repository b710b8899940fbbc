package cuda

import "errors"

// stager is the buffers of an upload: pinned memory, and where weights are repacked as much of the
// GPU's. Pinning a small buffer takes about as long as pinning many in one piece, as do allocating
// memory of the GPU and giving either back, and the driver serves one caller at a time. So all
// buffers of all workers are one piece.
type stager struct {
	memory *pinned
	raw    uint64 // address; 0: nothing is repacked
	halves []half
}

// half is a buffer with a lane of its own.
type half struct {
	buf  *pinned
	raw  uint64 // address
	lane lane
}

// open makes so many buffers of a size in bytes.
func (s *stager) open(drv driver, buffers, size int, repacks bool) (err error) {
	const page = 4096
	size = (size + page - 1) / page * page
	if s.memory, err = drv.pinned(buffers * size); err != nil {
		return err
	}
	if repacks {
		if s.raw, err = drv.alloc(uint64(buffers * size)); err != nil {
			return err
		}
	}
	for i := range buffers {
		at := i * size
		h := half{buf: &pinned{s.memory.bytes[at : at+size], s.memory.at + uint64(at)}, raw: s.raw + uint64(at)}
		if h.lane, err = drv.lane(); err != nil {
			return err
		}
		s.halves = append(s.halves, h)
	}
	return nil
}

// close waits for the copies: a buffer must not go while the GPU reads it.
func (s *stager) close(drv driver) []error {
	var errs []error
	for i := range s.halves {
		errs = append(errs, s.halves[i].lane.wait())
	}
	for i := range s.halves {
		errs = append(errs, s.halves[i].lane.close())
	}
	if s.raw != 0 {
		errs = append(errs, drv.release(s.raw))
	}
	if s.memory != nil {
		errs = append(errs, drv.unpin(s.memory))
	}
	return errs
}

// turns gives a worker's buffers in turn.
type turns struct {
	halves []half
	next   int
}

// free returns the buffer whose turn it is, once the GPU is done with it.
func (t *turns) free() (*half, error) {
	h := &t.halves[t.next]
	t.next = (t.next + 1) % len(t.halves)
	return h, h.lane.wait()
}

func (t *turns) wait() error {
	var errs []error
	for i := range t.halves {
		errs = append(errs, t.halves[i].lane.wait())
	}
	return errors.Join(errs...)
}
