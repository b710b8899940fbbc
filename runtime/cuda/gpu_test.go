//go:build cuda

package cuda

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"dsac/runtime/plan"
)

//go:embed testdata/toy.sm_90.cubin
var toySM90 []byte

//go:embed testdata/toy.sm_120.cubin
var toySM120 []byte

// needGPU skips a test where there is no GPU, and fails it if one must be there.
func needGPU(t testing.TB) {
	t.Helper()
	err := available()
	if err == nil {
		return
	}
	if os.Getenv("REQUIRE_GPU") == "1" {
		t.Fatal(err)
	}
	t.Skip(err)
}

// loadGPU loads a plan on GPU 0.
func loadGPU(t testing.TB, p *plan.Plan, opt Options) *Device {
	t.Helper()
	needGPU(t)
	if opt.Log == nil {
		opt.Log = func(line string) { t.Log(line) }
	}
	w, _ := toyWeights()
	d, err := Load(p, w, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestGPUProbe(t *testing.T) {
	needGPU(t)
	s := Probe()
	text, _ := json.MarshalIndent(s, "", "  ")
	t.Logf("%s", text)
	if len(s.GPUs) == 0 || s.Problem != "" {
		t.Fatalf("no GPU: %s", s.Problem)
	}
	if g := s.GPUs[0]; g.Name == "" || g.Major < 7 || g.Memory < 1<<30 || g.SMs == 0 {
		t.Errorf("%+v lacks facts", g)
	}
	if len(s.Notes) == 0 && (s.Driver == "" || s.GPUs[0].Free == 0) {
		t.Errorf("the management library was opened, but told nothing: %+v", s)
	}
}

func TestGPUGenerate(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  Options
	}{{"graph", Options{}}, {"steps", Options{Steps: true}}} {
		t.Run(c.name, func(t *testing.T) {
			d := loadGPU(t, toyPlan(t), c.opt)
			got := generate(t, d, toyPrompt, 8)
			checkToy(t, d, toyPrompt, got)
		})
	}
}

// The same step a thousand times: the same bits, nothing allocated anywhere.
func TestGPUReplaysAreIdentical(t *testing.T) {
	d := loadGPU(t, toyPlan(t), Options{})
	generate(t, d, toyPrompt, 1)
	step := func() {
		if err := d.Rewind(len(toyPrompt)); err != nil {
			t.Fatal(err)
		}
		d.IDs()[0] = 7
		if err := d.Run(0, 1); err != nil {
			t.Fatal(err)
		}
	}
	step()
	token, want := d.Token(), slices.Clone(d.Logits(0, 0))
	free, _, err := d.driverFree()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		step()
		got := d.Logits(0, 0)
		for j := range got {
			if math.Float32bits(got[j]) != math.Float32bits(want[j]) {
				t.Fatalf("replay %d: logit %d is %v, want %v", i, j, got[j], want[j])
			}
		}
		if d.Token() != token {
			t.Fatalf("replay %d: token %d, want %d", i, d.Token(), token)
		}
	}
	if after, _, err := d.driverFree(); err != nil || after < free {
		t.Errorf("%d bytes free on the GPU after, %d before (%v)", after, free, err)
	}
}

// driverFree asks the driver for free memory.
func (d *Device) driverFree() (free, total uint64, err error) {
	err = d.bound(func() (err error) { free, total, err = d.drv.memory(); return err })
	return free, total, err
}

func TestGPURunAllocatesNothing(t *testing.T) {
	d := loadGPU(t, toyPlan(t), Options{})
	generate(t, d, toyPrompt, 1)
	step := func() {
		_ = d.Rewind(3)
		if err := d.Run(0, 1); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(200, step); n != 0 {
		t.Errorf("a decode step allocates %v times on the Go heap, want 0", n)
	}
	const rounds = 2000
	start := time.Now()
	for range rounds {
		step()
	}
	t.Logf("decode step of the toy (6 kernels, 2 copies): %.1f us", float64(time.Since(start).Microseconds())/rounds)
}

// What the driver holds of a wrong graph must show it.
func TestGPUCheckFindsPlantedFaults(t *testing.T) {
	d := loadGPU(t, toyPlan(t), Options{})
	for _, c := range plantedFaults {
		t.Run(c.name, func(t *testing.T) {
			g := clone(d.entries[0].graph)
			c.plant(g)
			if err := heldAgainstPlan(t, d, g); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// heldAgainstPlan lets the driver make a graph of entry 0 and checks what it holds then.
func heldAgainstPlan(t *testing.T, d *Device, g *graph) error {
	t.Helper()
	return d.bound(func() error {
		x, err := d.drv.instantiate(g)
		if err != nil {
			t.Fatalf("the driver refuses the graph: %v", err)
		}
		held, err := x.readBack()
		if err != nil {
			t.Fatal(err)
		}
		return errors.Join(d.checkGraph(0, held), x.destroy())
	})
}

func TestGPUWrongParameterCount(t *testing.T) {
	d := loadGPU(t, toyPlan(t), Options{})
	g := clone(d.entries[0].graph)
	g.nodes[1].params = g.nodes[1].params[:2]
	err := d.bound(func() error { _, err := d.drv.instantiate(g); return err })
	if want := "the kernel has 3 parameters, the plan gives 2"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// A delay of each launch in turn changes nothing; with an edge missing, some delay does.
func TestGPUStress(t *testing.T) {
	d := loadGPU(t, toyPlan(t), Options{})
	ctx := context.Background()
	token := generate(t, d, toyPrompt, 1)[0]
	logits := slices.Clone(d.Logits(1, 2))
	for l := range d.plan.Launches {
		if d.plan.Launches[l].Entry != 1 {
			continue
		}
		d.Reset()
		copy(d.IDs(), toyPrompt)
		if err := d.RunDelayed(ctx, 1, len(toyPrompt), int32(l)); err != nil {
			t.Fatal(err)
		}
		if got := d.Logits(1, 2); d.Token() != token || !slices.Equal(got, logits) {
			t.Errorf("launch %d delayed: token %d, want %d", l, d.Token(), token)
		}
	}
	g := clone(d.entries[1].graph)
	drop(g, 1, 3) // add no longer waits for scale
	d.Reset()
	copy(d.IDs(), []int32{9, 10, 11})
	var x executable
	if err := d.bound(func() (err error) { x, err = d.drv.instantiate(d.delayed(g, 1)); return err }); err != nil {
		t.Fatal(err)
	}
	if err := d.run(ctx, 1, 3, x); err != nil {
		t.Fatal(err)
	}
	m := toyModel{}
	_, m.embd = toyWeights()
	if got := d.Logits(1, 2); slices.Equal(got, m.logits(11)) {
		t.Error("a missing edge did not show though its producer was delayed")
	}
	if err := d.bound(x.destroy); err != nil {
		t.Error(err)
	}
}

// swap makes the launches of one kernel launch another, with the same operands.
func swap(p *plan.Plan, from, to string, shared uint32) {
	for i := range p.Kernels {
		if p.Str(p.Kernels[i].Name) == from {
			p.Strings = append(p.Strings, to)
			p.Kernels[i].Name = plan.Str(len(p.Strings) - 1)
			for l := range p.Launches {
				if p.Launches[l].Kernel == int32(i) {
					p.Launches[l].Shared = shared
				}
			}
		}
	}
}

func TestGPUSharedMemory(t *testing.T) {
	p := toyPlan(t)
	swap(p, "scale", "wide", 96<<10)
	d := loadGPU(t, p, Options{})
	d.IDs()[0] = 3
	if err := d.Run(0, 1); err != nil {
		t.Fatal(err)
	}
	m := toyModel{}
	_, m.embd = toyWeights()
	if got, want := d.Logits(0, 0), m.logits(3); !slices.Equal(got, want) {
		t.Errorf("logits %v, want %v", got[:4], want[:4])
	}
}

func TestGPUTooMuchSharedMemory(t *testing.T) {
	needGPU(t)
	p := toyPlan(t)
	swap(p, "scale", "wide", 1<<20)
	w, _ := toyWeights()
	_, err := Load(p, w, Options{})
	if want := "step a (scale), kernel wide: 1048576 bytes of shared memory"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestGPUCubin(t *testing.T) {
	needGPU(t)
	s := Probe()
	var arch = s.GPUs[0].Arch()
	for _, c := range []struct {
		arch  string
		image []byte
	}{{"sm_90", toySM90}, {"sm_120", toySM120}} {
		t.Run(c.arch, func(t *testing.T) {
			p := toyPlan(t)
			span := plan.Span{Off: uint32(len(p.Blob)), Len: uint32(len(c.image))}
			p.Blob = append(p.Blob, c.image...)
			for i := range p.Kernels {
				p.Kernels[i].Cubin = span
			}
			var said []string
			d := loadGPU(t, p, Options{Log: func(s string) { t.Log(s); said = append(said, s) }})
			if fits := arch == c.arch; fits != (len(said) == 0) {
				t.Errorf("cubin of %s on %s: said %q", c.arch, arch, said)
			}
			got := generate(t, d, toyPrompt, 4)
			checkToy(t, d, toyPrompt, got)
			if arch == c.arch {
				return
			}
			for i := range p.Kernels {
				p.Kernels[i].PTX = plan.Span{}
			}
			w, _ := toyWeights()
			_, err := Load(p, w, Options{})
			if want := "kernel embed: cubin: cuModuleLoadDataEx: CUDA_ERROR_NO_BINARY_FOR_GPU"; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("a cubin alone for another GPU: got %v, want %q", err, want)
			}
		})
	}
}

func TestGPUBrokenPTX(t *testing.T) {
	needGPU(t)
	p := toyPlan(t)
	setPTX(p, []byte(strings.Replace(string(toyPTX), "add.f32 %v, %v, %u;", "add.f32 %v, %v, %nosuch;", 1)))
	w, _ := toyWeights()
	_, err := Load(p, w, Options{})
	if err == nil || !strings.Contains(err.Error(), "the driver's compiler says") || !strings.Contains(err.Error(), "nosuch") {
		t.Errorf("got %v, want the compiler's words about nosuch", err)
	}
	t.Log(err)
}

func TestGPUTooLarge(t *testing.T) {
	needGPU(t)
	p := toyPlan(t)
	p.Regions[4].Size = 1 << 50
	w, _ := toyWeights()
	_, err := Load(p, w, Options{})
	if err == nil || !strings.Contains(err.Error(), "the plan needs 1048576.0 GiB") || !strings.Contains(err.Error(), "smaller --ctx") {
		t.Errorf("got %v, want what is needed and what to lower", err)
	}
	t.Log(err)
	d := loadGPU(t, toyPlan(t), Options{})
	err = d.bound(func() error { _, err := d.drv.alloc(1 << 45); return err })
	if !isCode(err, codeOutOfMemory) {
		t.Errorf("32 TiB of memory: got %v, want CUDA_ERROR_OUT_OF_MEMORY", err)
	}
	if err := d.Run(0, 1); err != nil {
		t.Errorf("after a refused allocation: %v", err)
	}
}

func TestGPUCancel(t *testing.T) {
	p := toyPlan(t)
	swap(p, "scale", "slow", 0)
	d := loadGPU(t, p, Options{})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	err := d.RunContext(ctx, 0, 1)
	if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > time.Second {
		t.Errorf("got %v after %v, want %v after 100 ms", err, took, context.DeadlineExceeded)
	}
}

// A fault ends all CUDA work of a process, so it happens in another one.
func TestGPUFault(t *testing.T) {
	needGPU(t)
	if how := os.Getenv("DSAC_FAULT"); how != "" {
		p := toyPlan(t)
		swap(p, "scale", "fault", 0)
		d := loadGPU(t, p, Options{Steps: how == "steps"})
		err := d.Run(0, 1)
		var f *Fault
		if !errors.As(err, &f) {
			t.Fatalf("got %v, want a fault", err)
		}
		t.Logf("FAULT %v", err)
		if again := d.Run(0, 1); !errors.Is(again, err) {
			t.Errorf("the next run gives %v", again)
		}
		return
	}
	for how, want := range map[string]string{
		"graph": "failed in a launch of entry decode: ",
		"steps": "failed in entry decode, step a (scale), kernel fault: ",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestGPUFault$", "-test.v")
		cmd.Env = append(os.Environ(), "DSAC_FAULT="+how)
		out, err := cmd.CombinedOutput()
		cancel()
		// Closing a dead device is an error of the child, which says that of the driver.
		if !strings.Contains(string(out), want) || !strings.Contains(string(out), "CUDA_ERROR_ILLEGAL_ADDRESS") {
			t.Errorf("%s: %v\n%s\nwant %q", how, err, out, want)
		}
	}
}

func TestGPUWrongOrdinal(t *testing.T) {
	needGPU(t)
	w, _ := toyWeights()
	_, err := Load(toyPlan(t), w, Options{GPU: 99})
	if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "no GPU 99") {
		t.Errorf("got %v, want that there is no GPU 99", err)
	}
}

func TestGPUTwoDevicesAtOnce(t *testing.T) {
	a, b := loadGPU(t, toyPlan(t), Options{}), loadGPU(t, toyPlan(t), Options{})
	got := generate(t, a, toyPrompt, 3)
	other := generate(t, b, toyPrompt, 3)
	checkToy(t, a, toyPrompt, got)
	checkToy(t, b, toyPrompt, other)
}

func TestGPURandomState(t *testing.T) {
	d := loadGPU(t, toyPlan(t), Options{})
	f, _ := loadFake(t, toyPlan(t), Options{})
	for _, x := range []*Device{d, f} {
		if err := x.RandomState(11, 9); err != nil {
			t.Fatal(err)
		}
	}
	got, err := d.Buffer("kv")
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.Buffer("kv")
	if err != nil || !slices.Equal(got, want) || d.Pos() != 9 {
		t.Errorf("the cache differs from the one in Go, position %d (%v)", d.Pos(), err)
	}
}

func TestGPUSingle(t *testing.T) { testSingle(t, loadGPU(t, toyPlan(t), Options{})) }

func TestGPUCheckFindsWrongKernels(t *testing.T) {
	needGPU(t)
	testWrongKernels(t, func(t *testing.T, p *plan.Plan) *Device { return loadGPU(t, p, Options{}) })
}
