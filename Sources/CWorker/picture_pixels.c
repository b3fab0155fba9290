// SPDX-License-Identifier: Apache-2.0
#include "CPicture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cpicture_free(struct cpicture_pixels *pixels) {
  free(pixels->memory);
  *pixels = (struct cpicture_pixels){0};
}

bool cpicture_crop(struct cpicture_pixels *pixels, int32_t left, int32_t top, int32_t width, int32_t height) {
  if (left < 0 || top < 0 || width < 1 || height < 1 || left > pixels->width - width || top > pixels->height - height)
    return false;
  pixels->bytes += (size_t)top * pixels->stride + (size_t)left * (size_t)pixels->channels;
  pixels->width = width;
  pixels->height = height;
  return true;
}

bool cpicture_place(struct cpicture_pixels *pixels, int32_t left, int32_t top, int32_t width, int32_t height) {
  if (left < 0 || top < 0 || left > width - pixels->width || top > height - pixels->height) return false;
  size_t stride = 4 * (size_t)width;
  uint8_t *canvas = calloc((size_t)height, stride);
  if (!canvas) return false;
  for (int32_t y = 0; y < pixels->height; y++) {
    const uint8_t *from = pixels->bytes + (size_t)y * pixels->stride;
    uint8_t *to = canvas + (size_t)(y + top) * stride + 4 * (size_t)left;
    for (int32_t x = 0; x < pixels->width; x++, from += pixels->channels, to += 4) {
      memcpy(to, from, 3);
      to[3] = pixels->channels == 4 ? from[3] : 255;
    }
  }
  cpicture_free(pixels);
  *pixels = (struct cpicture_pixels){
      .bytes = canvas, .width = width, .height = height, .channels = 4, .stride = stride, .memory = canvas};
  return true;
}

// The source pixels that a target pixel covers along one axis; the first and the last one in part.
struct cover {
  int32_t first;
  int32_t last;
  float first_share;
  float last_share;
};

static void fill(struct cover *covers, int32_t count, double extent, int32_t limit) {
  double step = extent / count;
  for (int32_t index = 0; index < count; index++) {
    double start = index * step;
    double end = (index + 1) * step;
    int32_t first = (int32_t)floor(start);
    int32_t last = (int32_t)ceil(end) - 1;
    if (last >= limit) last = limit - 1;
    if (first > last) first = last;
    covers[index] = (struct cover){first, last, (float)(fmin(end, first + 1) - start), (float)(end - last)};
  }
}

// Scales a row horizontally; channels are multiplied by alpha, which comes last.
static void narrow(const uint8_t *row, int32_t channels, const struct cover *covers, int32_t width, float *sums) {
  for (int32_t x = 0; x < width; x++, sums += 4) {
    const struct cover cover = covers[x];
    const uint8_t *from = row + (size_t)cover.first * (size_t)channels;
    float sum[4] = {0};
    float total = 0;
    for (int32_t index = cover.first; index <= cover.last; index++, from += channels) {
      float share = index == cover.first ? cover.first_share : index == cover.last ? cover.last_share : 1;
      float weight = channels == 4 ? share * from[3] : share * 255;
      for (int channel = 0; channel < 3; channel++) sum[channel] += weight * from[channel];
      sum[3] += weight;
      total += share;
    }
    for (int channel = 0; channel < 4; channel++) sums[channel] = sum[channel] / total;
  }
}

static void write_row(uint8_t *to, int32_t channels, int32_t width, const float *sums, float weight) {
  for (int32_t x = 0; x < width; x++, sums += 4, to += channels) {
    for (int channel = 0; channel < 3; channel++)
      to[channel] = sums[3] > 0 ? (uint8_t)fminf(sums[channel] / sums[3] + 0.5f, 255) : 0;
    if (channels == 4) to[3] = (uint8_t)fminf(sums[3] / weight + 0.5f, 255);
  }
}

// Scales in place: a row has been read completely when it is overwritten.
static void shrink_rows(struct cpicture_pixels *pixels, const struct cover *across, const struct cover *down,
                        int32_t width, int32_t height, float *row, float *sums) {
  size_t floats = 4 * (size_t)width;
  int32_t narrowed = -1;
  for (int32_t y = 0; y < height; y++) {
    const struct cover cover = down[y];
    float total = 0;
    memset(sums, 0, floats * sizeof *sums);
    for (int32_t index = cover.first; index <= cover.last; index++) {
      // The last row of a target pixel is often the first row of the next.
      if (index != narrowed) narrow(pixels->bytes + (size_t)index * pixels->stride, pixels->channels, across, width, row);
      narrowed = index;
      float share = index == cover.first ? cover.first_share : index == cover.last ? cover.last_share : 1;
      for (size_t place = 0; place < floats; place++) sums[place] += share * row[place];
      total += share;
    }
    write_row(pixels->bytes + (size_t)y * pixels->stride, pixels->channels, width, sums, total);
  }
}

// Copies the rows without the gaps between them.
static bool compact(struct cpicture_pixels *pixels, int32_t width, int32_t height) {
  size_t stride = (size_t)pixels->channels * (size_t)width;
  uint8_t *bytes = malloc(stride * (size_t)height);
  if (!bytes) return false;
  for (int32_t y = 0; y < height; y++)
    memcpy(bytes + (size_t)y * stride, pixels->bytes + (size_t)y * pixels->stride, stride);
  struct cpicture_pixels small = {
      .bytes = bytes, .width = width, .height = height, .channels = pixels->channels, .stride = stride, .memory = bytes};
  cpicture_free(pixels);
  *pixels = small;
  return true;
}

bool cpicture_shrink(struct cpicture_pixels *pixels, double across, double down, int32_t width, int32_t height) {
  if (width < 1 || height < 1 || width > pixels->width || height > pixels->height) return false;
  struct cover *columns = calloc((size_t)width, sizeof *columns);
  struct cover *rows = calloc((size_t)height, sizeof *rows);
  float *row = calloc((size_t)width, 4 * sizeof *row);
  float *sums = calloc((size_t)width, 4 * sizeof *sums);
  bool has_room = columns && rows && row && sums;
  if (has_room) {
    fill(columns, width, across, pixels->width);
    fill(rows, height, down, pixels->height);
    shrink_rows(pixels, columns, rows, width, height, row, sums);
  }
  free(columns), free(rows), free(row), free(sums);
  return has_room && compact(pixels, width, height);
}
