// Package quant holds the block formats of ggml tensors: one table of types, with sizes,
// decoders, plain encoders and a generator of random blocks.
//
// Decoding follows docs/spec/glm-dsa.md section 5 and is exact in a stated sense: every
// product and sum is rounded to float32 in the order of the reference (d*scale first, then
// times the quant, then minus the rounded dmin*min), on every machine. Encoders pick the
// nearest value for a plainly chosen scale; they are for tests and synthetic files, not for
// the best quality.
//
// It imports only the standard library.
package quant
