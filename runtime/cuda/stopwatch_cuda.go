//go:build cuda

package cuda

// #include "event.h"
import "C"

import "errors"

// events is a stopwatch: two events on the stream of the launches.
type events struct {
	v          *nvidia
	begin, end C.uint64_t
}

func (v *nvidia) stopwatch() (stopwatch, error) {
	e := &events{v: v}
	if err := failed("cuEventCreate", C.dsac_event_create(&e.begin)); err != nil {
		return nil, err
	}
	if err := failed("cuEventCreate", C.dsac_event_create(&e.end)); err != nil {
		return nil, errors.Join(err, failed("cuEventDestroy", C.dsac_event_destroy(e.begin)))
	}
	return e, nil
}

func (e *events) start() error {
	return failed("cuEventRecord", C.dsac_event_record(e.begin, streamHandle(e.v.stream)))
}

func (e *events) stop() error {
	return failed("cuEventRecord", C.dsac_event_record(e.end, streamHandle(e.v.stream)))
}

func (e *events) micros() (float64, error) {
	var ms C.float
	err := failed("cuEventElapsedTime", C.dsac_event_elapsed(&ms, e.begin, e.end))
	return float64(ms) * 1000, err
}

func (e *events) close() error {
	return errors.Join(failed("cuEventDestroy", C.dsac_event_destroy(e.begin)), failed("cuEventDestroy", C.dsac_event_destroy(e.end)))
}
