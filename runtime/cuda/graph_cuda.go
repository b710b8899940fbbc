//go:build cuda

package cuda

// #include "raw.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// replayed is a graph of the driver, kept beside its executable form to be read back.
type replayed struct {
	graph, exec C.uint64_t
	nodes       []C.uint64_t
	made        *graph // what it was made from: the driver does not count parameters
}

func (v *nvidia) instantiate(g *graph) (executable, error) {
	r := &replayed{made: g, nodes: make([]C.uint64_t, len(g.nodes))}
	if err := failed("cuGraphCreate", C.dsac_graph_create(&r.graph)); err != nil {
		return nil, err
	}
	if err := r.fill(v); err != nil {
		return nil, errors.Join(err, r.destroy())
	}
	return r, nil
}

func (r *replayed) fill(v *nvidia) error {
	for i := range r.made.nodes {
		if err := r.add(i); err != nil {
			return fmt.Errorf("graph node %d: %w", i, err)
		}
	}
	from, to := make([]C.uint64_t, len(r.made.edges)), make([]C.uint64_t, len(r.made.edges))
	kind := make([]C.uint8_t, len(r.made.edges))
	for i, e := range r.made.edges {
		from[i], to[i], kind[i] = r.nodes[e.from], r.nodes[e.to], C.DSAC_FULL
		if e.early {
			kind[i] = C.DSAC_EARLY
		}
	}
	if len(from) > 0 {
		code := C.dsac_add_edges(r.graph, &from[0], &to[0], &kind[0], C.size_t(len(from)))
		if err := failed("cuGraphAddDependencies", code); err != nil {
			return err
		}
	}
	return failed("cuGraphInstantiate", C.dsac_instantiate(&r.exec, r.graph, streamHandle(v.stream)))
}

func (r *replayed) add(i int) error {
	n, out := &r.made.nodes[i], &r.nodes[i]
	if n.kind != kernelNode {
		code := C.dsac_add_copy(r.graph, out, copyKind[n.kind], C.uint64_t(n.dst), C.uint64_t(n.src), C.size_t(n.bytes))
		return failed("cuGraphAddMemcpyNode", code)
	}
	if err := checkParams(n); err != nil {
		return err
	}
	g, b := n.grid, n.block
	dims := [C.DSAC_DIMS]C.uint32_t{C.uint32_t(g[0]), C.uint32_t(g[1]), C.uint32_t(g[2]),
		C.uint32_t(b[0]), C.uint32_t(b[1]), C.uint32_t(b[2]), C.uint32_t(n.shared)}
	code := C.dsac_add_kernel(r.graph, out, C.uint64_t(n.fn), &dims[0], numbers(n.params), C.int(len(n.params)))
	return failed("cuGraphAddKernelNode", code)
}

var copyKind = map[nodeKind]C.int{toDevice: C.DSAC_TO_DEVICE, toHost: C.DSAC_TO_HOST}

// numbers returns a slice as C sees it.
func numbers(s []uint64) *C.uint64_t { return (*C.uint64_t)(unsafe.Pointer(unsafe.SliceData(s))) }

func (r *replayed) destroy() error {
	var errs []error
	if r.exec != 0 {
		errs = append(errs, failed("cuGraphExecDestroy", C.dsac_exec_destroy(r.exec)))
	}
	errs = append(errs, failed("cuGraphDestroy", C.dsac_graph_destroy(r.graph)))
	r.exec, r.graph = 0, 0
	return errors.Join(errs...)
}

func (v *nvidia) launch(x executable) error {
	return failed("cuGraphLaunch", C.dsac_launch(x.(*replayed).exec, streamHandle(v.stream)))
}

// readBack asks the driver for the graph's nodes, their parameters and its edges.
func (r *replayed) readBack() (*graph, error) {
	places, err := r.places()
	if err != nil {
		return nil, err
	}
	g := &graph{nodes: make([]node, len(r.nodes))}
	for i := range r.nodes {
		if g.nodes[i], err = r.node(i); err != nil {
			return nil, fmt.Errorf("reading graph node %d: %w", i, err)
		}
	}
	var n C.size_t
	if err := failed("cuGraphGetEdges", C.dsac_get_edges(r.graph, nil, nil, nil, &n)); err != nil {
		return nil, err
	}
	from, to, kind := make([]C.uint64_t, n+1), make([]C.uint64_t, n+1), make([]C.uint8_t, n+1)
	if err := failed("cuGraphGetEdges", C.dsac_get_edges(r.graph, &from[0], &to[0], &kind[0], &n)); err != nil {
		return nil, err
	}
	for i := range n {
		a, okA := places[from[i]]
		b, okB := places[to[i]]
		if !okA || !okB {
			return nil, fmt.Errorf("graph check: edge %d joins nodes that the plan has not", i)
		}
		if kind[i] == C.DSAC_STRANGE {
			return nil, fmt.Errorf("graph check: edge %d is of a kind that was not made", i)
		}
		g.edges = append(g.edges, edge{a, b, kind[i] == C.DSAC_EARLY})
	}
	sortEdges(g.edges)
	return g, nil
}

// places maps the driver's nodes to their numbers. It fails when the driver has others.
func (r *replayed) places() (map[C.uint64_t]int32, error) {
	var n C.size_t
	if err := failed("cuGraphGetNodes", C.dsac_get_nodes(r.graph, nil, &n)); err != nil {
		return nil, err
	}
	held := make([]C.uint64_t, n+1)
	if err := failed("cuGraphGetNodes", C.dsac_get_nodes(r.graph, &held[0], &n)); err != nil {
		return nil, err
	}
	if int(n) != len(r.nodes) {
		return nil, fmt.Errorf("graph check: the driver holds %d nodes, %d were made", n, len(r.nodes))
	}
	places := make(map[C.uint64_t]int32, n)
	for i, h := range r.nodes {
		places[h] = int32(i)
	}
	for _, h := range held[:n] {
		if _, ok := places[h]; !ok {
			return nil, fmt.Errorf("graph check: the driver holds a node that was not made")
		}
	}
	return places, nil
}

func (r *replayed) node(i int) (node, error) {
	n := node{launch: r.made.nodes[i].launch}
	var kind C.int
	if err := failed("cuGraphNodeGetType", C.dsac_node_kind(r.nodes[i], &kind)); err != nil {
		return n, err
	}
	if kind == C.DSAC_OTHER {
		return n, fmt.Errorf("graph check: it is neither a kernel nor a copy")
	}
	n.kind = nodeKind(kind)
	if n.kind != kernelNode {
		var dst, src, bytes C.uint64_t
		err := failed("cuGraphMemcpyNodeGetParams", C.dsac_get_copy(r.nodes[i], &dst, &src, &bytes))
		n.dst, n.src, n.bytes = uint64(dst), uint64(src), uint64(bytes)
		return n, err
	}
	var fn C.uint64_t
	var dims [C.DSAC_DIMS]C.uint32_t
	n.params = make([]uint64, len(r.made.nodes[i].params))
	code := C.dsac_get_kernel(r.nodes[i], &fn, &dims[0], numbers(n.params), C.int(len(n.params)))
	n.fn = uint64(fn)
	for k := range n.grid {
		n.grid[k], n.block[k] = uint32(dims[k]), uint32(dims[3+k])
	}
	n.shared = uint32(dims[6])
	return n, failed("cuGraphKernelNodeGetParams", code)
}
