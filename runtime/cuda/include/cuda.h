// The toolkit's cuda.h, put right for gorgonia.org/cu, which was written for CUDA 11: from 13
// on some names mean newer entry points with other parameters. The driver still has the old
// ones, so the names get back their old meaning here. Put this folder first in the include path.
#ifndef DSAC_CUDA_H
#define DSAC_CUDA_H

#include_next <cuda.h>

#if CUDA_VERSION < 11080
#error "dsac needs cuda.h of CUDA 11.8 or newer"
#endif

#if CUDA_VERSION >= 13000

#undef cuCtxCreate
#undef cuMemAdvise
#undef cuMemPrefetchAsync
#undef cuGraphAddDependencies
#undef cuGraphGetEdges

#define cuCtxCreate cuCtxCreate_v2
CUresult CUDAAPI cuCtxCreate_v2(CUcontext *ctx, unsigned int flags, CUdevice dev);
CUresult CUDAAPI cuMemAdvise(CUdeviceptr at, size_t n, CUmem_advise advice, CUdevice dev);
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr at, size_t n, CUdevice dev, CUstream stream);
CUresult CUDAAPI cuGraphAddDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n);
CUresult CUDAAPI cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *n);

#endif

#endif
