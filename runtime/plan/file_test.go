package plan

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func TestWriteFileFollowsLinks(t *testing.T) {
	_, p := rich(t)
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target.plan"), filepath.Join(dir, "link.plan")
	if err := WriteFile(target, synthetic(1, 1, 1, nil)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := WriteFile(link, p); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v %v", info.Mode(), err)
	}
	m, err := Open(target)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if got := Diff(m.Plan, p); got != "" {
		t.Errorf("the target was not replaced: %s", got)
	}
}

// TestOpenIsFast keeps loading 10 MB within three times the goal of 10 ms.
func TestOpenIsFast(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("times the machine: needs a full run without the race detector")
	}
	path := filepath.Join(t.TempDir(), "big.plan")
	if err := WriteFile(path, synthetic(8, 78, 32, nil)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() < 10<<20 {
		t.Fatalf("plan has %d bytes (%v), want 10 MiB", info.Size(), err)
	}
	const limit = 30 * time.Millisecond
	best := time.Hour
	for i := 0; i < 20 || best > limit && i < 200; i++ { // other processes may hold the machine up for a while
		start := time.Now()
		m, err := Open(path)
		best = min(best, time.Since(start))
		if err != nil {
			t.Fatal(err)
		}
		m.Close()
	}
	if best > limit {
		t.Errorf("loading %d bytes takes %v, want at most %v", info.Size(), best, limit)
	}
	t.Logf("%d bytes in %v", info.Size(), best)
}

// TestOpenAllocatesLittle makes sure that tables are used in place.
func TestOpenAllocatesLittle(t *testing.T) {
	data, err := Encode(synthetic(4, 20, 20, nil))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Decode(data); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	bytesPerRun := after.TotalAlloc - before.TotalAlloc
	if bytesPerRun > uint64(len(data))/4 {
		t.Errorf("decoding %d bytes allocates %d", len(data), bytesPerRun)
	}
}
