package llc

import (
	"fmt"
	"regexp"
	"strings"

	"dsac/codegen"
	"dsac/codegen/ptx"
)

// clusterNote matches the annotation of a kernel with clusters: its name and their blocks.
var clusterNote = regexp.MustCompile(`(?m)^!\d+ = !\{[^\n]*@([\w.$-]+), !"` + regexp.QuoteMeta(codegen.ClusterNote) + `", i32 (\d+)\}$`)

// withClusters writes into the heads of entries what the module says of their clusters.
// LLVM 14 cannot, and 19 writes .explicitcluster too, with which a launch has to repeat it.
func withClusters(ptx, ir string) (string, error) {
	for _, note := range clusterNote.FindAllStringSubmatch(ir, -1) {
		at := strings.Index(ptx, ".entry "+note[1]+"(")
		if at < 0 {
			return "", fmt.Errorf("llc's output has no entry %s", note[1])
		}
		body := strings.Index(ptx[at:], "\n{")
		if body < 0 {
			return "", fmt.Errorf("llc's output has no body of entry %s", note[1])
		}
		at += body + 1
		ptx = ptx[:at] + directive(note[2]) + ptx[at:]
	}
	return ptx, nil
}

func directive(blocks string) string { return "." + ptx.ClusterDirective + " " + blocks + ", 1, 1\n" }
