// SPDX-License-Identifier: Apache-2.0
#include "CRaster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Lanczos's kernel of three lobes, in whole numbers, so that every machine makes the same pixels.
enum { factor = 2, taps = 6, one = 1 << 12, kept = 1 << 4, channels = 4 };

struct kernel {
  int32_t weights[factor][taps];
};

static double sinc(double x) { return fabs(x) < 1e-9 ? 1 : sin(M_PI * x) / (M_PI * x); }

// The weights of the pixels from two before a position to three after it, for each of the positions in a pixel.
static void make_kernel(struct kernel *kernel) {
  for (int32_t phase = 0; phase < factor; phase++) {
    double position = (phase + 0.5) / factor - 0.5, values[taps], sum = 0;
    double offset = position < 0 ? position + 1 : position;
    for (int32_t tap = 0; tap < taps; tap++) {
      double distance = offset - (tap - 2);
      values[tap] = fabs(distance) < 3 ? sinc(distance) * sinc(distance / 3) : 0;
      sum += values[tap];
    }
    int32_t rest = one;
    for (int32_t tap = 0; tap < taps; tap++) {
      kernel->weights[phase][tap] = (int32_t)lrint(values[tap] / sum * one);
      rest -= kernel->weights[phase][tap];
    }
    kernel->weights[phase][offset < 0.5 ? 2 : 3] += rest;
  }
}

// The first of the pixels that a phase combines, beside the pixel that it is in.
static int32_t first_tap(int32_t phase) { return phase < factor / 2 ? -3 : -2; }

typedef int32_t four __attribute__((vector_size(16)));
typedef int16_t four_short __attribute__((vector_size(8)));
typedef uint8_t four_bytes __attribute__((vector_size(4)));

static inline four smaller(four a, four b) { return (a & (a < b)) | (b & ~(a < b)); }

static inline four larger(four a, four b) { return (a & (a > b)) | (b & ~(a > b)); }

// A pixel of the source; transparent beyond its edges.
static inline four pixel_at(const struct craster_part *source, int32_t x, int32_t y) {
  if (x < 0 || y < 0 || x >= source->width || y >= source->height) return (four){0};
  four_bytes bytes;
  memcpy(&bytes, source->pixels + y * source->stride + channels * (ptrdiff_t)x, sizeof bytes);
  return __builtin_convertvector(bytes, four);
}

// Every row made wider, in parts of `kept`.
static void widen(const struct craster_part *source, const struct kernel *kernel, four_short *wide) {
  for (int32_t y = 0; y < source->height; y++)
    for (int32_t x = 0; x < source->width * factor; x++) {
      const int32_t *weights = kernel->weights[x % factor];
      int32_t first = x / factor + first_tap(x % factor);
      four sum = {0};
      for (int32_t tap = 0; tap < taps; tap++) sum += weights[tap] * pixel_at(source, first + tap, y);
      *wide++ = __builtin_convertvector((sum + one / kept / 2) >> 8, four_short);
    }
}

// A pixel of the result, from the rows that were made wider.
static inline four combined(const four_short *column, ptrdiff_t row, int32_t first, int32_t height, const int32_t *weights) {
  four sum = {0};
  for (int32_t tap = 0; tap < taps; tap++)
    if (first + tap >= 0 && first + tap < height)
      sum += weights[tap] * __builtin_convertvector(column[(first + tap) * row], four);
  return (sum + one * kept / 2) >> 16;
}

// Within the four nearest pixels, so that no edge has a seam; and no colour is more than the alpha, with which it is premultiplied.
static inline four bounded(four value, const struct craster_part *source, int32_t x, int32_t y) {
  four a = pixel_at(source, x, y), b = pixel_at(source, x + 1, y);
  four c = pixel_at(source, x, y + 1), d = pixel_at(source, x + 1, y + 1);
  value = larger(value, smaller(smaller(a, b), smaller(c, d)));
  value = smaller(value, larger(larger(a, b), larger(c, d)));
  return smaller(value, __builtin_shufflevector(value, value, 3, 3, 3, 3));
}

bool craster_double(const struct craster_part *source, uint8_t *target) {
  struct kernel kernel;
  make_kernel(&kernel);
  ptrdiff_t row = (ptrdiff_t)source->width * factor;
  four_short *wide = malloc((size_t)row * (size_t)source->height * sizeof *wide);
  if (!wide) return false;
  widen(source, &kernel, wide);
  for (int32_t y = 0; y < source->height * factor; y++) {
    int32_t first = y / factor + first_tap(y % factor);
    for (int32_t x = 0; x < row; x++, target += channels) {
      four value = combined(wide + x, row, first, source->height, kernel.weights[y % factor]);
      int32_t left = x / factor + first_tap(x % factor) + 2;
      four_bytes bytes = __builtin_convertvector(bounded(value, source, left, first + 2), four_bytes);
      memcpy(target, &bytes, sizeof bytes);
    }
  }
  free(wide);
  return true;
}
