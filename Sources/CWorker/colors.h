// SPDX-License-Identifier: Apache-2.0
// Code points of colours (ITU-T H.273), and pictures of high dynamic range.
#ifndef CCOLORS_H
#define CCOLORS_H

#include <stdbool.h>
#include <stdint.h>

// x and y of white, red, green and blue; NULL for a code point that is not supported.
const double (*points_of_primaries(int32_t primaries))[2];

// Whether it is a transfer of high dynamic range: SMPTE ST 2084 (PQ) or ARIB STD-B67 (HLG).
bool is_bright(int32_t transfer);

// A conversion of such colours to sRGB; to be freed. NULL for lack of memory.
struct bright_colors *bright_colors_open(int32_t primaries, int32_t transfer);

// Converts a row in place.
void bright_colors_run(const struct bright_colors *self, uint8_t *pixels, int32_t channels, int32_t width);

#endif
