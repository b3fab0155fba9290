// SPDX-License-Identifier: Apache-2.0
#include "CRaster.h"

#include "raster_blend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Positions in the picture are whole numbers with 32 fractional bits: stepping from pixel to pixel is exact, and so it does not matter
// where a row is begun.
enum { fraction_bits = 32 };

// The points within a pixel lie at most so many pixels of the picture from its centre; they are more only for a picture that is much
// narrower than a pixel.
static const double most_distance = 16;

typedef uint16_t eight __attribute__((vector_size(16)));
typedef uint32_t eight_long __attribute__((vector_size(32)));
typedef uint8_t eight_bytes __attribute__((vector_size(8)));

struct position {
  int64_t x;
  int64_t y;
};

// The columns from `first` to `last`; none where `last` is less.
struct span {
  int32_t first;
  int32_t last;
};

struct painting {
  struct craster_map map;
  struct position step;
  // The four points, from the centre of a pixel to the first of the pixels that they are mixed from.
  struct position points[4];
  // A pixel depends on the pixels of the picture up to so many columns and rows from its centre's one.
  int32_t near;
  int32_t width;
  int32_t height;
  // For the centres' rows from -near to height + near - 1: the columns of centres with a visible pixel nearby.
  struct span *visible;
  // The picture in transparent pixels, so that mixing needs no bounds.
  uint8_t *pixels;
  ptrdiff_t stride;
  // By the 8 fractional bits of a position: the weights of the left and of the right pixel, and of the lower one.
  eight across[256];
  eight down[256];
};

static int64_t fixed(double value) { return (int64_t)(value * (double)((int64_t)1 << fraction_bits)); }

static int32_t padding(const struct painting *self) { return 2 * self->near; }

static struct span visible_part(const uint8_t *row, int32_t width) {
  static const uint8_t transparent[4];
  struct span span = {0, width - 1};
  while (span.first <= span.last && memcmp(row + 4 * (ptrdiff_t)span.first, transparent, 4) == 0) span.first++;
  while (span.first <= span.last && memcmp(row + 4 * (ptrdiff_t)span.last, transparent, 4) == 0) span.last--;
  return span;
}

static void find_visible(struct painting *self, const struct craster_part *source) {
  int32_t rows = self->height + 2 * self->near;
  for (int32_t row = 0; row < rows; row++) self->visible[row] = (struct span){INT32_MAX, INT32_MIN};
  for (int32_t y = 0; y < self->height; y++) {
    struct span part = visible_part(source->pixels + y * source->stride, self->width);
    if (part.first > part.last) continue;
    for (int32_t row = y; row <= y + 2 * self->near; row++) {
      struct span *span = &self->visible[row];
      if (part.first - self->near < span->first) span->first = part.first - self->near;
      if (part.last + self->near > span->last) span->last = part.last + self->near;
    }
  }
}

static void pad(struct painting *self, const struct craster_part *source) {
  size_t edge = 4 * (size_t)padding(self), length = 4 * (size_t)self->width;
  uint8_t *row = self->pixels;
  memset(row, 0, (size_t)padding(self) * (size_t)self->stride);
  row += padding(self) * self->stride;
  for (int32_t y = 0; y < self->height; y++, row += self->stride) {
    memset(row, 0, edge);
    memcpy(row + edge, source->pixels + y * source->stride, length);
    memset(row + edge + length, 0, edge);
  }
  memset(row, 0, (size_t)padding(self) * (size_t)self->stride);
}

static void make_weights(struct painting *self) {
  for (uint32_t part = 0; part < 256; part++) {
    // Quarters, because the colours of four points are added.
    uint16_t right = (uint16_t)(part << 6), left = (uint16_t)((256 - part) << 6), low = (uint16_t)part;
    self->across[part] = (eight){left, left, left, left, right, right, right, right};
    self->down[part] = (eight){low, low, low, low, low, low, low, low};
  }
}

// False for lack of memory.
static bool prepare(struct painting *self, const struct craster_part *source, struct craster_map map) {
  self->map = map;
  self->step = (struct position){fixed(map.a), fixed(map.b)};
  self->width = source->width;
  self->height = source->height;
  double distance = fmax(fabs(map.a) + fabs(map.c), fabs(map.b) + fabs(map.d)) / 4;
  double scale = distance > most_distance ? most_distance / distance / 4 : 0.25;
  // A point is mixed from the pixels whose centres are around it; a little more for rounding.
  self->near = (int32_t)(fmin(distance, most_distance) + 0.501) + 1;
  for (int32_t point = 0; point < 4; point++) {
    double right = point & 1 ? scale : -scale, low = point & 2 ? scale : -scale;
    self->points[point] = (struct position){fixed(map.a * right + map.c * low + padding(self) - 0.5),
                                            fixed(map.b * right + map.d * low + padding(self) - 0.5)};
  }
  self->stride = 4 * ((ptrdiff_t)source->width + 2 * padding(self));
  self->pixels = malloc(((size_t)source->height + 2 * (size_t)padding(self)) * (size_t)self->stride);
  self->visible = malloc(((size_t)source->height + 2 * (size_t)self->near) * sizeof *self->visible);
  if (!self->pixels || !self->visible) return false;
  pad(self, source);
  find_visible(self, source);
  make_weights(self);
  return true;
}

static inline eight load(const uint8_t *pixels) {
  eight_bytes bytes;
  memcpy(&bytes, pixels, 8);
  return __builtin_convertvector(bytes, eight);
}

// A quarter of the colour at a point, in fractions of 256, as two parts to be added.
static inline eight sample(const struct painting *self, struct position center, struct position point) {
  int64_t x = center.x + point.x, y = center.y + point.y;
  const uint8_t *pixel = self->pixels + (y >> fraction_bits) * self->stride + 4 * (x >> fraction_bits);
  eight above = load(pixel), below = load(pixel + self->stride);
  // Differences may be negative, and wrap around; the sum is not.
  eight mixed = (above << 8) + (below - above) * self->down[y >> (fraction_bits - 8) & 255];
  eight weights = self->across[x >> (fraction_bits - 8) & 255];
  return __builtin_convertvector(
      (__builtin_convertvector(mixed, eight_long) * __builtin_convertvector(weights, eight_long)) >> 16, eight);
}

static inline void draw_pixel(const struct painting *self, struct position center, uint8_t *target) {
  eight sum = sample(self, center, self->points[0]) + sample(self, center, self->points[1]);
  sum += sample(self, center, self->points[2]) + sample(self, center, self->points[3]);
  four color = __builtin_shufflevector(sum, sum, 0, 1, 2, 3) + __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
  // Eight parts were rounded down, each by half of a 256th on average.
  blend((color + 128 + 4) >> 8, target);
}

// Whether a pixel with that centre depends on a visible pixel; never for one that depends on any beyond the padding.
static inline bool is_visible(const struct painting *self, struct position center) {
  int64_t row = (center.y >> fraction_bits) + self->near, column = center.x >> fraction_bits;
  if (row < 0 || row >= self->height + 2 * (int64_t)self->near) return false;
  return column >= self->visible[row].first && column <= self->visible[row].last;
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

static void draw_row(const struct painting *self, int32_t y, struct craster_rect rect, uint8_t *row) {
  struct craster_map map = self->map;
  // The pixels that the picture may touch: a pixel more on each side, and the distance of its points from its centre.
  double down = y + 0.5, reach = 1 + self->near + fabs(map.a) + fabs(map.b), from = INT32_MIN, to = INT32_MAX;
  narrow(map.a, map.c * down + map.e, -reach, self->width + reach, &from, &to);
  narrow(map.b, map.d * down + map.f, -reach, self->height + reach, &from, &to);
  if (!(from <= to)) return;
  // Steps are counted from the middle, which is the same for every rectangle.
  double middle = floor((from + to) / 2);
  double u = map.a * (middle + 0.5) + map.c * down + map.e, v = map.b * (middle + 0.5) + map.d * down + map.f;
  if (!(fabs(u) < 1 << 30 && fabs(v) < 1 << 30)) return;
  int32_t left = (int32_t)fmax(rect.left, floor(from) - 1), right = (int32_t)fmin(rect.right, ceil(to) + 1);
  if (left >= right) return;
  int64_t steps = left - (int64_t)middle;
  struct position step = self->step;
  struct position center = {fixed(u) + steps * step.x, fixed(v) + steps * step.y};
  for (; left < right && !is_visible(self, center); left++) center = (struct position){center.x + step.x, center.y + step.y};
  int64_t count = right - (int64_t)left;
  struct position last = {center.x + (count - 1) * step.x, center.y + (count - 1) * step.y};
  for (; left < right && !is_visible(self, last); right--) last = (struct position){last.x - step.x, last.y - step.y};
  // What is between two centres near the picture is near it, too.
  uint8_t *target = row + 4 * ((ptrdiff_t)left - rect.left);
  for (; left < right; left++, target += 4) {
    draw_pixel(self, center, target);
    center = (struct position){center.x + step.x, center.y + step.y};
  }
}

bool craster_draw_mapped(const struct craster_part *source, struct craster_map map, const struct craster_part *target,
                         struct craster_rect rect) {
  if (rect.left >= rect.right || rect.top >= rect.bottom) return true;
  // Nothing is seen of a picture that is that small; this bounds the positions, too.
  if (!(fabs(map.a) + fabs(map.b) + fabs(map.c) + fabs(map.d) < 1 << 20)) return true;
  struct painting painting;
  bool is_ready = prepare(&painting, source, map);
  for (int32_t y = rect.top; is_ready && y < rect.bottom; y++)
    draw_row(&painting, y, rect,
             target->pixels + (y - target->top) * target->stride + 4 * (ptrdiff_t)(rect.left - target->left));
  free(painting.pixels);
  free(painting.visible);
  return is_ready;
}
