# dsac: build, test and try. Needs Go 1.21 or newer, which fetches the toolchain that go.mod names.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME    ?= 20s
GOLDEN      := testdata/golden/tiny
VERSION     := $(shell git describe --always --dirty 2>/dev/null || echo unknown)

export GOTOOLCHAIN ?= auto

.PHONY: all build demo test lint fuzz bench mutate clean go-is-there

all: build

go-is-there:
	@command -v go >/dev/null || { echo "dsac needs Go 1.21 or newer (Ubuntu: apt install golang-go; Debian 12: apt install -t bookworm-backports golang-go; or go.dev/dl)"; exit 1; }
	@go version | awk '{ split(substr($$3, 3), v, "."); if (v[1] < 1 || v[1] == 1 && v[2] + 0 < 21) { print "dsac needs Go 1.21 or newer, found " $$3 " (Debian 12: apt install -t bookworm-backports golang-go; or go.dev/dl)"; exit 1 } }'

build: go-is-there
	go build -trimpath -ldflags "-X main.version=$(VERSION)" -o bin/dsac ./cmd/dsac

demo: build
	@echo "--- compile: a real GGUF becomes a static plan"
	bin/dsac compile $(GOLDEN)/q4_k_m.gguf -o bin/tiny.plan
	@echo "--- lint: every byte that is read was written, by the right op"
	bin/dsac lint bin/tiny.plan
	@echo "--- run: the plan generates on the CPU (random weights: expect noise, not prose)"
	bin/dsac run bin/tiny.plan -m $(GOLDEN)/q4_k_m.gguf -p "The capital of France is" -n 24 --seed 1

test: go-is-there
	@test -z "$$(gofmt -l .)" || { echo "not gofmt-clean:"; gofmt -l .; exit 1; }
	go vet ./...
	go run ./internal/tally ./...

lint: go-is-there
	go vet ./...
	go run $(STATICCHECK) ./...

fuzz: go-is-there
	@go list -f '{{$$p := .ImportPath}}{{range .TestGoFiles}}{{$$.Dir}}/{{.}} {{$$p}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$$.Dir}}/{{.}} {{$$p}}{{"\n"}}{{end}}' ./... | while read f p; do \
		grep -ho '^func Fuzz[A-Za-z0-9_]*' "$$f" 2>/dev/null | sed 's/^func //' | while read t; do \
			echo "--- $$p $$t"; go test -run '^$$' -fuzz "^$$t\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x "$$p" </dev/null || exit 1; \
		done || exit 1; \
	done

# 10,000 random faults in real plans: every one that changes a result must be reported.
MUTANTS ?= 10000
mutate: build
	@mkdir -p bin/mutate
	bin/dsac synth --geometry tiny-shared --quant q8_0 -o bin/mutate/shared.gguf
	bin/dsac synth --geometry glm-5.2 --header-only -o bin/mutate/glm52.gguf
	bin/dsac compile $(GOLDEN)/q4_k_m.gguf -o bin/mutate/tiny.plan >/dev/null
	bin/dsac compile bin/mutate/shared.gguf -o bin/mutate/shared.plan >/dev/null
	bin/dsac compile bin/mutate/shared.gguf --tp 2 -o bin/mutate/shared-tp2.plan >/dev/null
	bin/dsac compile bin/mutate/glm52.gguf --ctx 131072 --chunk 2048 -o bin/mutate/glm52.plan >/dev/null
	bin/dsac compile bin/mutate/glm52.gguf --ctx 131072 --chunk 2048 --tp 8 -o bin/mutate/glm52-tp8.plan >/dev/null
	go run ./passes/mutate/cmd/mutate -n $(MUTANTS) -seed 1 bin/mutate/tiny.plan bin/mutate/shared.plan bin/mutate/shared-tp2.plan bin/mutate/glm52.plan bin/mutate/glm52-tp8.plan

bench: go-is-there
	go test -run '^$$' -bench . -benchtime 1s ./...

clean:
	rm -rf bin
