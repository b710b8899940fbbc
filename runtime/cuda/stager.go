package cuda

import "errors"

// stager is the pinned buffers of a worker, all of one size.
type stager struct {
	drv    driver
	size   int // bytes
	halves [perWorker]half
	turn   int
}

// half is a pinned buffer with a lane of its own, and as much memory of the GPU.
type half struct {
	buf  *pinned
	lane lane
	raw  uint64 // address; 0: nothing was repacked yet
}

// free returns the half whose turn it is, once the GPU is done with it. A half is made when its
// turn first comes, so that the first bytes are on their way while the other buffers are pinned.
func (s *stager) free(repacks bool) (h *half, err error) {
	h = &s.halves[s.turn]
	s.turn = (s.turn + 1) % len(s.halves)
	if h.lane == nil {
		if h.lane, err = s.drv.lane(); err != nil {
			return nil, err
		}
	} else if err := h.lane.wait(); err != nil {
		return nil, err
	}
	if h.buf == nil {
		if h.buf, err = s.drv.pinned(s.size); err != nil {
			return nil, err
		}
	}
	if repacks && h.raw == 0 {
		h.raw, err = s.drv.alloc(uint64(s.size))
	}
	return h, err
}

func (s *stager) wait() error {
	var errs []error
	for i := range s.halves {
		if l := s.halves[i].lane; l != nil {
			errs = append(errs, l.wait())
		}
	}
	return errors.Join(errs...)
}

// close waits for the copies: a buffer must not go while the GPU reads it.
func (s *stager) close() error {
	errs := []error{s.wait()}
	for _, h := range s.halves {
		if h.lane != nil {
			errs = append(errs, h.lane.close())
		}
		if h.buf != nil {
			errs = append(errs, s.drv.unpin(h.buf))
		}
		if h.raw != 0 {
			errs = append(errs, s.drv.release(h.raw))
		}
	}
	return errors.Join(errs...)
}
