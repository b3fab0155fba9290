// SPDX-License-Identifier: Apache-2.0
// Decodes pictures with gdk-pixbuf, restricted to known loaders.
#ifndef CPIXBUF_H
#define CPIXBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The result of decoding.
enum cpixbuf_status {
  CPIXBUF_DECODED = 0,
  // No loader of this name is installed.
  CPIXBUF_NO_LOADER,
  // Memory ran out.
  CPIXBUF_NO_MEMORY,
  // The loader found another size than expected; nothing was decoded.
  CPIXBUF_OTHER_SIZE,
  // The loader ended before the picture was complete.
  CPIXBUF_INCOMPLETE,
  // The loader reported an error, in `message`.
  CPIXBUF_BROKEN,
};

struct cpixbuf_result {
  enum cpixbuf_status status;
  // The size of the decoded picture, or the size that the loader found.
  int32_t width;
  int32_t height;
  // The loader's message in UTF-8, terminated by a zero byte.
  char message[256];
};

// Decoded rows, with `channels` bytes for each pixel: red, green, blue and, with four channels, alpha.
struct cpixbuf_pixels {
  uint8_t *bytes;
  int32_t width;
  int32_t height;
  int32_t channels;
  // Bytes from one row to the next.
  size_t stride;
  // The object that owns the bytes; NULL when they were allocated by malloc.
  void *owner;
};

// Opens the loaders of these names; this process can use no others afterwards. Call it once, before the first
// `cpixbuf_decode`; the names must stay valid. A loader that is not installed is reported when decoding.
void cpixbuf_load(const char *const names[], size_t count);

// Decodes a still picture with a loader ("png", "jpeg", "gif", "webp", "avif"), which must find the given size.
// Only the JPEG loader supports a `reduction`: by 1, 2, 4 or 8, with sides rounded up. The caller frees the
// pixels after a success; `pixels` is NULL to check a picture only. The first call fixes the loaders of this
// process, all known ones unless `cpixbuf_load` was called, and silences warnings of GLib. Standard error is
// redirected during the call, except for fatal messages; concurrent calls wait for each other.
struct cpixbuf_result cpixbuf_decode(const char *name, const uint8_t *bytes, size_t count, int32_t width, int32_t height,
                                     int32_t reduction, struct cpixbuf_pixels *pixels);

// Places the pixels on a larger transparent canvas, which must contain them. False for lack of memory.
bool cpixbuf_place(struct cpixbuf_pixels *pixels, int32_t left, int32_t top, int32_t width, int32_t height);

// Scales the pixels down; each becomes the mean of the area that it covers, weighted by alpha. `across` and
// `down` are the size of the source area in pixels, less than one pixel smaller than the picture. False for
// lack of memory.
bool cpixbuf_shrink(struct cpixbuf_pixels *pixels, double across, double down, int32_t width, int32_t height);

// Receives a part of a file.
typedef void (*cpixbuf_take)(const uint8_t *bytes, size_t count, void *context);

// Writes a PNG file without metadata; false for lack of memory.
bool cpixbuf_write_png(const struct cpixbuf_pixels *pixels, cpixbuf_take take, void *context);

// Silences GLib's messages except fatal ones: writing them takes calls of the system that a sandbox forbids.
void cpixbuf_quieten(void);

void cpixbuf_free(struct cpixbuf_pixels *pixels);

// How many bytes zlib data have that are complete, with a valid checksum, and expand to at least that many bytes; 0 for others.
size_t cpixbuf_inflates(const uint8_t *bytes, size_t count, size_t expected);

// Expands the beginning of zlib data. Returns how many bytes were filled.
size_t cpixbuf_inflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t room);

// The CRC-32 of PNG's chunks.
uint32_t cpixbuf_checksum(const uint8_t *bytes, size_t count);

// Makes zlib data. Returns how many bytes they have; 0 for too little room.
size_t cpixbuf_deflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t room);

#endif
