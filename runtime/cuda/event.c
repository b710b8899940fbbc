//go:build cuda

#include <cuda.h>

#include "event.h"

// The first version is in every driver; the name means the second from CUDA 12.8 on.
#undef cuEventElapsedTime
CUresult CUDAAPI cuEventElapsedTime(float *, CUevent, CUevent);

#define EVENT(x) ((CUevent)(uintptr_t)(x))

int dsac_event_create(uint64_t *event)
{
	CUevent e = NULL;
	CUresult r = cuEventCreate(&e, CU_EVENT_DEFAULT);
	*event = (uint64_t)(uintptr_t)e;
	return r;
}

int dsac_event_destroy(uint64_t event) { return cuEventDestroy(EVENT(event)); }

int dsac_event_record(uint64_t event, uint64_t stream) { return cuEventRecord(EVENT(event), (CUstream)(uintptr_t)stream); }

int dsac_event_elapsed(float *ms, uint64_t from, uint64_t to) { return cuEventElapsedTime(ms, EVENT(from), EVENT(to)); }
