// SPDX-License-Identifier: Apache-2.0
#include "CRaster.h"

#include <stdlib.h>
#include <string.h>

// With less alpha than `faint`, a channel has too few values for a colour. A colour that goes on has so many `steps`, which compress well. A pixel's distance from the others is 0, or the ring in which it
// got its colour, up to `last`; it is `open` without one, and `edge` in the padding around the picture.
enum { faint = 32, steps = 7, last = 250, open = 254, edge = 255 };

// A picture with a padding of one pixel on each side, so that each pixel has eight neighbours.
struct spreading {
  uint8_t *pixels;
  int32_t width;
  int32_t height;
  // Pixels from one row to the next.
  ptrdiff_t stride;
  ptrdiff_t neighbours[8];
  uint8_t *distance;
  // The pixels that colours spread from, nearest first.
  uint32_t *reached;
};

static uint8_t *pixel_at(const struct spreading *on, ptrdiff_t index) {
  // 32-bit numbers are divided faster.
  uint32_t row = (uint32_t)index / (uint32_t)on->stride, column = (uint32_t)index % (uint32_t)on->stride;
  return on->pixels + 4 * ((ptrdiff_t)(row - 1) * on->width + column - 1);
}

// Divides the colours by their alpha, which is moved into a plane of its own.
static void divide(struct spreading *on, uint8_t *alpha, ptrdiff_t alpha_stride) {
  memset(on->distance, edge, (size_t)(on->stride * (on->height + 2)));
  for (int32_t y = 0; y < on->height; y++)
    for (int32_t x = 0; x < on->width; x++) {
      uint8_t *pixel = on->pixels + 4 * ((ptrdiff_t)y * on->width + x);
      const uint32_t share = pixel[3];
      for (int32_t channel = 0; share && share < 255 && channel < 3; channel++) {
        uint32_t value = (pixel[channel] * 255u + share / 2u) / share;
        pixel[channel] = (uint8_t)(value < 255 ? value : 255);
      }
      alpha[y * alpha_stride + x] = (uint8_t)share;
      pixel[3] = 255;
      on->distance[(y + 1) * on->stride + x + 1] = share < faint ? open : 0;
    }
}

// Finds the pixels of the first ring's neighbours.
static size_t find_edge(struct spreading *on) {
  size_t count = 0;
  for (ptrdiff_t index = on->stride + 1; index < on->stride * (on->height + 1); index++) {
    bool is_near = false;
    for (int32_t which = 0; on->distance[index] == 0 && !is_near && which < 8; which++)
      is_near = on->distance[index + on->neighbours[which]] == open;
    if (is_near) on->reached[count++] = (uint32_t)index;
  }
  return count;
}

// Gives a pixel of a ring the mean colour of its nearer neighbours.
static void take_color(struct spreading *on, ptrdiff_t index, uint8_t ring) {
  uint32_t sums[3] = {0}, near = 0;
  for (int32_t which = 0; which < 8; which++) {
    ptrdiff_t neighbour = index + on->neighbours[which];
    if (on->distance[neighbour] >= ring) continue;
    near++;
    const uint8_t *color = pixel_at(on, neighbour);
    for (int32_t channel = 0; channel < 3; channel++) sums[channel] += color[channel];
  }
  uint8_t *pixel = pixel_at(on, index);
  for (int32_t channel = 0; near && channel < 3; channel++)
    pixel[channel] = (uint8_t)((sums[channel] / near * steps + 127) / 255 * 255 / steps);
}

static void spread(struct spreading *on, int32_t rings) {
  size_t begin = 0, end = find_edge(on);
  for (uint8_t ring = 1; ring <= rings && begin < end; ring++) {
    size_t count = end;
    for (size_t place = begin; place < end; place++)
      for (int32_t which = 0; which < 8; which++) {
        uint32_t neighbour = (uint32_t)(on->reached[place] + on->neighbours[which]);
        if (on->distance[neighbour] != open) continue;
        on->distance[neighbour] = ring;
        on->reached[count++] = neighbour;
      }
    for (size_t place = end; place < count; place++) take_color(on, on->reached[place], ring);
    begin = end;
    end = count;
  }
}

bool craster_separate(uint8_t *pixels, int32_t width, int32_t height, int32_t rings, uint8_t *alpha, ptrdiff_t alpha_stride) {
  ptrdiff_t stride = (ptrdiff_t)width + 2;
  size_t count = (size_t)stride * ((size_t)height + 2);
  struct spreading on = {
      pixels, width, height, stride, {-stride - 1, -stride, -stride + 1, -1, 1, stride - 1, stride, stride + 1}, NULL, NULL};
  on.distance = malloc(count);
  on.reached = malloc(count * sizeof *on.reached);
  bool is_done = on.distance && on.reached;
  if (is_done) {
    divide(&on, alpha, alpha_stride);
    spread(&on, rings < last ? rings : last);
  }
  free(on.distance);
  free(on.reached);
  return is_done;
}
