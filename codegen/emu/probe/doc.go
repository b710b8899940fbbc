// Command probe makes what is needed to compare the emulator with a real GPU, once, and keeps
// what the GPU said as a fixture.
//
//	go run ./codegen/emu/probe -o DIR        writes DIR/probe.ptx, DIR/manifest.txt, DIR/NAME.in
//	(run every kernel of the manifest on a GPU: parameters in, out; write DIR/NAME.out)
//	go run ./codegen/emu/probe -record DIR   packs the results into codegen/emu/testdata/probe.gold
//
// A line of manifest.txt: entry name, blocks, threads per block, bytes of in, bytes of out. The
// fixture holds the outputs one after another in the order of the manifest, gzip-compressed. The
// test of this package compares them with the emulator: bit for bit, approximations within their
// tolerance.
package main
