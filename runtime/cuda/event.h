// Events of the driver, for timing. Handles are uint64_t and results CUresult, as in raw.h.
#ifndef DSAC_EVENT_H
#define DSAC_EVENT_H

#include <stdint.h>

int dsac_event_create(uint64_t *event);
int dsac_event_destroy(uint64_t event);
int dsac_event_record(uint64_t event, uint64_t stream);
int dsac_event_elapsed(float *ms, uint64_t from, uint64_t to); // both must have passed

#endif
