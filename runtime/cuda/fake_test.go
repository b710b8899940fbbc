package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"dsac/runtime/plan"
)

// fake is a driver without a GPU: memory in Go, the toy kernels as Go functions, graphs run in
// a random order that their edges allow.
type fake struct {
	info    GPU
	free    uint64
	mu      sync.Mutex // uploads come from several goroutines
	mem     map[uint64][]byte
	next    uint64
	images  []string
	graphs  []*graph // all that were instantiated
	clock   float64  // microseconds: ten for every kernel
	order   *rand.Rand
	pending int    // looks at done before a launch is done
	fault   error  // of the next look
	broken  error  // what every call answers after a fault
	writes  int    // calls of write
	open    int    // things not given back
	quiet   bool   // launches do nothing
	old     bool   // it knows no early launches
	lacks   string // a kernel that no module has
	fours   string // a kernel with clusters of four blocks
}

func newFake() *fake {
	return &fake{info: GPU{Name: "Fake", Major: 9, Memory: 1 << 30, cuda: 13000}, free: 1 << 30,
		mem: map[uint64][]byte{}, next: 0x7f0000000000, order: rand.New(rand.NewPCG(1, 2))}
}

func (f *fake) gpu() *GPU   { return &f.info }
func (f *fake) bind() error { return nil }
func (f *fake) unbind()     {}
func (f *fake) close() error {
	if f.open != 0 {
		return fmt.Errorf("%d things were not given back", f.open)
	}
	return nil
}

func (f *fake) memory() (uint64, uint64, error) { return f.free, f.info.Memory, nil }

func (f *fake) alloc(bytes uint64) (uint64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := f.next
	f.next += (bytes + 4095) / 4096 * 4096
	f.mem[at] = make([]byte, bytes)
	f.open++
	return at, nil
}

func (f *fake) release(at uint64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mem[at] == nil {
		return fmt.Errorf("release of %#x, which is not allocated", at)
	}
	delete(f.mem, at)
	f.open--
	return nil
}

func (f *fake) pinned(bytes int) (*pinned, error) {
	at, err := f.alloc(uint64(bytes))
	f.mu.Lock()
	defer f.mu.Unlock()
	return &pinned{bytes: f.mem[at], at: at}, err
}

func (f *fake) unpin(m *pinned) error { return f.release(m.at) }

// at returns the bytes from an address on.
func (f *fake) at(addr uint64) []byte {
	for base, b := range f.mem {
		if addr >= base && addr < base+uint64(len(b)) {
			return b[addr-base:]
		}
	}
	panic(fmt.Sprintf("address %#x is not allocated", addr))
}

func (f *fake) write(at uint64, src []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes++
	copy(f.at(at)[:len(src)], src)
	return f.broken
}

func (f *fake) read(dst []byte, at uint64) error {
	copy(dst, f.at(at)[:len(dst)])
	return f.broken
}

func (f *fake) fill(at uint64, word uint32, bytes uint64) error {
	b := f.at(at)[:bytes]
	for i := 0; i < len(b); i += 4 {
		binary.LittleEndian.PutUint32(b[i:], word)
	}
	return f.broken
}

type fakeLane struct{ *fake }

func (f *fake) lane() (lane, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open++
	return fakeLane{f}, nil
}

func (l fakeLane) copy(dst uint64, src *pinned, n int) error { return l.write(dst, src.bytes[:n]) }
func (l fakeLane) wait() error                               { return nil }
func (l fakeLane) close() error                              { l.mu.Lock(); defer l.mu.Unlock(); l.open--; return nil }

// run executes the one kernel that lanes run.
func (l fakeLane) run(n *node) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if toyNames[n.fn] != repackKernel {
		return fmt.Errorf("a lane runs kernel %s", toyNames[n.fn])
	}
	repackInGo(l.at(n.params[0]), l.at(n.params[1]), l.at(n.params[2]), n)
	return l.broken
}

// load takes PTX only.
func (f *fake) load(image []byte) (uint64, string, error) {
	if slices.Contains(image, 0) {
		return 0, "", &Error{"cuModuleLoadDataEx", codeNoBinary, "CUDA_ERROR_NO_BINARY_FOR_GPU", ""}
	}
	if len(image) < 64 {
		return 0, "line 1: nonsense", &Error{"cuModuleLoadDataEx", codeInvalidPTX, "CUDA_ERROR_INVALID_PTX", ""}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.images = append(f.images, string(image))
	f.open++
	return uint64(len(f.images)), "", nil
}

func (f *fake) unload(uint64) error { f.mu.Lock(); defer f.mu.Unlock(); f.open--; return nil }

// Handles of functions are their places in toyNames.
func (f *fake) function(_ uint64, name string) (uint64, error) {
	i := slices.Index(toyNames, name)
	if name == f.lacks {
		i = -1
	}
	if m := slices.Index(meterNames[:], name); m >= 0 {
		i = len(toyNames) + m
	}
	if i < 0 {
		return 0, &Error{"cuModuleGetFunction", 500, "CUDA_ERROR_NOT_FOUND", ""}
	}
	return uint64(i), nil
}

func (f *fake) cluster(fn uint64) (int, error) {
	if toyNames[fn] == f.fours {
		return 4, nil
	}
	return 0, nil
}

func (f *fake) allowShared(_ uint64, bytes uint32) error {
	if bytes > 101376 {
		return errors.New("too much shared memory")
	}
	return nil
}

func (f *fake) early() bool { return !f.old }

type fakeGraph struct {
	f *fake
	g *graph
}

func (f *fake) instantiate(g *graph) (executable, error) {
	f.open++
	f.graphs = append(f.graphs, g)
	return &fakeGraph{f, g}, nil
}

func (x *fakeGraph) readBack() (*graph, error) { return x.g, nil }
func (x *fakeGraph) destroy() error            { x.f.open--; return nil }

func (f *fake) launch(x executable) error {
	g := x.(*fakeGraph).g
	if f.quiet {
		return nil
	}
	missing := make([]int, len(g.nodes))
	for _, e := range g.edges {
		missing[e.to]++
	}
	done := make([]bool, len(g.nodes))
	for range g.nodes {
		var ready []int
		for i := range g.nodes {
			if !done[i] && missing[i] == 0 {
				ready = append(ready, i)
			}
		}
		at := ready[f.order.IntN(len(ready))]
		done[at] = true
		for _, e := range g.edges {
			if int(e.from) == at {
				missing[e.to]--
			}
		}
		if err := f.launchNode(&g.nodes[at]); err != nil {
			return err
		}
	}
	return f.broken
}

func (f *fake) launchNode(n *node) error {
	if n.kind != kernelNode {
		copy(f.at(n.dst)[:n.bytes], f.at(n.src)[:n.bytes])
		return f.broken
	}
	f.clock += 10
	if m := int(n.fn) - len(toyNames); m >= 0 {
		return f.measure(m, n.params)
	}
	var args [][]byte
	for _, p := range n.params {
		args = append(args, f.at(p))
	}
	if f.fault != nil && toyNames[n.fn] == "add" {
		f.broken = f.fault
		return nil // faults show when the launch is waited for
	}
	if name := toyNames[n.fn]; slices.Contains(toyRowKernels, name) {
		ctl := slices.Clone(args[len(args)-1][:plan.CtlSize]) // a block is a row
		le.PutUint64(ctl[plan.CtlN:], min(le.Uint64(ctl[plan.CtlN:]), uint64(n.grid[0])))
		args[len(args)-1] = ctl
	}
	toyKernels[n.fn](args)
	return f.broken
}

// measure does what the kernels of meter.ptx do; products are left out.
func (f *fake) measure(kernel int, p []uint64) error {
	switch kernel {
	case meterCopy:
		copy(f.at(p[0])[:16*p[2]], f.at(p[1])[:16*p[2]])
	case meterFill:
		dst, pattern := f.at(p[0])[:16*p[1]], f.at(p[2])[:16*p[3]]
		for len(dst) > 0 {
			dst = dst[copy(dst, pattern):]
		}
	}
	return f.broken
}

type fakeWatch struct {
	f          *fake
	begin, end float64
}

func (f *fake) stopwatch() (stopwatch, error) {
	f.open++
	return &fakeWatch{f: f}, nil
}

func (w *fakeWatch) start() error             { w.begin = w.f.clock; return nil }
func (w *fakeWatch) stop() error              { w.end = w.f.clock; return nil }
func (w *fakeWatch) micros() (float64, error) { return w.end - w.begin, nil }
func (w *fakeWatch) close() error             { w.f.open--; return nil }

func (f *fake) done(int) (bool, error) {
	if f.broken != nil {
		return false, f.broken
	}
	if f.pending > 0 {
		f.pending--
		return false, nil
	}
	return true, nil
}
