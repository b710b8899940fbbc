package cuda

import "fmt"

// Fault is a run that the GPU could not finish: a kernel failed, or the GPU is gone. The
// driver answers every later call in this process with the same, so the device is dead.
//
// The launches of a graph share one fate. When Step is empty, the same run with Options.Steps,
// in another process, names the step.
type Fault struct {
	GPU          string // which one
	Entry        string // "" when it was not in a run of an entry
	Step, Kernel string // "" when they are not known
	Err          error  // the driver's, an *Error

	where string
}

func (f *Fault) Error() string {
	switch {
	case f.Step != "":
		return fmt.Sprintf("%s failed in entry %s, %s: %v", f.GPU, f.Entry, f.where, f.Err)
	case f.Entry != "":
		return fmt.Sprintf("%s failed in a launch of entry %s: %v", f.GPU, f.Entry, f.Err)
	}
	return fmt.Sprintf("%s failed: %v", f.GPU, f.Err)
}

func (f *Fault) Unwrap() error { return f.Err }
