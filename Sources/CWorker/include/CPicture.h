// SPDX-License-Identifier: Apache-2.0
// Decodes pictures with the library of each format: libpng, libjpeg, libwebp, libavif; GIF is decoded here.
#ifndef CPICTURE_H
#define CPICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The result of decoding.
enum cpicture_status {
  CPICTURE_DECODED = 0,
  // The decoder of this format was not prepared, or its library is not installed.
  CPICTURE_NO_DECODER,
  // Memory ran out.
  CPICTURE_NO_MEMORY,
  // The decoder found another size than expected; nothing was decoded.
  CPICTURE_OTHER_SIZE,
  // The data ended before the picture was complete.
  CPICTURE_INCOMPLETE,
  // The decoder reported an error, in `message`.
  CPICTURE_BROKEN,
};

// What the numbers of a picture mean, in one of three ways. Without any of them they are colours of sRGB.
struct cpicture_colors {
  // A colour profile (ICC); NULL for none.
  const uint8_t *profile;
  size_t profile_count;
  // PNG's gAMA: the exponent of the file times 100,000; 0 for none.
  uint32_t gamma;
  // PNG's cHRM: x and y of white, red, green and blue, times 100,000; without them they are those of sRGB.
  bool has_points;
  uint32_t points[8];
  // Code points of ITU-T H.273.
  int32_t primaries;
  int32_t transfer;
};

struct cpicture_result {
  enum cpicture_status status;
  // The size of the decoded picture, or the size that the decoder found.
  int32_t width;
  int32_t height;
  // Whether the numbers are not those of sRGB; the pixels are, they have been converted.
  bool has_other_colors;
  // The decoder's message in UTF-8, terminated by a zero byte.
  char message[256];
};

// Decoded rows, with `channels` bytes for each pixel: red, green, blue and, with four channels, alpha.
struct cpicture_pixels {
  // The first pixel.
  uint8_t *bytes;
  int32_t width;
  int32_t height;
  int32_t channels;
  // Bytes from one row to the next.
  size_t stride;
  // What was allocated; a cropped picture begins behind its start.
  void *memory;
};

// Opens the libraries of these formats that are not linked; this process decodes no others afterwards. Call it
// once, before the first `cpicture_decode`; the names must stay valid. A library that is not installed is
// reported when decoding.
void cpicture_prepare(const char *const names[], size_t count);

// Decodes a still picture of a format ("png", "jpeg", "gif", "webp", "avif"), whose size as stored must be the
// given one. Only JPEG supports a `reduction`: by 1, 2, 4 or 8, with sides rounded up. The caller frees the
// pixels after a success; `pixels` is NULL to check a picture only. Pixels are converted to sRGB from `colors`, or for AVIF from what
// the file says; `colors` is NULL to leave them as they are. Colours that cannot be used count as those of sRGB. The first call fixes the formats of this
// process, all of them unless `cpicture_prepare` was called. While libavif decodes, standard error is redirected
// to /dev/null: use one thread.
struct cpicture_result cpicture_decode(const char *name, const uint8_t *bytes, size_t count, int32_t width,
                                       int32_t height, int32_t reduction, const struct cpicture_colors *colors,
                                       struct cpicture_pixels *pixels);

// Whether the colours of these code points can be converted.
bool cpicture_has_code_points(int32_t primaries, int32_t transfer);

// Keeps only a part of the pixels, without copying them. False for a part that is outside.
bool cpicture_crop(struct cpicture_pixels *pixels, int32_t left, int32_t top, int32_t width, int32_t height);

// Places the pixels on a larger transparent canvas, which must contain them. False for lack of memory.
bool cpicture_place(struct cpicture_pixels *pixels, int32_t left, int32_t top, int32_t width, int32_t height);

// Scales the pixels down; each becomes the mean of the area that it covers, weighted by alpha. `across` and
// `down` are the size of the source area in pixels, less than one pixel smaller than the picture. False for
// lack of memory.
bool cpicture_shrink(struct cpicture_pixels *pixels, double across, double down, int32_t width, int32_t height);

// Receives a part of a file.
typedef void (*cpicture_take)(const uint8_t *bytes, size_t count, void *context);

// Writes a PNG file without metadata; false for lack of memory.
bool cpicture_write_png(const struct cpicture_pixels *pixels, cpicture_take take, void *context);

void cpicture_free(struct cpicture_pixels *pixels);

// How many bytes zlib data have that are complete, with a valid checksum, and expand to at least that many bytes; 0 for others.
size_t cpicture_inflates(const uint8_t *bytes, size_t count, size_t expected);

// Expands the beginning of zlib data. Returns how many bytes were filled.
size_t cpicture_inflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t room);

// The CRC-32 of PNG's chunks.
uint32_t cpicture_checksum(const uint8_t *bytes, size_t count);

// Makes zlib data. Returns how many bytes they have; 0 for too little room.
size_t cpicture_deflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t room);

#endif
