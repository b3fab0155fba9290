// SPDX-License-Identifier: Apache-2.0
#include "CRaster.h"

#include <stdlib.h>
#include <string.h>

// With less alpha than `faint`, a channel has too few values for a colour; more would be visible. A pixel's
// distance from the picture is counted in rings; pixels beyond the last ring are `clear`, and the padding
// around the picture is `edge`.
enum { rings = 6, faint = 3, clear = rings + 1, edge = rings + 2 };

// A picture with a padding of one pixel on each side, so that each pixel has eight neighbours.
struct bleeding {
  uint8_t *pixels;
  int32_t width;
  int32_t height;
  // Pixels from one row to the next.
  ptrdiff_t stride;
  ptrdiff_t neighbours[8];
  // The distance of each pixel and, for pixels near a clear one, the colour, not premultiplied.
  uint8_t *distance;
  uint8_t (*colors)[3];
  // The pixels that colours spread from, nearest first.
  uint32_t *reached;
};

static uint8_t *pixel_at(struct bleeding *on, ptrdiff_t index) {
  // 32-bit numbers are divided faster.
  uint32_t row = (uint32_t)index / (uint32_t)on->stride, column = (uint32_t)index % (uint32_t)on->stride;
  return on->pixels + 4 * ((ptrdiff_t)(row - 1) * on->width + column - 1);
}

static bool is_near(struct bleeding *on, ptrdiff_t index, uint8_t distance) {
  for (int32_t which = 0; which < 8; which++)
    if (on->distance[index + on->neighbours[which]] == distance) return true;
  return false;
}

// Whether this pixel, the five after it and all their neighbours belong to the picture, as most do.
static bool are_within(const struct bleeding *on, ptrdiff_t index) {
  uint64_t above, here, below;
  memcpy(&above, on->distance + index - on->stride - 1, sizeof above);
  memcpy(&here, on->distance + index - 1, sizeof here);
  memcpy(&below, on->distance + index + on->stride - 1, sizeof below);
  return (above | here | below) == 0;
}

// Finds the picture's pixels that have a clear neighbour, and their colours.
static size_t find_edge(struct bleeding *on) {
  memset(on->distance, edge, (size_t)(on->stride * (on->height + 2)) + sizeof(uint64_t));
  for (int32_t y = 0; y < on->height; y++)
    for (int32_t x = 0; x < on->width; x++)
      on->distance[(y + 1) * on->stride + x + 1] = on->pixels[4 * ((ptrdiff_t)y * on->width + x) + 3] ? 0 : clear;
  size_t count = 0;
  for (ptrdiff_t index = on->stride + 1; index < on->stride * (on->height + 1); index++) {
    if (on->distance[index] != 0) continue;
    if (are_within(on, index)) {
      index += 5;
      continue;
    }
    if (!is_near(on, index, clear)) continue;
    const uint8_t *pixel = pixel_at(on, index);
    for (int32_t channel = 0; channel < 3; channel++) {
      uint32_t value = (pixel[channel] * 255u + pixel[3] / 2u) / pixel[3];
      on->colors[index][channel] = (uint8_t)(value < 255 ? value : 255);
    }
    on->reached[count++] = (uint32_t)index;
  }
  return count;
}

// Gives a pixel of a ring the mean colour of its nearer neighbours.
static void take_color(struct bleeding *on, ptrdiff_t index, uint8_t ring) {
  // Reciprocals as fractions of 65,536, rounded up: exact for any sum of eight channels.
  static const uint32_t parts[] = {0, 65536, 32768, 21846, 16384, 13108, 10923, 9363, 8192};
  uint32_t sums[3] = {0}, near = 0;
  for (int32_t which = 0; which < 8; which++) {
    ptrdiff_t neighbour = index + on->neighbours[which];
    if (on->distance[neighbour] >= ring) continue;
    near++;
    for (int32_t channel = 0; channel < 3; channel++) sums[channel] += on->colors[neighbour][channel];
  }
  uint8_t *pixel = pixel_at(on, index);
  for (int32_t channel = 0; near && channel < 3; channel++) {
    uint32_t mean = sums[channel] * parts[near] >> 16;
    on->colors[index][channel] = (uint8_t)mean;
    pixel[channel] = (uint8_t)((mean * faint + 127) / 255);
  }
  pixel[3] = faint;
}

static void bleed(struct bleeding *on) {
  size_t begin = 0, end = find_edge(on);
  for (uint8_t ring = 1; ring <= rings; ring++) {
    size_t count = end;
    for (size_t place = begin; place < end; place++)
      for (int32_t which = 0; which < 8; which++) {
        uint32_t neighbour = (uint32_t)(on->reached[place] + on->neighbours[which]);
        if (on->distance[neighbour] != clear) continue;
        on->distance[neighbour] = ring;
        on->reached[count++] = neighbour;
      }
    for (size_t place = end; place < count; place++) take_color(on, on->reached[place], ring);
    begin = end;
    end = count;
  }
}

bool craster_bleed(uint8_t *pixels, int32_t width, int32_t height) {
  ptrdiff_t stride = (ptrdiff_t)width + 2;
  size_t count = (size_t)stride * ((size_t)height + 2);
  struct bleeding on = {
      pixels, width, height, stride, {-stride - 1, -stride, -stride + 1, -1, 1, stride - 1, stride, stride + 1}, NULL, NULL, NULL};
  on.distance = malloc(count + sizeof(uint64_t));
  on.colors = malloc(count * sizeof *on.colors);
  on.reached = malloc(count * sizeof *on.reached);
  bool is_done = on.distance && on.colors && on.reached;
  if (is_done) bleed(&on);
  free(on.distance);
  free(on.colors);
  free(on.reached);
  return is_done;
}
