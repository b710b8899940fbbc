// Package repack rearranges quantised weights for GPU kernels, without changing a bit of what
// they hold: Unpack is the exact inverse of Pack, and a packed matrix is as large as its rows
// in the file (up to padding).
//
// A matrix is cut into tiles of 16 rows (the last one is filled up with zero blocks), a tile
// into units of 64 or 256 columns. A unit is contiguous, and so are the units of a tile:
//
//	unit:  | codes, 16 bytes a lane | more codes | high bits | scales |
//
// Codes lie in the order in which the lanes of a warp hold the A operand of mma.m16n8k16, so
// that a kernel loads them 16 bytes a lane and shifts them into place. Lane 4g+t holds rows g
// and g+8 of the tile. A unit has chunks of 64 columns, which are eight runs of eight columns;
// the lane has runs t and t+4. A chunk is four steps of the instruction: in steps 0 and 1 the
// lane gives the first and the second half of run t, in steps 2 and 3 those of run t+4. A run
// is
//
//	units of  64 columns: run s of the chunk is columns 8s .. 8s+7
//	units of 256 columns: run s of chunk q is columns 32s+8q .. 32s+8q+7
//
// so that with 256 columns all the columns of a lane come from two groups of 32, which have
// one scale each. It must not import anything but runtime/quant.
package repack
