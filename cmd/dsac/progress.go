package main

import (
	"fmt"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// bytesProgress returns a callback that draws bytes, rate and time left on a terminal, and
// nil elsewhere: logs stay quiet.
func bytesProgress(f *os.File, what string) func(done, total uint64) {
	if !terminal(f) {
		return nil
	}
	var p *mpb.Progress
	var bar *mpb.Bar
	return func(done, total uint64) {
		if bar == nil {
			p = mpb.New(mpb.WithOutput(f), mpb.WithRefreshRate(150*time.Millisecond))
			bar = p.AddBar(int64(total),
				mpb.PrependDecorators(decor.Name(what), decor.CountersKibiByte(" % .1f / % .1f")),
				mpb.AppendDecorators(decor.AverageSpeed(decor.SizeB1024(0), "% .1f "), decor.AverageETA(decor.ET_STYLE_MMSS)))
		}
		bar.SetCurrent(int64(done))
		if done == total {
			p.Wait()
			fmt.Fprintln(f)
		}
	}
}
