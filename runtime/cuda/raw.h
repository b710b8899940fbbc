// What gorgonia.org/cu lacks of the driver API. Handles and device addresses are uint64_t, so
// that no pointer crosses between Go and C but to plain numbers. All return a CUresult.
#ifndef DSAC_RAW_H
#define DSAC_RAW_H

#include <stddef.h>
#include <stdint.h>

// dims of a launch: grid x y z, block x y z, dynamic shared memory in bytes.
enum { DSAC_DIMS = 7 };

// Kinds of graph nodes. dsac_node_kind gives DSAC_OTHER for one that is none of ours.
enum { DSAC_KERNEL = 0, DSAC_TO_DEVICE = 1, DSAC_TO_HOST = 2, DSAC_OTHER = 3 };

int dsac_header_version(void); // CUDA_VERSION of the header

const char *dsac_error_name(int code);
const char *dsac_error_text(int code);

int dsac_pin(uint64_t *host, size_t bytes);
int dsac_unpin(uint64_t host);
int dsac_register(void *mapped, size_t bytes); // pins memory that is there
int dsac_unregister(uint64_t host);

// dsac_load loads a cubin or PTX; the compiler's messages go to log, which holds n bytes.
int dsac_load(uint64_t *module, const void *image, char *log, size_t n);
int dsac_allow_shared(uint64_t fn, int bytes);
int dsac_cluster(uint64_t fn, int *blocks); // of a cluster along x, 0: there are none
int dsac_param_count(uint64_t fn); // -1: this driver cannot tell

int dsac_wait(uint64_t stream, int usec); // polls; CUDA_ERROR_NOT_READY after usec

int dsac_graph_create(uint64_t *graph);
int dsac_graph_destroy(uint64_t graph);
int dsac_add_kernel(uint64_t graph, uint64_t *node, uint64_t fn, const uint32_t *dims, const uint64_t *params, int n);
int dsac_add_copy(uint64_t graph, uint64_t *node, int kind, uint64_t dst, uint64_t src, size_t bytes);
// Kinds of edges: a node ends before the next one starts, or only before it passes its wait for
// the grid. dsac_get_edges gives DSAC_STRANGE for one that is none of ours.
enum { DSAC_FULL = 0, DSAC_EARLY = 1, DSAC_STRANGE = 2 };
int dsac_early_edges(void); // whether this driver has the second kind: since CUDA 12.3
int dsac_add_edges(uint64_t graph, const uint64_t *from, const uint64_t *to, const uint8_t *kind, size_t n);
int dsac_instantiate(uint64_t *exec, uint64_t graph, uint64_t stream);
int dsac_exec_destroy(uint64_t exec);
int dsac_launch(uint64_t exec, uint64_t stream);

// Reading back. The counts say how much room there is, then how much there was to tell.
int dsac_get_nodes(uint64_t graph, uint64_t *nodes, size_t *n);
int dsac_get_edges(uint64_t graph, uint64_t *from, uint64_t *to, uint8_t *kind, size_t *n);
int dsac_node_kind(uint64_t node, int *kind);
int dsac_get_kernel(uint64_t node, uint64_t *fn, uint32_t *dims, uint64_t *params, int n);
int dsac_get_copy(uint64_t node, uint64_t *dst, uint64_t *src, uint64_t *bytes);

#endif
