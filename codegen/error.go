package codegen

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// failf keeps the first error of the module, with the line of the kernel that caused it.
func (k *K) failf(format string, args ...any) {
	if k.m.err == nil {
		k.m.err = fmt.Errorf("%s: kernel %s: %s", caller(), k.name, fmt.Sprintf(format, args...))
	}
}

// caller returns file:line of the nearest frame outside this package: the kernel's source.
func caller() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		inside := strings.HasPrefix(f.Function, "dsac/codegen.") && !strings.HasSuffix(f.File, "_test.go")
		if !inside && !strings.HasPrefix(f.Function, "runtime.") && !strings.Contains(f.Function, "llir/llvm") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "unknown line"
		}
	}
}
