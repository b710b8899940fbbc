package cuda

import (
	"errors"
	"fmt"

	"dsac/runtime/plan"
)

// loadKernels loads every image of the plan once and finds the kernels in them. A cubin is
// taken where it is made for this GPU, else the driver compiles the PTX, which is said once.
func (d *Device) loadKernels() error {
	p := d.plan
	d.fns = make([]uint64, len(p.Kernels))
	images := map[plan.Span]uint64{} // many kernels share an image
	for i := range p.Kernels {
		k := &p.Kernels[i]
		module, err := d.image(images, k)
		if err != nil {
			return fmt.Errorf("kernel %s: %w", p.Str(k.Name), err)
		}
		if d.fns[i], err = d.drv.function(module, p.Str(k.Name)); err != nil {
			return fmt.Errorf("kernel %s is not in the code that the plan holds for it: %w", p.Str(k.Name), err)
		}
		if err := d.checkCluster(int32(i)); err != nil {
			return fmt.Errorf("kernel %s: %w", p.Str(k.Name), err)
		}
	}
	return nil
}

// image returns the module with a kernel's code.
func (d *Device) image(images map[plan.Span]uint64, k *plan.Kernel) (uint64, error) {
	var refused error // by the driver, of the cubin
	if k.Cubin.Len > 0 {
		m, err := d.module(images, k.Cubin)
		if err == nil {
			return m, nil
		}
		if refused = err; !isCode(err, codeNoBinary) || k.PTX.Len == 0 {
			return 0, fmt.Errorf("cubin: %w", err)
		}
	}
	if k.PTX.Len == 0 {
		return 0, fmt.Errorf("the plan has neither PTX nor a cubin for it")
	}
	if _, ok := images[k.PTX]; !ok {
		if err := checkPTX(d.blob(k.PTX), d.drv.gpu().cuda); err != nil {
			return 0, err
		}
		if len(images) == 0 {
			why := "the plan has no cubins"
			if refused != nil {
				why = "its cubins are for another GPU"
			}
			d.opt.log(fmt.Sprintf("%s: the driver compiles the plan's PTX (%s)", d.drv.gpu(), why))
		}
	}
	return d.module(images, k.PTX)
}

func (d *Device) blob(s plan.Span) []byte { return d.plan.Blob[s.Off:][:s.Len] }

func (d *Device) module(images map[plan.Span]uint64, s plan.Span) (uint64, error) {
	if m, ok := images[s]; ok {
		return m, nil
	}
	m, log, err := d.drv.load(d.blob(s))
	if err != nil {
		if log != "" {
			err = fmt.Errorf("%w\nthe driver's compiler says:\n%s", err, log)
		}
		return 0, err
	}
	images[s] = m
	d.modules = append(d.modules, m)
	return m, nil
}

func isCode(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
