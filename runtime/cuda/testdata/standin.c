// A stand-in for libcuda.so.1: memory is the host's, the kernels of toy.ptx are C, graphs are
// kept as they are made and run in an order that their edges allow. It exists to test the
// calls that dsac makes without a GPU, and knows no others. The environment plants what a healthy
// machine does not have:
//
//	STANDIN_MIB=300,8192  GPUs of that much memory; one of 8 GiB otherwise
//	STANDIN_LOSE=3        the third launch loses the GPU
//	STANDIN_COPY_MS=20    each asynchronous copy to a GPU takes that long
#include <cuda.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuEventElapsedTime

enum { MOST = 1024, PARAMS = 16 };

struct node {
	CUgraphNodeType type;
	CUDA_KERNEL_NODE_PARAMS_v1 kernel;
	uint64_t values[PARAMS];
	void *params[PARAMS];
	CUDA_MEMCPY3D copy;
};

struct graph {
	size_t nodes, edges;
	struct node *node[MOST], *from[MOST], *to[MOST];
	uint64_t data[MOST]; // of edges
};

static CUresult broken;   // what every call answers after a fault
static double busy_until; // seconds: a slow kernel runs until then

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

// The kernels: names, parameters, and what they do. The last parameter is the control block.
static struct { const char *name; int params; } kernels[] = {
	{"embed", 4}, {"scale", 3}, {"append", 3}, {"add", 4}, {"sample", 6}, {"advance", 3},
	{"fault", 3}, {"slow", 3}, {"wide", 3}, {"dsac_delay", 0}, {"dsac_repack", 7},
	{"scaled_add", 4},
	{"dsac_meter_copy", 3}, {"dsac_meter_fill", 4}, {"dsac_meter_mma", 2},
};
enum {
	EMBED, SCALE, APPEND, ADD, SAMPLE, ADVANCE, FAULT, SLOW, WIDE, DELAY, REPACK, SCALED_ADD,
	COPY, FILL, MMA, KERNELS
};

// As repack.ptx, in a grid of that many blocks.
static void repack(uint64_t *a, unsigned blocks)
{
	uint8_t *dst = (uint8_t *)a[0], *src = (uint8_t *)a[1];
	uint32_t *heads = (uint32_t *)a[2], *moves = heads + 2 * a[6];
	for (uint64_t u = 0; u < blocks; u++)
		for (uint64_t w = 0; w < a[6]; w++) {
			uint32_t v = 0;
			for (uint32_t i = heads[2 * w] & 65535; i < heads[2 * w] >> 16; i++) {
				uint32_t m = moves[i];
				uint64_t row = u / a[5] * 16 + (m & 15), at = u % a[5] * a[6] / 4 + (m >> 7 & 255);
				if (row < a[3] && at < a[4])
					v |= ((uint32_t)src[row * a[4] + at] >> (m >> 4 & 7) & (m >> 15 & 255)) << (m >> 23);
			}
			v ^= heads[2 * w + 1];
			memcpy(dst + 4 * (u * a[6] + w), &v, 4);
		}
}

static void run_kernel(CUfunction f, void **params, unsigned blocks)
{
	int k = (int)(uintptr_t)f - 1, count = kernels[k].params;
	uint8_t *p[PARAMS] = {0}, *ctl;
	for (int i = 0; i < count; i++)
		memcpy(&p[i], params[i], sizeof p[i]);
	if (k == FILL)
		for (uint64_t i = 0; i < (uint64_t)p[1]; i++)
			memcpy(p[0] + 16 * i, p[2] + 16 * (i % (uint64_t)p[3]), 16);
	if (k == DELAY || k >= COPY) // how fast copies and products are is nobody's question here
		return;
	if (k == REPACK) {
		repack((uint64_t *)p, blocks);
		return;
	}
	ctl = p[count - 1];
	uint64_t pos, n, len;
	memcpy(&pos, ctl, 8), memcpy(&n, ctl + 8, 8), memcpy(&len, ctl + 16, 8);
	float *a = (float *)p[0], *b = (float *)p[1], *c = (float *)p[2];
	int32_t *ids = (int32_t *)p[0], *hist = (int32_t *)p[3];
	if (k <= ADD || k == SCALED_ADD) // a block is a row
		n = n < blocks ? n : blocks;
	switch (k) {
	case EMBED:
		for (uint64_t r = 0; r < n; r++)
			memcpy(p[2] + 256 * r, p[1] + 256 * ids[r], 256);
		break;
	case SCALE:
	case WIDE:
		for (uint64_t i = 0; i < 64 * n; i++)
			b[i] = a[i] + a[i];
		break;
	case APPEND:
		memcpy(p[1] + 256 * pos, p[0], 256 * n);
		break;
	case ADD:
		for (uint64_t i = 0; i < 64 * n; i++)
			c[i] = a[i] + b[i];
		break;
	case SCALED_ADD:
		for (uint64_t i = 0; i < 64 * n; i++)
			c[i] = a[i] + 2 * b[i];
		break;
	case SAMPLE: {
		float *row = a + 64 * (n - 1);
		int32_t best = -1;
		for (int32_t j = 0; j < 64; j++)
			if (!p[2][j] && (best < 0 || row[j] > row[best]))
				best = j;
		hist[best]++;
		memcpy(p[4] + 32, &len, 8), memcpy(p[4] + 40, &best, 4);
		break;
	}
	case ADVANCE: {
		uint32_t accepted;
		memcpy(&accepted, ctl + 52, 4);
		pos += accepted;
		memcpy(ctl, &pos, 8), memcpy(p[1], ctl + 40, 4);
		break;
	}
	case FAULT:
		broken = CUDA_ERROR_ILLEGAL_ADDRESS;
		break;
	case SLOW:
		busy_until = now() + 1;
		break;
	}
}

enum { GPUS = 8 };
static size_t memory[GPUS]; // bytes
static int gpus;
static __thread int current; // GPU of the thread's context
static int launches, lose, copy_ms;

static int number(const char *name)
{
	const char *s = getenv(name);
	return s ? atoi(s) : 0;
}

CUresult cuInit(unsigned flags)
{
	const char *s = getenv("STANDIN_MIB");
	for (s = s ? s : "8192"; s && gpus < GPUS; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
		memory[gpus++] = (size_t)atol(s) << 20;
	lose = number("STANDIN_LOSE"), copy_ms = number("STANDIN_COPY_MS");
	return 0;
}
CUresult cuDriverGetVersion(int *v) { return *v = 13000, 0; }
CUresult cuDeviceGetCount(int *n) { return *n = gpus, 0; }
CUresult cuDeviceGet(CUdevice *d, int i) { return *d = i, 0; }
CUresult cuDeviceGetName(char *s, int n, CUdevice d) { return strncpy(s, "Stand-in", n), 0; }
CUresult cuDeviceTotalMem_v2(size_t *n, CUdevice d) { return *n = memory[d], 0; }
CUresult cuDeviceCanAccessPeer(int *can, CUdevice a, CUdevice b) { return *can = 0, 0; }
CUresult cuDeviceGetAttribute(int *v, CUdevice_attribute a, CUdevice d)
{
	*v = a == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : a == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0 : 1;
	return 0;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d) { return *c = (CUcontext)&memory[d], 0; }
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice d) { return 0; }
CUresult cuCtxSetCurrent(CUcontext c) { return current = (size_t *)c - memory, 0; }
CUresult cuCtxGetCurrent(CUcontext *c) { return *c = (CUcontext)&memory[current], 0; }

CUresult cuGetErrorName(CUresult r, const char **s)
{
	*s = r == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : r == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : r == CUDA_ERROR_UNKNOWN ? "CUDA_ERROR_UNKNOWN" : "CUDA_ERROR_OTHER";
	return 0;
}
CUresult cuGetErrorString(CUresult r, const char **s) { return *s = "text", 0; }

CUresult cuEventCreate(CUevent *e, unsigned flags) { return *e = malloc(sizeof(double)), 0; }
CUresult cuEventDestroy_v2(CUevent e) { return free(e), 0; }
CUresult cuEventRecord(CUevent e, CUstream s) { return *(double *)e = now(), broken; }
CUresult cuEventSynchronize(CUevent e) { return broken; }
CUresult cuEventElapsedTime(float *ms, CUevent a, CUevent b) { return *ms = (*(double *)b - *(double *)a) * 1e3, 0; }

CUresult cuStreamCreate(CUstream *s, unsigned flags) { return *s = malloc(1), 0; }
CUresult cuStreamDestroy_v2(CUstream s) { return free(s), 0; }
CUresult cuStreamQuery(CUstream s) { return broken ? broken : now() < busy_until ? CUDA_ERROR_NOT_READY : 0; }
CUresult cuStreamSynchronize(CUstream s) { return broken; }
CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags) { return broken; }

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) { return *total = memory[current], *free = *total / 8 * 7, 0; }
CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t n)
{
	if (n > memory[current])
		return CUDA_ERROR_OUT_OF_MEMORY;
	*p = (CUdeviceptr)(uintptr_t)malloc(n);
	return 0;
}
CUresult cuMemFree_v2(CUdeviceptr p) { return free((void *)(uintptr_t)p), 0; }
CUresult cuMemHostAlloc(void **p, size_t n, unsigned flags) { return *p = malloc(n), 0; }
CUresult cuMemFreeHost(void *p) { return free(p), 0; }
CUresult cuMemHostRegister_v2(void *p, size_t n, unsigned flags) { return 0; }
CUresult cuMemHostUnregister(void *p) { return broken; }
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, CUstream s)
{
	usleep(1000 * copy_ms);
	return memcpy((void *)(uintptr_t)to, from, n), broken;
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream s)
{
	return memcpy(to, (void *)(uintptr_t)from, n), broken;
}
CUresult cuMemsetD32Async(CUdeviceptr at, unsigned v, size_t n, CUstream s)
{
	for (size_t i = 0; i < n; i++)
		memcpy((char *)(uintptr_t)at + 4 * i, &v, 4);
	return broken;
}

CUresult cuModuleLoadDataEx(CUmodule *m, const void *image, unsigned n, CUjit_option *o, void **values)
{
	if (strstr(image, "nosuch")) {
		strcpy(values[0], "nosuch is undefined");
		return CUDA_ERROR_INVALID_PTX;
	}
	*m = malloc(1);
	return 0;
}
CUresult cuModuleUnload(CUmodule m) { return free(m), 0; }
CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name)
{
	for (int i = 0; i < KERNELS; i++)
		if (strcmp(name, kernels[i].name) == 0)
			return *f = (CUfunction)(uintptr_t)(i + 1), 0;
	return CUDA_ERROR_NOT_FOUND;
}
CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute a, int v) { return v > 232448 ? CUDA_ERROR_INVALID_VALUE : 0; }
CUresult cuFuncGetAttribute(int *v, CUfunction_attribute a, CUfunction f) { return *v = 0, 0; }
CUresult cuFuncGetParamInfo(CUfunction f, size_t i, size_t *offset, size_t *size)
{
	return i < (size_t)kernels[(uintptr_t)f - 1].params ? 0 : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
			unsigned shared, CUstream s, void **params, void **extra)
{
	if (lose && ++launches == lose)
		broken = CUDA_ERROR_UNKNOWN;
	return run_kernel(f, params, gx), 0;
}

static struct node *add(CUgraph graph, CUgraphNodeType type, CUgraphNode *out)
{
	struct graph *g = (struct graph *)graph;
	struct node *n = calloc(1, sizeof *n);
	n->type = type;
	g->node[g->nodes++] = n;
	*out = (CUgraphNode)n;
	return n;
}

CUresult cuGraphCreate(CUgraph *g, unsigned flags) { return *g = calloc(1, sizeof(struct graph)), 0; }
CUresult cuGraphDestroy(CUgraph g) { return free(g), 0; }
CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n, const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	struct node *x = add(g, CU_GRAPH_NODE_TYPE_KERNEL, out);
	x->kernel = *p;
	x->kernel.kernelParams = x->params;
	for (int i = 0; i < kernels[(uintptr_t)p->func - 1].params; i++) {
		memcpy(&x->values[i], p->kernelParams[i], 8);
		x->params[i] = &x->values[i];
	}
	return 0;
}
CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n, const CUDA_MEMCPY3D *p, CUcontext c)
{
	return add(g, CU_GRAPH_NODE_TYPE_MEMCPY, out)->copy = *p, 0;
}
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t n)
{
	struct graph *g = (struct graph *)graph;
	for (size_t i = 0; i < n; i++, g->edges++)
		g->from[g->edges] = (struct node *)from[i], g->to[g->edges] = (struct node *)to[i];
	return 0;
}
// Headers declare these two with a structure that older ones lack: they get their names here.
CUresult add_dependencies(CUgraph, const CUgraphNode *, const CUgraphNode *, const uint64_t *, size_t) __asm__("cuGraphAddDependencies_v2");
CUresult get_edges(CUgraph, CUgraphNode *, CUgraphNode *, uint64_t *, size_t *) __asm__("cuGraphGetEdges_v2");

CUresult add_dependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const uint64_t *data, size_t n)
{
	struct graph *g = (struct graph *)graph;
	if (data)
		memcpy(&g->data[g->edges], data, n * sizeof *data);
	return cuGraphAddDependencies(graph, from, to, n);
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *x, CUgraph g, unsigned long long flags)
{
	return *x = memcpy(malloc(sizeof(struct graph)), g, sizeof(struct graph)), 0;
}
CUresult cuGraphUpload(CUgraphExec x, CUstream s) { return 0; }
CUresult cuGraphExecDestroy(CUgraphExec x) { return free(x), 0; }

static void run_node(struct node *n)
{
	CUDA_MEMCPY3D *c = &n->copy;
	if (n->type == CU_GRAPH_NODE_TYPE_KERNEL)
		run_kernel(n->kernel.func, n->kernel.kernelParams, n->kernel.gridDimX);
	else if (c->srcMemoryType == CU_MEMORYTYPE_HOST)
		memcpy((void *)(uintptr_t)c->dstDevice, c->srcHost, c->WidthInBytes);
	else
		memcpy(c->dstHost, (void *)(uintptr_t)c->srcDevice, c->WidthInBytes);
}

CUresult cuGraphLaunch(CUgraphExec x, CUstream s)
{
	struct graph *g = (struct graph *)x;
	struct node *done[MOST];
	size_t count = 0;
	if (lose && ++launches == lose)
		broken = CUDA_ERROR_UNKNOWN;
	while (count < g->nodes && !broken) {
		for (size_t i = 0; i < g->nodes; i++) {
			struct node *n = g->node[i];
			int ready = 1;
			for (size_t d = 0; d < count; d++)
				ready &= done[d] != n;
			for (size_t e = 0; e < g->edges && ready; e++) {
				int found = g->to[e] != n;
				for (size_t d = 0; d < count; d++)
					found |= done[d] == g->from[e];
				ready = found;
			}
			if (ready)
				run_node(done[count++] = n);
		}
	}
	return 0;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *out, size_t *n)
{
	struct graph *g = (struct graph *)graph;
	if (out)
		memcpy(out, g->node, g->nodes * sizeof *out);
	return *n = g->nodes, 0;
}
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *n)
{
	struct graph *g = (struct graph *)graph;
	if (from) {
		memcpy(from, g->from, g->edges * sizeof *from);
		memcpy(to, g->to, g->edges * sizeof *to);
	}
	return *n = g->edges, 0;
}
CUresult get_edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, uint64_t *data, size_t *n)
{
	struct graph *g = (struct graph *)graph;
	if (data)
		memcpy(data, g->data, g->edges * sizeof *data);
	return cuGraphGetEdges(graph, from, to, n);
}
CUresult cuGraphNodeGetType(CUgraphNode n, CUgraphNodeType *t) { return *t = ((struct node *)n)->type, 0; }
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode n, CUDA_MEMCPY3D *p) { return *p = ((struct node *)n)->copy, 0; }
CUresult cuGraphKernelNodeGetParams(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS_v1 *p) { return *p = ((struct node *)n)->kernel, 0; }
