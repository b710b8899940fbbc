//go:build cuda

// One binary for machines with and without a driver. It is linked without libcuda: calls stay
// unresolved and are bound at their first use. The linker sends calls of cuInit here
// (--wrap=cuInit), the first call that any user of the driver makes. The driver's library is
// then opened so that all its names resolve the calls to come. gorgonia.org/cu calls cuInit
// before main and ends the process unless it succeeds, so success it gets; the true result is
// kept for those who ask, and nobody may call the driver if it is not 0.
#include <dlfcn.h>
#include <stdio.h>
#include "cuinit.h"

static int status = DSAC_NO_LIBRARY;
static char reason[256];

int __wrap_cuInit(unsigned int flags)
{
	void *lib = dlopen("libcuda.so.1", RTLD_GLOBAL | RTLD_LAZY);
	if (lib == NULL) {
		const char *why = dlerror();
		snprintf(reason, sizeof reason, "%s", why ? why : "unknown");
		return 0;
	}
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(lib, "cuInit");
	if (init == NULL) {
		snprintf(reason, sizeof reason, "libcuda.so.1 has no cuInit");
		return 0;
	}
	status = init(flags);
	return 0;
}

int dsac_init_status(void) { return status; }

const char *dsac_init_reason(void) { return reason; }
