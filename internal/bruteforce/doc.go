// Package bruteforce computes the logits of a GLM-DSA or DeepSeek-V3.2 model the slow way: in
// float64, the whole prompt at once, no cache, no graph and no kernel, keys and values expanded
// for every head, every pair of positions scored, every choice made by sorting. It is written
// from docs/spec/glm-dsa.md (sections marked G below) and docs/spec/deepseek-v32.md (marked D)
// alone, so that it and the compiler can disagree.
//
// Tests use it; nothing else does. It imports runtime/gguf and runtime/quant, to read weights,
// and must not import runtime/ref, the models or any other part of the compiler.
package bruteforce
