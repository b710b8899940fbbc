package mutate

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestJudgeIsApartFromTheLint: the two must not share code beyond the plan form.
func TestJudgeIsApartFromTheLint(t *testing.T) {
	for dir, allowed := range map[string][]string{
		"tags":      {"dsac/runtime/plan"},
		"synthetic": {},
		"../lint":   {"dsac/runtime/plan", "dsac/docs/spec"},
	} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, error %v", dir, len(files), err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, im := range tree.Imports {
				path, _ := strconv.Unquote(im.Path.Value)
				ok := !strings.HasPrefix(path, "dsac/") && !strings.Contains(strings.Split(path, "/")[0], ".")
				for _, a := range allowed {
					ok = ok || path == a
				}
				if !ok {
					t.Errorf("%s imports %s", f, path)
				}
			}
		}
	}
}
