package llc

import (
	"strings"
	"testing"
)

func TestClustersGoToTheirEntries(t *testing.T) {
	const ptx = ".visible .entry a(\n\t.param .u64 a_param_0\n)\n.maxntid 32, 1, 1 // @a\n{\n\tret;\n}\n.visible .entry ab(\n)\n{\n\tret;\n}\n.visible .entry b(\n)\n{\n\tret;\n}\n"
	note := func(name, key, n string) string {
		return `!1 = !{void (i64, i64)* @` + name + `, !"` + key + `", i32 ` + n + "}\n"
	}
	for _, c := range []struct{ name, ir, want, wrong string }{
		{"none", note("a", "maxntidx", "32"), ptx, ""},
		{"one", note("a", "maxntidx", "32") + note("a", "dsac.cluster", "4"), strings.Replace(ptx, "// @a\n", "// @a\n.reqnctapercluster 4, 1, 1\n", 1), ""},
		{"a name that another starts with", note("ab", "dsac.cluster", "8"), strings.Replace(ptx, "ab(\n)\n", "ab(\n)\n.reqnctapercluster 8, 1, 1\n", 1), ""},
		{"two", note("b", "dsac.cluster", "2") + note("ab", "dsac.cluster", "8"),
			strings.Replace(strings.Replace(ptx, "ab(\n)\n", "ab(\n)\n.reqnctapercluster 8, 1, 1\n", 1), " b(\n)\n", " b(\n)\n.reqnctapercluster 2, 1, 1\n", 1), ""},
		{"absent", note("c", "dsac.cluster", "2"), "", "llc's output has no entry c"},
	} {
		got, err := withClusters(ptx, c.ir)
		if c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) || c.wrong == "" && (err != nil || got != c.want) {
			t.Errorf("%s: got %q, %v, want %q%s", c.name, got, err, c.want, c.wrong)
		}
	}
}
