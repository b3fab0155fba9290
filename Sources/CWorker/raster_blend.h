// SPDX-License-Identifier: Apache-2.0
// Blending a pixel, for loops over pixels.
#ifndef RASTER_BLEND_H
#define RASTER_BLEND_H

#include <stdint.h>
#include <string.h>

typedef uint16_t four __attribute__((vector_size(8)));
typedef uint8_t four_bytes __attribute__((vector_size(4)));

// Blends a premultiplied pixel over another, without a branch for opaque or transparent pixels, which would be
// mispredicted.
static inline void blend(four color, uint8_t *target) {
  four_bytes old;
  memcpy(&old, target, 4);
  four rest = 255 - __builtin_shufflevector(color, color, 3, 3, 3, 3);
  four below = __builtin_convertvector(old, four) * rest + 128;
  color += (below + (below >> 8)) >> 8;
  four_bytes bytes = __builtin_convertvector(color, four_bytes);
  memcpy(target, &bytes, 4);
}

#endif
