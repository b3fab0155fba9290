// SPDX-License-Identifier: Apache-2.0
// The interface of the decoders, one file for each format.
#ifndef CPICTURE_DECODER_H
#define CPICTURE_DECODER_H

#include "CPicture.h"

// The colours that a picture's numbers are of. CMYK is inverted in files with Adobe's marker: 255 is no ink.
enum color_kind { COLORS_RGB, COLORS_GRAY, COLORS_CMYK, COLORS_INVERTED_CMYK };

// A picture that is being decoded. A decoder reads the first fields and fills in the result and the pixels by the functions
// below.
struct decoding {
  const uint8_t *bytes;
  size_t count;
  // The size that it must find.
  int32_t width;
  int32_t height;
  // JPEG only: 1, 2, 4 or 8.
  int32_t reduction;
  // NULL to leave the numbers as they are. The decoder of AVIF finds the colours itself.
  const struct cpicture_colors *colors;
  // Set by the decoder; grey numbers are repeated as red, green and blue.
  enum color_kind kind;

  struct cpicture_result result;
  struct cpicture_pixels pixels;
};

// Decodes; the result is CPICTURE_DECODED unless it was changed by `decoding_fail`.
void decode_png(struct decoding *decoding);
void decode_jpeg(struct decoding *decoding);
void decode_gif(struct decoding *decoding);
void decode_webp(struct decoding *decoding);
void decode_avif(struct decoding *decoding);

// Opens what is not linked, once; formats that are not wanted stay closed.
void prepare_pictures(void);

// Opens libavif; does nothing where it is not installed.
void prepare_avif(void);

// Whether the size that the decoder found is the expected one; fails the decoding otherwise.
bool decoding_expect(struct decoding *decoding, uint32_t width, uint32_t height);

// Allocates the pixels; fails the decoding for lack of memory. `is_clear` sets all bytes to zero.
bool decoding_allocate(struct decoding *decoding, int32_t width, int32_t height, int32_t channels, bool is_clear);

// Converts the pixels to sRGB in place, unless they have been converted.
void decoding_convert(struct decoding *decoding, const struct cpicture_colors *colors);

// Sets the reason, unless there is one already. A library's message may be NULL. CPICTURE_BROKEN with `errno`
// ENOMEM counts as lack of memory, because not every library says so.
void decoding_fail(struct decoding *decoding, enum cpicture_status status, const char *message);

// MARK: Colours

// Opens a conversion to sRGB, of pixels with that many bytes to the same, or of CMYK to three bytes. NULL where the numbers are those of
// sRGB already, and for colours that cannot be used: of another kind, damaged.
struct conversion *conversion_open(const struct cpicture_colors *colors, enum color_kind kind, int32_t channels);

// Converts a row, in place unless it is of CMYK.
void conversion_run(const struct conversion *self, const uint8_t *from, uint8_t *to, int32_t width);

// NULL is ignored.
void conversion_close(struct conversion *self);

#endif
