// Package synth writes GGUF files of named model geometries with random weights: for tests,
// benchmarks and for trying a model's size without its weights. A file depends only on the
// options: every tensor's values come from the seed and the tensor's name, whatever the order
// of writing.
//
// The geometries and tensor mixes are tables (docs/spec/glm-dsa.md sections 1, 4.4 and 4.5,
// docs/spec/deepseek-v32.md). The package imports runtime/gguf and runtime/quant only.
package synth
