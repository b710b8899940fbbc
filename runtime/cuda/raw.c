//go:build cuda

#include <cuda.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "raw.h"

// The first versions of these two are in every driver; the names mean the second from CUDA 12
// on, which older drivers lack.
#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
CUresult CUDAAPI cuGraphAddKernelNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_KERNEL_NODE_PARAMS_v1 *);
CUresult CUDAAPI cuGraphKernelNodeGetParams(CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v1 *);

#define PTR(x) ((void *)(uintptr_t)(x))
#define NUM(x) ((uint64_t)(uintptr_t)(x))

// Most parameters that a kernel gets, and spare ones that point at a zero: the driver reads as
// many as the kernel has.
enum { MAX_PARAMS = 512, SPARE = 64 };

int dsac_header_version(void) { return CUDA_VERSION; }

const char *dsac_error_name(int code)
{
	const char *s = NULL;
	cuGetErrorName((CUresult)code, &s);
	return s ? s : "unknown";
}

const char *dsac_error_text(int code)
{
	const char *s = NULL;
	cuGetErrorString((CUresult)code, &s);
	return s ? s : "";
}

int dsac_pin(uint64_t *host, size_t bytes)
{
	void *p = NULL;
	CUresult r = cuMemHostAlloc(&p, bytes, CU_MEMHOSTALLOC_PORTABLE);
	*host = NUM(p);
	return r;
}

int dsac_unpin(uint64_t host) { return cuMemFreeHost(PTR(host)); }

int dsac_register(void *mapped, size_t bytes) { return cuMemHostRegister(mapped, bytes, CU_MEMHOSTREGISTER_PORTABLE); }

int dsac_unregister(uint64_t host) { return cuMemHostUnregister(PTR(host)); }

int dsac_load(uint64_t *module, const void *image, char *log, size_t n)
{
	char info[1024];
	CUjit_option options[] = {
		CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
		CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
	};
	void *values[] = {log, PTR(n), info, PTR(sizeof info)};
	CUmodule m = NULL;
	memset(log, 0, n);
	CUresult r = cuModuleLoadDataEx(&m, image, 4, options, values);
	*module = NUM(m);
	return r;
}

int dsac_allow_shared(uint64_t fn, int bytes)
{
	return cuFuncSetAttribute((CUfunction)PTR(fn), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
}

int dsac_cluster(uint64_t fn, int *blocks)
{
	// CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, since CUDA 11.8: a driver that does not know it
	// loads no kernel with clusters.
	CUresult r = cuFuncGetAttribute(blocks, (CUfunction_attribute)11, (CUfunction)PTR(fn));
	if (r == CUDA_ERROR_INVALID_VALUE) {
		*blocks = 0;
		return CUDA_SUCCESS;
	}
	return r;
}

int dsac_param_count(uint64_t fn)
{
	// Since CUDA 12.4.
	typedef CUresult (*info)(CUfunction, size_t, size_t *, size_t *);
	info get = (info)dlsym(RTLD_DEFAULT, "cuFuncGetParamInfo");
	size_t offset, size;
	int n = 0;
	if (get == NULL)
		return -1;
	while (n < MAX_PARAMS && get((CUfunction)PTR(fn), n, &offset, &size) == CUDA_SUCCESS)
		n++;
	return n;
}

int dsac_wait(uint64_t stream, int usec)
{
	struct timespec start, now;
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (;;) {
		CUresult r = cuStreamQuery((CUstream)PTR(stream));
		if (r != CUDA_ERROR_NOT_READY)
			return r;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 >= usec)
			return r;
	}
}

int dsac_graph_create(uint64_t *graph)
{
	CUgraph g = NULL;
	CUresult r = cuGraphCreate(&g, 0);
	*graph = NUM(g);
	return r;
}

int dsac_graph_destroy(uint64_t graph) { return cuGraphDestroy((CUgraph)PTR(graph)); }

int dsac_add_kernel(uint64_t graph, uint64_t *node, uint64_t fn, const uint32_t *dims, const uint64_t *params, int n)
{
	static const uint64_t zero[8];
	void *args[MAX_PARAMS + SPARE];
	CUDA_KERNEL_NODE_PARAMS_v1 p;
	CUgraphNode out = NULL;
	if (n > MAX_PARAMS)
		return CUDA_ERROR_INVALID_VALUE;
	for (int i = 0; i < n + SPARE; i++)
		args[i] = i < n ? (void *)&params[i] : (void *)zero;
	memset(&p, 0, sizeof p);
	p.func = (CUfunction)PTR(fn);
	p.gridDimX = dims[0], p.gridDimY = dims[1], p.gridDimZ = dims[2];
	p.blockDimX = dims[3], p.blockDimY = dims[4], p.blockDimZ = dims[5];
	p.sharedMemBytes = dims[6];
	p.kernelParams = args;
	CUresult r = cuGraphAddKernelNode(&out, (CUgraph)PTR(graph), NULL, 0, &p);
	*node = NUM(out);
	return r;
}

int dsac_add_copy(uint64_t graph, uint64_t *node, int kind, uint64_t dst, uint64_t src, size_t bytes)
{
	CUDA_MEMCPY3D p;
	CUcontext ctx = NULL;
	CUgraphNode out = NULL;
	CUresult r = cuCtxGetCurrent(&ctx);
	if (r != CUDA_SUCCESS)
		return r;
	memset(&p, 0, sizeof p);
	if (kind == DSAC_TO_DEVICE) {
		p.srcMemoryType = CU_MEMORYTYPE_HOST, p.srcHost = PTR(src);
		p.dstMemoryType = CU_MEMORYTYPE_DEVICE, p.dstDevice = dst;
	} else {
		p.srcMemoryType = CU_MEMORYTYPE_DEVICE, p.srcDevice = src;
		p.dstMemoryType = CU_MEMORYTYPE_HOST, p.dstHost = PTR(dst);
	}
	p.WidthInBytes = bytes, p.Height = 1, p.Depth = 1;
	r = cuGraphAddMemcpyNode(&out, (CUgraph)PTR(graph), NULL, 0, &p, ctx);
	*node = NUM(out);
	return r;
}

// What annotates an edge since CUDA 12.3 (CUgraphEdgeData). Older headers do not declare it.
struct edge_data {
	uint8_t from_port, to_port, type, reserved[5];
};
_Static_assert(sizeof(struct edge_data) == 8, "the driver's structure has 8 bytes");

// The programmatic port of a kernel node, and a dependency of programmatic type: the upstream
// kernel triggers the downstream one, which waits by itself.
static const struct edge_data early_edge = {.from_port = 1, .type = 1};

typedef CUresult (*add_dependencies)(CUgraph, const CUgraphNode *, const CUgraphNode *, const struct edge_data *, size_t);
typedef CUresult (*get_edges)(CUgraph, CUgraphNode *, CUgraphNode *, struct edge_data *, size_t *);

static add_dependencies add_annotated(void)
{
	return (add_dependencies)dlsym(RTLD_DEFAULT, "cuGraphAddDependencies_v2");
}

static get_edges get_annotated(void) { return (get_edges)dlsym(RTLD_DEFAULT, "cuGraphGetEdges_v2"); }

int dsac_early_edges(void)
{
	int version = 0;
	return cuDriverGetVersion(&version) == CUDA_SUCCESS && version >= 12030 && add_annotated() != NULL && get_annotated() != NULL;
}

int dsac_add_edges(uint64_t graph, const uint64_t *from, const uint64_t *to, const uint8_t *kind, size_t n)
{
	add_dependencies annotated = add_annotated();
	for (size_t i = 0; i < n; i++) {
		CUgraphNode a = (CUgraphNode)PTR(from[i]), b = (CUgraphNode)PTR(to[i]);
		CUresult r = CUDA_ERROR_NOT_SUPPORTED;
		if (kind[i] == DSAC_FULL)
			r = cuGraphAddDependencies((CUgraph)PTR(graph), &a, &b, 1);
		else if (annotated != NULL)
			r = annotated((CUgraph)PTR(graph), &a, &b, &early_edge, 1);
		if (r != CUDA_SUCCESS)
			return r;
	}
	return CUDA_SUCCESS;
}

int dsac_instantiate(uint64_t *exec, uint64_t graph, uint64_t stream)
{
	CUgraphExec x = NULL;
	CUresult r = cuGraphInstantiateWithFlags(&x, (CUgraph)PTR(graph), 0);
	*exec = NUM(x);
	if (r != CUDA_SUCCESS)
		return r;
	return cuGraphUpload(x, (CUstream)PTR(stream));
}

int dsac_exec_destroy(uint64_t exec) { return cuGraphExecDestroy((CUgraphExec)PTR(exec)); }

int dsac_launch(uint64_t exec, uint64_t stream)
{
	return cuGraphLaunch((CUgraphExec)PTR(exec), (CUstream)PTR(stream));
}

int dsac_get_nodes(uint64_t graph, uint64_t *nodes, size_t *n)
{
	_Static_assert(sizeof(CUgraphNode) == sizeof(uint64_t), "handles are 64 bits");
	return cuGraphGetNodes((CUgraph)PTR(graph), (CUgraphNode *)nodes, n);
}

int dsac_get_edges(uint64_t graph, uint64_t *from, uint64_t *to, uint8_t *kind, size_t *n)
{
	static const struct edge_data full_edge;
	CUgraph g = (CUgraph)PTR(graph);
	get_edges annotated = dsac_early_edges() ? get_annotated() : NULL;
	if (annotated == NULL) {
		if (kind != NULL)
			memset(kind, DSAC_FULL, *n);
		return cuGraphGetEdges(g, (CUgraphNode *)from, (CUgraphNode *)to, n);
	}
	if (from == NULL)
		return annotated(g, NULL, NULL, NULL, n);
	struct edge_data *data = calloc(*n + 1, sizeof *data);
	if (data == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	CUresult r = annotated(g, (CUgraphNode *)from, (CUgraphNode *)to, data, n);
	for (size_t i = 0; i < *n && r == CUDA_SUCCESS; i++) {
		kind[i] = DSAC_STRANGE;
		if (memcmp(&data[i], &full_edge, sizeof full_edge) == 0)
			kind[i] = DSAC_FULL;
		if (memcmp(&data[i], &early_edge, sizeof early_edge) == 0)
			kind[i] = DSAC_EARLY;
	}
	free(data);
	return r;
}

int dsac_node_kind(uint64_t node, int *kind)
{
	CUgraphNodeType t;
	CUDA_MEMCPY3D p;
	CUresult r = cuGraphNodeGetType((CUgraphNode)PTR(node), &t);
	*kind = DSAC_OTHER;
	if (r != CUDA_SUCCESS)
		return r;
	if (t == CU_GRAPH_NODE_TYPE_KERNEL)
		*kind = DSAC_KERNEL;
	if (t != CU_GRAPH_NODE_TYPE_MEMCPY)
		return r;
	r = cuGraphMemcpyNodeGetParams((CUgraphNode)PTR(node), &p);
	*kind = p.srcMemoryType == CU_MEMORYTYPE_HOST ? DSAC_TO_DEVICE : DSAC_TO_HOST;
	return r;
}

int dsac_get_kernel(uint64_t node, uint64_t *fn, uint32_t *dims, uint64_t *params, int n)
{
	CUDA_KERNEL_NODE_PARAMS_v1 p;
	memset(&p, 0, sizeof p);
	CUresult r = cuGraphKernelNodeGetParams((CUgraphNode)PTR(node), &p);
	if (r != CUDA_SUCCESS)
		return r;
	*fn = NUM(p.func);
	dims[0] = p.gridDimX, dims[1] = p.gridDimY, dims[2] = p.gridDimZ;
	dims[3] = p.blockDimX, dims[4] = p.blockDimY, dims[5] = p.blockDimZ;
	dims[6] = p.sharedMemBytes;
	for (int i = 0; i < n && p.kernelParams != NULL; i++)
		memcpy(&params[i], p.kernelParams[i], sizeof params[i]);
	return r;
}

int dsac_get_copy(uint64_t node, uint64_t *dst, uint64_t *src, uint64_t *bytes)
{
	CUDA_MEMCPY3D p;
	CUresult r = cuGraphMemcpyNodeGetParams((CUgraphNode)PTR(node), &p);
	if (r != CUDA_SUCCESS)
		return r;
	*src = p.srcMemoryType == CU_MEMORYTYPE_HOST ? NUM(p.srcHost) : p.srcDevice;
	*dst = p.dstMemoryType == CU_MEMORYTYPE_HOST ? NUM(p.dstHost) : p.dstDevice;
	*bytes = p.WidthInBytes * p.Height * p.Depth;
	return r;
}
