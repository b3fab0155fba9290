// SPDX-License-Identifier: Apache-2.0
#include "CRaster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Transparent pixels around a picture, so that interpolation needs no bounds: a point is at most two pixels off it.
enum { padding = 3 };

typedef uint32_t four_long __attribute__((vector_size(16)));
typedef uint8_t four_bytes __attribute__((vector_size(4)));

struct padded {
  uint8_t *pixels;
  ptrdiff_t stride;
  int32_t width;
  int32_t height;
};

static bool pad(const struct craster_part *source, struct padded *padded) {
  padded->width = source->width;
  padded->height = source->height;
  padded->stride = 4 * ((ptrdiff_t)source->width + 2 * padding);
  padded->pixels = calloc((size_t)source->height + 2 * padding, (size_t)padded->stride);
  if (!padded->pixels) return false;
  for (int32_t y = 0; y < source->height; y++)
    memcpy(padded->pixels + (y + padding) * padded->stride + 4 * padding, source->pixels + y * source->stride,
           4 * (size_t)source->width);
  return true;
}

static inline four_long load(const uint8_t *pixel) {
  four_bytes bytes;
  memcpy(&bytes, pixel, 4);
  return __builtin_convertvector(bytes, four_long);
}

// The colour at a point of the picture, in fractions of 65,536; zero beyond it.
static inline four_long sample(const struct padded *picture, double x, double y) {
  if (!(x > -1 && y > -1 && x < picture->width + 1 && y < picture->height + 1)) return (four_long){0};
  // Pixels have their colours at their centres.
  int32_t across = (int32_t)((x + (padding - 0.5)) * 256), down = (int32_t)((y + (padding - 0.5)) * 256);
  uint32_t right = across & 255, low = down & 255;
  const uint8_t *pixel = picture->pixels + (down >> 8) * picture->stride + 4 * (ptrdiff_t)(across >> 8);
  four_long above = load(pixel) * (256 - right) + load(pixel + 4) * right;
  pixel += picture->stride;
  four_long below = load(pixel) * (256 - right) + load(pixel + 4) * right;
  return above * (256 - low) + below * low;
}

// Blends a premultiplied pixel over another.
static inline void blend(four_long color, uint8_t *target) {
  four_long rest = 255 - __builtin_shufflevector(color, color, 3, 3, 3, 3);
  four_long below = load(target) * rest + 128;
  color += (below + (below >> 8)) >> 8;
  four_bytes bytes = __builtin_convertvector(color, four_bytes);
  memcpy(target, &bytes, 4);
}

// Narrows a range of x to where low <= step x + start <= high.
static void narrow(double step, double start, double low, double high, double *from, double *to) {
  if (fabs(step) < 1e-12) {
    if (start < low || start > high) *to = *from - 1;
    return;
  }
  double first = (low - start) / step, last = (high - start) / step;
  *from = fmax(*from, fmin(first, last));
  *to = fmin(*to, fmax(first, last));
}

static void draw_row(const struct padded *picture, struct craster_map map, int32_t y, struct craster_rect rect,
                     uint8_t *row) {
  double down = y + 0.5;
  // The pixels that the picture may touch: a pixel more on each side, and the distance of its points from its centre.
  double reach = 1 + (fabs(map.a) + fabs(map.b) + fabs(map.c) + fabs(map.d)), from = rect.left, to = rect.right;
  narrow(map.a, map.c * down + map.e, -reach, picture->width + reach, &from, &to);
  narrow(map.b, map.d * down + map.f, -reach, picture->height + reach, &from, &to);
  if (!(from <= to)) return;
  int32_t left = (int32_t)fmax(rect.left, floor(from) - 1), right = (int32_t)fmin(rect.right, ceil(to) + 1);
  double x_across = map.a / 4, y_across = map.b / 4, x_down = map.c / 4, y_down = map.d / 4;
  for (int32_t x = left; x < right; x++) {
    double across = x + 0.5;
    double u = map.a * across + map.c * down + map.e, v = map.b * across + map.d * down + map.f;
    four_long sum = sample(picture, u - x_across - x_down, v - y_across - y_down) >> 8;
    sum += sample(picture, u + x_across - x_down, v + y_across - y_down) >> 8;
    sum += sample(picture, u - x_across + x_down, v - y_across + y_down) >> 8;
    sum += sample(picture, u + x_across + x_down, v + y_across + y_down) >> 8;
    blend((sum + (1 << 9)) >> 10, row + 4 * (ptrdiff_t)(x - rect.left));
  }
}

bool craster_draw_mapped(const struct craster_part *source, struct craster_map map, const struct craster_part *target,
                         struct craster_rect rect) {
  if (rect.left >= rect.right || rect.top >= rect.bottom) return true;
  struct padded picture;
  if (!pad(source, &picture)) return false;
  for (int32_t y = rect.top; y < rect.bottom; y++)
    draw_row(&picture, map, y, rect,
             target->pixels + (y - target->top) * target->stride + 4 * (ptrdiff_t)(rect.left - target->left));
  free(picture.pixels);
  return true;
}
