// SPDX-License-Identifier: Apache-2.0
// gdk-pixbuf, with the loaders that are named here and no others.
#ifndef CPIXBUF_H
#define CPIXBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How a decode ended.
enum cpixbuf_status {
  CPIXBUF_DECODED = 0,
  // No loader of this name is installed.
  CPIXBUF_NO_LOADER,
  // Memory ran out.
  CPIXBUF_NO_MEMORY,
  // The loader found another size than it was told; nothing was decoded.
  CPIXBUF_OTHER_SIZE,
  // The loader ended without all of the picture.
  CPIXBUF_INCOMPLETE,
  // The loader says that something is wrong, in `message`.
  CPIXBUF_BROKEN,
};

struct cpixbuf_result {
  enum cpixbuf_status status;
  // Of the decoded picture, or what the loader found instead of what it was told.
  int32_t width;
  int32_t height;
  // The loader's words, UTF-8, ended by a zero.
  char message[256];
};

// What was decoded: rows of pixels, each of `channels` bytes: red, green, blue and, when there are four, alpha.
struct cpixbuf_pixels {
  uint8_t *bytes;
  int32_t width;
  int32_t height;
  int32_t channels;
  // Bytes from a row to the next.
  size_t stride;
  // What the bytes are a part of; NULL when they are their own.
  void *owner;
};

// Opens the loaders of these names, and settles that there are no others in this process. Before the first `cpixbuf_decode`, and
// once; the names must stay where they are. A loader that is not installed is missing later, too.
void cpixbuf_load(const char *const names[], size_t count);

// Decodes a still picture with the loader of that name ("png", "jpeg", "gif", "webp", "avif"). The size is the one that the loader
// must find. Only JPEG's can make it smaller meanwhile: by 1, 2, 4 or 8, sides rounded up. The caller frees the pixels, which are
// there when it was decoded; for a trial, `pixels` is NULL. The first call settles for the process which loaders there are, all of
// these where `cpixbuf_load` was not called, and that glib writes no warnings. Standard error is silent during the call, but for
// what ends the process; one call waits for another.
struct cpixbuf_result cpixbuf_decode(const char *name, const uint8_t *bytes, size_t count, int32_t width, int32_t height,
                                     int32_t reduction, struct cpixbuf_pixels *pixels);

// Puts them on a canvas that is clear elsewhere, of which nothing lies outside of it. False when there is no memory for that.
bool cpixbuf_place(struct cpixbuf_pixels *pixels, int32_t left, int32_t top, int32_t width, int32_t height);

// Makes them smaller: each pixel becomes the mean of what it covers, by area and alpha. What is made smaller reaches so far in pixels,
// which is more than one pixel less than there are in no direction. False when there is no memory for that.
bool cpixbuf_shrink(struct cpixbuf_pixels *pixels, double across, double down, int32_t width, int32_t height);

// Takes a part of a file.
typedef void (*cpixbuf_take)(const uint8_t *bytes, size_t count, void *context);

// Writes a PNG file without metadata; false when there is no memory for that.
bool cpixbuf_write_png(const struct cpixbuf_pixels *pixels, cpixbuf_take take, void *context);

void cpixbuf_free(struct cpixbuf_pixels *pixels);

// Whether data of zlib are whole, with their sum, and stand for so many bytes at least.
bool cpixbuf_inflates(const uint8_t *bytes, size_t count, size_t expected);

#endif
