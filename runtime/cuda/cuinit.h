// How the driver library is found: see cuinit.c.
#ifndef DSAC_CUINIT_H
#define DSAC_CUINIT_H

#define DSAC_NO_LIBRARY (-1) // libcuda.so.1 could not be opened

// dsac_init_status is what cuInit returned, or DSAC_NO_LIBRARY.
int dsac_init_status(void);

// dsac_init_reason is what the dynamic loader said, or "".
const char *dsac_init_reason(void);

#endif
