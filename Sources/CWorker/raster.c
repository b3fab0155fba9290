// SPDX-License-Identifier: Apache-2.0
#include "CRaster.h"

#include "raster_blend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Cairo's own scaling is not used: its good filter takes several times as long, and its coordinates, with 16
// fractional bits, displace a picture of a hundred thousand pixels by several pixels.

// Vertical weights are fractions of 8 bits, of exact 8-bit channels; horizontal weights are fractions of 16
// bits.
enum { down_one = 1 << 8, across_one = 1 << 16 };

// The source pixels of a target pixel along an axis: `count` neighbours from `first`, with weights from
// `weight`.
struct taps {
  int32_t first;
  int32_t count;
  size_t weight;
};

struct axis {
  struct taps *taps;
  uint16_t *weights;
};

static double clamped(double value, double low, double high) {
  return value > low ? value < high ? value : high : low;
}

// The range of the source that a target pixel covers.
static void cover(double pixel, double start, double scale, double *from, double *to) {
  double center = (pixel + 0.5 - start) / scale;
  double half = scale < 1 ? 0.5 / scale : 0.5;
  *from = center - half;
  *to = center + half;
}

// The source pixels within a range: at least one with an endless border.
static void touched(double from, double to, int32_t whole, bool endless, int32_t *first, int32_t *end) {
  *first = (int32_t)clamped(floor(from), 0, endless ? whole - 1 : whole);
  *end = (int32_t)clamped(ceil(to), endless ? *first + 1 : *first, whole);
}

static void needed(double start, double scale, int32_t whole, bool endless, int32_t low, int32_t high, int32_t *first,
                   int32_t *end) {
  double from, to, ignored;
  cover(low, start, scale, &from, &ignored);
  cover(high - 1, start, scale, &ignored, &to);
  touched(from, to, whole, endless, first, end);
}

struct craster_rect craster_needed(const struct craster_part *source, struct craster_place place,
                                   struct craster_rect rect) {
  struct craster_rect result;
  needed(place.x, place.scale_x, source->whole_width, place.has_endless_border, rect.left, rect.right, &result.left,
         &result.right);
  needed(place.y, place.scale_y, source->whole_height, place.has_endless_border, rect.top, rect.bottom, &result.top,
         &result.bottom);
  return result;
}

static void axis_free(struct axis *axis) {
  free(axis->taps);
  free(axis->weights);
}

// Computes the taps of the pixels from low to high, with weights as fractions of `one`. False for lack of
// memory.
static bool axis_make(struct axis *axis, int32_t one, double start, double scale, int32_t whole, bool endless,
                      int32_t low, int32_t high) {
  size_t count = (size_t)(high - low);
  size_t each = (size_t)clamped(ceil(scale < 1 ? 1 / scale : 1) + 1, 1, whole);
  axis->taps = malloc(count * sizeof *axis->taps);
  axis->weights = malloc(count * each * sizeof *axis->weights);
  if (!axis->taps || !axis->weights) {
    axis_free(axis);
    return false;
  }
  size_t used = 0;
  for (int32_t pixel = low; pixel < high; pixel++) {
    double from, to;
    int32_t first, end;
    cover(pixel, start, scale, &from, &to);
    touched(from, to, whole, endless, &first, &end);
    // Differences of rounded sums: together they are exactly `one` where the whole pixel is covered.
    double part = one / (to - from);
    int32_t before = endless && first == 0 ? 0 : (int32_t)lrint((clamped(first, from, to) - from) * part);
    struct taps *taps = &axis->taps[pixel - low];
    *taps = (struct taps){first, 0, used};
    for (int32_t neighbour = first; neighbour < end && (size_t)taps->count < each; neighbour++) {
      bool is_last = endless && neighbour == whole - 1;
      int32_t after = is_last ? one : (int32_t)lrint((clamped(neighbour + 1.0, from, to) - from) * part);
      int32_t weight = after - before;
      axis->weights[used++] = (uint16_t)(weight < across_one ? weight : across_one - 1);
      before = after;
      taps->count++;
    }
    while (taps->count > 1 && axis->weights[used - 1] == 0) {
      taps->count--;
      used--;
    }
  }
  return true;
}

typedef uint32_t four_long __attribute__((vector_size(16)));

// Combines rows into one, of 16 bits for each channel.
static void combine_rows(const struct craster_part *source, struct taps taps, const uint16_t *weights, size_t offset,
                         size_t count, uint16_t *result) {
  const uint8_t *row = source->pixels + (taps.first - source->top) * source->stride + offset;
  uint16_t weight = weights[0];
  if (taps.count == 1) {
    for (size_t index = 0; index < count; index++) result[index] = (uint16_t)(row[index] * weight);
    return;
  }
  const uint8_t *next = row + source->stride;
  uint16_t next_weight = weights[1];
  for (size_t index = 0; index < count; index++)
    result[index] = (uint16_t)(row[index] * weight + next[index] * next_weight);
  for (int32_t tap = 2; tap < taps.count; tap++) {
    next += source->stride;
    next_weight = weights[tap];
    for (size_t index = 0; index < count; index++) result[index] = (uint16_t)(result[index] + next[index] * next_weight);
  }
}

static inline four weighted(const uint16_t *pixel, uint16_t weight) {
  four color;
  memcpy(&color, pixel, 8);
  return __builtin_convertvector((__builtin_convertvector(color, four_long) * weight) >> 16, four);
}

// Combines neighbours within a row, and blends them over the target's row.
static void combine_columns(const uint16_t *row, const struct axis *axis, int32_t first, int32_t count, uint8_t *target) {
  for (int32_t pixel = 0; pixel < count; pixel++, target += 4) {
    struct taps taps = axis->taps[pixel];
    if (taps.count == 0) continue;
    const uint16_t *weight = axis->weights + taps.weight, *neighbour = row + 4 * (taps.first - first);
    four sum = weighted(neighbour, weight[0]);
    for (int32_t tap = 1; tap < taps.count; tap++) sum += weighted(neighbour += 4, weight[tap]);
    blend((sum + 128) >> 8, target);
  }
}

bool craster_draw(const struct craster_part *source, struct craster_place place, const struct craster_part *target,
                  struct craster_rect rect) {
  if (rect.left >= rect.right || rect.top >= rect.bottom) return true;
  struct craster_rect used = craster_needed(source, place, rect);
  if (used.left >= used.right || used.top >= used.bottom) return true;
  struct axis across, down;
  bool endless = place.has_endless_border;
  int32_t width = source->whole_width, height = source->whole_height;
  if (!axis_make(&across, across_one, place.x, place.scale_x, width, endless, rect.left, rect.right)) return false;
  if (!axis_make(&down, down_one, place.y, place.scale_y, height, endless, rect.top, rect.bottom)) {
    axis_free(&across);
    return false;
  }
  size_t count = 4 * (size_t)(used.right - used.left);
  uint16_t *row = malloc(count * sizeof *row);
  for (int32_t y = rect.top; row && y < rect.bottom; y++) {
    struct taps taps = down.taps[y - rect.top];
    if (taps.count == 0) continue;
    combine_rows(source, taps, down.weights + taps.weight, 4 * (size_t)(used.left - source->left), count, row);
    uint8_t *start = target->pixels + (y - target->top) * target->stride + 4 * (ptrdiff_t)(rect.left - target->left);
    combine_columns(row, &across, used.left, rect.right - rect.left, start);
  }
  axis_free(&across);
  axis_free(&down);
  bool is_drawn = row != NULL;
  free(row);
  return is_drawn;
}

void craster_halve(const uint8_t *source, ptrdiff_t stride, int32_t width, int32_t height, uint8_t *target) {
  for (int32_t y = 0; y < height / 2; y++) {
    const uint8_t *row = source + 2 * y * stride;
    for (int32_t x = 0; x < width / 2; x++, row += 8)
      for (int32_t channel = 0; channel < 4; channel++) {
        const uint8_t *pixel = row + channel;
        *target++ = (uint8_t)((pixel[0] + pixel[4] + pixel[stride] + pixel[stride + 4] + 2) >> 2);
      }
  }
}

int32_t craster_index(const uint8_t *pixels, size_t count, uint8_t *numbers, uint32_t *colors) {
  // A hash table of colours: indices plus one, with linear probing.
  enum { places = 1 << 10, most = 256 };
  uint16_t found[places] = {0};
  int32_t used = 0;
  for (size_t index = 0; index < count; index++) {
    uint32_t color;
    memcpy(&color, pixels + 4 * index, 4);
    uint32_t place = (color * 0x9E3779B1u) >> 22;
    while (found[place] && colors[found[place] - 1] != color) place = (place + 1) % places;
    if (!found[place]) {
      if (used == most) return 0;
      colors[used++] = color;
      found[place] = (uint16_t)used;
    }
    numbers[index] = (uint8_t)(found[place] - 1);
  }
  return used;
}

void craster_expand(const uint8_t *numbers, size_t count, const uint32_t *colors, uint8_t *pixels) {
  for (size_t index = 0; index < count; index++) memcpy(pixels + 4 * index, &colors[numbers[index]], 4);
}

// Premultiplies a pixel.
static inline void turn_pixel(const uint8_t *color, uint32_t alpha, uint8_t *pixel) {
  for (int32_t channel = 0; channel < 3; channel++) {
    uint32_t value = color[2 - channel] * alpha + 128;
    pixel[channel] = (uint8_t)((value + (value >> 8)) >> 8);
  }
  pixel[3] = (uint8_t)alpha;
}

void craster_turn(const struct craster_decoded *source, const struct craster_part *target) {
  int32_t kind = source->orientation;
  bool swaps = kind > 4;
  bool mirrors_x = kind == 2 || kind == 3 || kind == 7 || kind == 8;
  bool mirrors_y = kind == 3 || kind == 4 || kind == 6 || kind == 7;
  // The steps from a source pixel to the neighbours that are to the right of it and below it in the target.
  ptrdiff_t x_step = mirrors_x ? -source->channels : source->channels;
  ptrdiff_t y_step = mirrors_y ? -source->stride : source->stride;
  ptrdiff_t across = swaps ? y_step : x_step, down = swaps ? x_step : y_step;
  const uint8_t *start = source->pixels + (mirrors_x ? (source->width - 1) * (ptrdiff_t)source->channels : 0) +
                         (mirrors_y ? (source->height - 1) * source->stride : 0);
  for (int32_t y = 0; y < target->height; y++) {
    const uint8_t *color = start + (target->top + y) * down + target->left * across;
    uint8_t *pixel = target->pixels + y * target->stride;
    if (source->channels == 4) {
      for (int32_t x = 0; x < target->width; x++) turn_pixel(color + x * across, color[x * across + 3], pixel + 4 * x);
    } else {
      for (int32_t x = 0; x < target->width; x++) turn_pixel(color + x * across, 255, pixel + 4 * x);
    }
  }
}

void craster_fill(const struct craster_part *target, struct craster_rect rect, uint32_t color) {
  for (int32_t y = rect.top; y < rect.bottom; y++) {
    uint8_t *pixel = target->pixels + (y - target->top) * target->stride + 4 * (ptrdiff_t)(rect.left - target->left);
    for (int32_t x = rect.left; x < rect.right; x++, pixel += 4) memcpy(pixel, &color, 4);
  }
}

void craster_hatch(const struct craster_part *target, struct craster_rect rect, int64_t start) {
  enum { period = 16 };
  int64_t phase = period - (start % period + period) % period;
  for (int32_t y = rect.top; y < rect.bottom; y++)
    for (int32_t x = rect.left; x < rect.right; x++)
      craster_fill(target, (struct craster_rect){x, y, x + 1, y + 1},
                   ((int64_t)x + y + phase) % period < period / 2 ? 0xFFC8C8C8 : 0xFFDCDCDC);
}

void craster_png_row(const uint8_t *source, int32_t width, bool has_alpha, uint8_t *target) {
  for (int32_t x = 0; x < width; x++, source += 4) {
    uint32_t alpha = source[3];
    for (int32_t channel = 0; channel < 3; channel++) {
      uint32_t value = source[2 - channel];
      if (has_alpha && alpha < 255) value = alpha == 0 ? 0 : (value * 255 + alpha / 2) / alpha;
      *target++ = (uint8_t)value;
    }
    if (has_alpha) *target++ = (uint8_t)alpha;
  }
}
