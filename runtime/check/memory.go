package check

// Memory is what a device offers that holds all regions of a plan in memory of its own, in
// the plan's own placement, such as a GPU.
type Memory interface {
	// Write and Read copy bytes to and from a region.
	Write(region int32, off uint64, data []byte) error
	Read(region int32, off uint64, data []byte) error
	// Launch executes one step and waits for it.
	Launch(step int32) error
}

// On returns the device that runs steps in m.
func On(name string, m Memory) Device { return &inMemory{name, m} }

type inMemory struct {
	name string
	m    Memory
}

func (d *inMemory) Name() string { return d.name }

// Step puts the bytes of the step in place, poison included, launches it and takes them back.
func (d *inMemory) Step(s *Step) ([]Finding, error) {
	if err := s.each(d.m.Write); err != nil {
		return nil, err
	}
	if err := d.m.Launch(s.Index); err != nil {
		return nil, err
	}
	return nil, s.each(d.m.Read)
}

// each calls f for the bytes that the step may touch.
func (s *Step) each(f func(region int32, off uint64, data []byte) error) error {
	for i := range s.Pieces {
		p := &s.Pieces[i]
		for _, x := range p.Near {
			if err := f(p.Region, p.Off+uint64(x.Lo), p.Data[x.Lo:x.Hi]); err != nil {
				return err
			}
		}
	}
	return nil
}
