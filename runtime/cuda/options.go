package cuda

// Weights gives the bytes of a GGUF tensor as the file holds them. They are read while the
// device is loaded and not after.
type Weights interface {
	Data(name string) ([]byte, error)
}

// Reader is what Weights of a file are as well. Their bytes are then read into pinned memory and
// those of Data are never touched: a mapped file costs a fault for each page, and one that has
// become shorter meanwhile ends the process.
type Reader interface {
	Read(dst []byte, name string, off uint64) error // from byte off of the tensor on
}

// Options of a device. The zero value runs on GPU 0 without checks.
type Options struct {
	GPU int // ordinal

	// Progress, if not nil, is told how many bytes of the weights lie on the GPU. It is called
	// by one goroutine at a time, about ten times a second and at the end.
	Progress func(done, total uint64)
	// Log, if not nil, gets what a user should know once, such as that the driver compiles.
	Log func(line string)

	// MadeUp fills the weights with random numbers made on the GPU in place of a file's: for
	// timing. Load then takes no Weights.
	MadeUp bool

	// Steps launches one kernel at a time and waits for each: slow, but a fault names its step.
	// Before and After, if not nil, imply it; they are called around every step, and an error
	// ends the run.
	Steps         bool
	Before, After func(step int32) error

	// Padded uses the plan's padded placement, in which buffers do not share bytes.
	Padded bool
}

func (o *Options) log(line string) {
	if o.Log != nil {
		o.Log(line)
	}
}

func (o *Options) stepwise() bool { return o.Steps || o.Before != nil || o.After != nil }
