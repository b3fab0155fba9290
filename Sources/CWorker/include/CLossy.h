// SPDX-License-Identifier: Apache-2.0
// Writes JPEG, WebP and AVIF files, with libjpeg-turbo, libwebp and libavif. libjpeg's errors use longjmp, which must not cross
// Swift frames.
#ifndef CLOSSY_H
#define CLOSSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A JPEG file being written.
struct cjpeg;

// Starts a file of that quality, 1 to 100, with a profile that says sRGB. From 90 on colours have the resolution of brightness; below, half of it. `density` is in
// dots per inch, or 0 for none. `xmp` is a packet of metadata, at most 65,000 bytes long, or NULL. NULL for lack of memory, and for a side
// of more than 65,500 pixels.
struct cjpeg *cjpeg_begin(uint32_t width, uint32_t height, int quality, uint16_t density, const uint8_t *xmp, size_t xmp_count);

// Compresses rows in Cairo's ARGB32, whose alpha is ignored; after the last one the file is complete. False for lack of memory
// and for excess rows.
bool cjpeg_write(struct cjpeg *self, const uint8_t *pixels, ptrdiff_t stride, uint32_t rows);

// The bytes that were ready when the last call of `cjpeg_write` returned, without earlier ones; valid until the next call.
size_t cjpeg_take(struct cjpeg *self, const uint8_t **bytes);

void cjpeg_free(struct cjpeg *self);

// A WebP file being written. It is compressed when all its rows are there: two bytes for a pixel are kept, and one more with alpha.
struct cwebp;

// Starts a file of that quality, 1 to 100. NULL for lack of memory, and for a side of more than 16,383 pixels.
struct cwebp *cwebp_begin(uint32_t width, uint32_t height, bool has_alpha, int quality);

// Starts a file without loss. `is_small` takes longer for a better compression. NULL as above.
struct cwebp *cwebp_begin_lossless(uint32_t width, uint32_t height, bool has_alpha, bool is_small);

// Takes rows in Cairo's ARGB32; their number is even, but for the last ones. False for lack of memory and for excess rows.
bool cwebp_write(struct cwebp *self, const uint8_t *pixels, ptrdiff_t stride, uint32_t rows);

// Compresses, and passes the bytes of the file in pieces and in order. False for lack of memory.
bool cwebp_finish(struct cwebp *self, void *context, void (*receive)(void *context, const uint8_t *bytes, size_t count));

void cwebp_free(struct cwebp *self);

// An AVIF file being written. It is compressed when all its rows are there.
struct cavif;

// Whether libavif and an encoder for it are installed.
bool cavif_is_available(void);

// Starts a file of that quality, 1 to 100; from 90 on colours have the resolution of brightness. NULL for lack of memory, and where
// there is no encoder.
struct cavif *cavif_begin(uint32_t width, uint32_t height, bool has_alpha, int quality);

// Takes rows in Cairo's ARGB32. False for excess rows.
bool cavif_write(struct cavif *self, const uint8_t *pixels, ptrdiff_t stride, uint32_t rows);

// Compresses, and passes the bytes of the file, with that packet of metadata if it has any bytes. False for lack of memory. Call it once.
bool cavif_finish(struct cavif *self, const uint8_t *xmp, size_t xmp_count, void *context,
                  void (*receive)(void *context, const uint8_t *bytes, size_t count));

void cavif_free(struct cavif *self);

#endif
