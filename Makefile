# dsac: build, test and try. Needs Go 1.21 or newer, which fetches the toolchain that go.mod names.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME    ?= 20s
GOLDEN      := testdata/golden/tiny
VERSION     := $(shell git describe --always --dirty 2>/dev/null || echo unknown)

.DEFAULT_GOAL := all

export GOTOOLCHAIN ?= auto

# The host's matrix products use Go's vector package where the toolchain has it. Without it
# (plain "go build", other processors) they are the same bits, at a third of the speed.
ifeq ($(shell uname -m),x86_64)
export GOEXPERIMENT ?= simd
endif

# CUDA support is built in where cuda.h is found: a toolkit, or the wheel that "make
# cuda-headers" fetches (12 MB of headers; no driver, no GPU needed). Versions 11.8 to 13.x.
CUDA_WHEEL   ?= nvidia-cuda-runtime==13.*
CUDA_CACHE   := $(CURDIR)/.cache/cuda
CUDA_INCLUDE := $(patsubst %/cuda.h,%,$(firstword $(wildcard $(if $(CUDA_HOME),$(CUDA_HOME)/include/cuda.h) \
	$(CUDA_CACHE)/include/cuda.h /usr/local/cuda/include/cuda.h /usr/include/cuda.h)))
CUDA ?= $(if $(and $(CUDA_INCLUDE),$(filter Linux,$(shell uname -s)),$(shell command -v gcc || command -v cc)),1,0)

# The binary is linked without the driver library, which is opened when there is one: see
# runtime/cuda/cuinit.c. The empty archive satisfies -lcuda before a real library could.
ifeq ($(CUDA),1)
TAGS := -tags cuda
export CGO_ENABLED := 1
# Go's build cache does not look into headers: the sum makes it build anew when they change.
CUDA_SUM := $(shell cat runtime/cuda/include/cuda.h $(CUDA_INCLUDE)/cuda.h | cksum | cut -d " " -f 1)
export CGO_CFLAGS := -O2 -Wno-deprecated-declarations -DDSAC_HEADERS=$(CUDA_SUM) -I$(CURDIR)/runtime/cuda/include -I$(CUDA_INCLUDE)
export CGO_LDFLAGS := -L$(CUDA_CACHE)/link -Wl,--wrap=cuInit -Wl,-z,lazy -Wl,--unresolved-symbols=ignore-all
CUDA_LINK := $(CUDA_CACHE)/link/libcuda.a
endif

# ptxas assembles kernels when a plan is compiled; drivers do it themselves otherwise. Tests and
# CI assemble every kernel: the wheel has it for machines without a toolkit.
PTXAS := $(CURDIR)/.cache/ptxas/bin/ptxas
export DSAC_PTXAS ?= $(wildcard $(PTXAS))
ptxas: $(PTXAS)
$(PTXAS):
	@rm -rf .cache/wheel && mkdir -p .cache/wheel $(@D)
	python3 -m pip download -q --no-deps -d .cache/wheel 'nvidia-cuda-nvcc>=12.8,!=13.2.*'
	cd .cache/wheel && python3 -m zipfile -e nvidia_cuda_nvcc-*.whl .
	cp "$$(find .cache/wheel -path '*/bin/ptxas' | head -n 1)" $@ && chmod +x $@
	@rm -rf .cache/wheel

# Packages with tests that need a GPU.
GPU_TESTS := runtime/cuda
# Targets that the bundle has plans for: the machine with the GPU has no llc.
GPU_TARGETS := sm_90 sm_120

.PHONY: all ptxas build demo test lint fuzz bench mutate clean go-is-there cuda-headers gpu

all: build

go-is-there:
	@command -v go >/dev/null || { echo "dsac needs Go 1.21 or newer (Ubuntu: apt install golang-go; Debian 12: apt install -t bookworm-backports golang-go; or go.dev/dl)"; exit 1; }
	@go version | awk '{ split(substr($$3, 3), v, "."); if (v[1] < 1 || v[1] == 1 && v[2] + 0 < 21) { print "dsac needs Go 1.21 or newer, found " $$3 " (Debian 12: apt install -t bookworm-backports golang-go; or go.dev/dl)"; exit 1 } }'

build: go-is-there $(CUDA_LINK)
	@echo "CUDA: $(if $(TAGS),built in with $(CUDA_INCLUDE)/cuda.h,left out: it needs Linux, a C compiler and cuda.h (make cuda-headers fetches it))"
	go build $(TAGS) -trimpath -ldflags "-X main.version=$(VERSION)" -o bin/dsac ./cmd/dsac

# An archive without members.
$(CUDA_CACHE)/link/libcuda.a:
	@mkdir -p $(@D)
	@printf '!<arch>\n' > $@

cuda-headers:
	@rm -rf $(CUDA_CACHE)/wheel $(CUDA_CACHE)/include && mkdir -p $(CUDA_CACHE)/wheel
	python3 -m pip download -q --no-deps -d $(CUDA_CACHE)/wheel "$(CUDA_WHEEL)"
	cd $(CUDA_CACHE)/wheel && python3 -m zipfile -e *.whl .
	@mv "$$(dirname "$$(find $(CUDA_CACHE)/wheel -name cuda.h | head -n 1)")" $(CUDA_CACHE)/include
	@rm -rf $(CUDA_CACHE)/wheel
	@grep -m 1 'define CUDA_VERSION' $(CUDA_CACHE)/include/cuda.h

# Everything that a machine with a GPU but without Go and network needs for the tests there:
# unpack, ./run.sh. See .ci/gpu.sh.
gpu: build
	@test -n "$(TAGS)" || { echo "make gpu needs cuda.h: make cuda-headers fetches it"; exit 1; }
	rm -rf dist/gpu && mkdir -p dist/gpu/testdata/golden
	cp bin/dsac .ci/gpu.sh dist/gpu && mv dist/gpu/gpu.sh dist/gpu/run.sh
	cp -r $(GOLDEN) dist/gpu/testdata/golden
	mkdir -p dist/gpu/plans
	for t in $(GPU_TARGETS); do for m in $(GOLDEN)/*.gguf; do \
		bin/dsac compile $$m --target $$t -o dist/gpu/plans/$$(basename $$m .gguf).$$t.plan >/dev/null 2>dist/gpu/why || \
			echo "bundle without a plan of $$m for $$t: $$(head -n 1 dist/gpu/why)"; done; done; rm -f dist/gpu/why
	for p in $(GPU_TESTS); do go test -c $(TAGS) -ldflags "-s -w" -o dist/gpu/tests/$$(basename $$p).test ./$$p || exit 1; done
	tar czf dist/dsac-gpu.tar.gz -C dist/gpu .
	@ls -l dist/dsac-gpu.tar.gz | awk '{ if ($$5 > 60e6) { print "bundle of " $$5 " bytes, at most 60 MB"; exit 1 } print $$9 ": " $$5 " bytes" }'

demo: build
	@echo "--- compile: a real GGUF becomes a static plan"
	bin/dsac compile $(GOLDEN)/q4_k_m.gguf -o bin/tiny.plan
	@echo "--- lint: every byte that is read was written, by the right op"
	bin/dsac lint bin/tiny.plan
	@echo "--- run: the plan generates on the CPU (random weights: expect noise, not prose)"
	bin/dsac run bin/tiny.plan -m $(GOLDEN)/q4_k_m.gguf -p "The capital of France is" -n 24 --seed 1

test: go-is-there $(CUDA_LINK)
	@test -z "$$(gofmt -l .)" || { echo "not gofmt-clean:"; gofmt -l .; exit 1; }
	go vet ./...
	go run ./internal/tally $(TAGS) ./...

lint: go-is-there $(CUDA_LINK)
	go vet ./...
	go run $(STATICCHECK) ./...
ifeq ($(CUDA),1)
	go vet $(TAGS) ./runtime/cuda ./cmd/dsac
	go run $(STATICCHECK) $(TAGS) ./runtime/cuda ./cmd/dsac
endif

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
	bin/dsac compile bin/mutate/shared.gguf --target sm_120 -o bin/mutate/shared-sm120.plan >/dev/null
	bin/dsac compile bin/mutate/glm52.gguf --ctx 131072 --chunk 2048 -o bin/mutate/glm52.plan >/dev/null
	bin/dsac compile bin/mutate/glm52.gguf --ctx 131072 --chunk 2048 --tp 8 -o bin/mutate/glm52-tp8.plan >/dev/null
	go run ./passes/mutate/cmd/mutate -n $(MUTANTS) -seed 1 bin/mutate/tiny.plan bin/mutate/shared.plan bin/mutate/shared-tp2.plan bin/mutate/shared-sm120.plan bin/mutate/glm52.plan bin/mutate/glm52-tp8.plan
	go test -count 1 -v -run TestMutantsOnTheHost ./cmd/dsac

bench: go-is-there
	go test -run '^$$' -bench . -benchtime 1s ./...

clean:
	rm -rf bin dist
