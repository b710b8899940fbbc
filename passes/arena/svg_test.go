package arena

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// elements parses a drawing and counts its elements by name.
func elements(t *testing.T, drawing []byte) map[string]int {
	t.Helper()
	count := map[string]int{}
	for d := xml.NewDecoder(bytes.NewReader(drawing)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok {
			count[e.Name.Local]++
		}
	}
}

func TestSVG(t *testing.T) {
	bufs := []Buffer{{Name: "a<b>&\"\x00", Lower: 2, Upper: 6, Size: 256}, {Name: "none", Lower: 2, Upper: 3}, {Name: "c", Lower: 4, Upper: 12, Size: 256}}
	var out bytes.Buffer
	if err := SVG(&out, bufs, []uint64{0, 0, 256}, 512, "decode <T=1>"); err != nil {
		t.Fatal(err)
	}
	if got, want := elements(t, out.Bytes()), 3; got["rect"] != want || got["title"] != 2 { // with the background
		t.Errorf("got %v, want %d rectangles", got, want)
	}
	for _, want := range []string{
		`<rect x="240.00" y="24.00" width="960.00" height="300.00"`, `<rect x="0.00" y="324.00" width="480.00" height="300.00"`,
		"c&#xA;256 bytes at 256&#xA;live [4,12)", "decode &lt;T=1&gt; (3 buffers, 512 bytes)",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, &out)
		}
	}
}

func TestSVGMergesSmallBuffers(t *testing.T) {
	var bufs []Buffer
	var offsets []uint64
	for i := range 12000 {
		bufs = append(bufs, Buffer{Name: fmt.Sprint(i), Lower: int64(i), Upper: int64(i + 1 + i%3), Size: uint64(1 + i%7)})
		offsets = append(offsets, uint64(10*(i%3)))
	}
	var out bytes.Buffer
	if err := SVG(&out, bufs, offsets, 30, "many"); err != nil {
		t.Fatal(err)
	}
	if got := elements(t, out.Bytes())["title"]; got > svgMost || got < svgMost/2 {
		t.Errorf("got %d rectangles, want at most %d", got, svgMost)
	}
	if !strings.Contains(out.String(), "small buffers") {
		t.Error("nothing was merged")
	}
}

func TestSVGOfNothing(t *testing.T) {
	var out bytes.Buffer
	if err := SVG(&out, nil, nil, 0, ""); err != nil {
		t.Fatal(err)
	}
	elements(t, out.Bytes())
	if err := SVG(&out, make([]Buffer, 2), nil, 0, ""); err == nil {
		t.Error("got no error for offsets that are missing")
	}
}
