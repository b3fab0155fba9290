// SPDX-License-Identifier: Apache-2.0
// What decoding and encoding use of libavif 15 (0.11) and 16 (1.0 to 1.4), compared with the installed declarations.
#ifndef CAVIF_LIBRARY_H
#define CAVIF_LIBRARY_H

#include <avif/avif.h>
#include <stddef.h>
#include <stdint.h>

// The beginning of an avifImage.
struct image {
  uint32_t width, height, depth;
  int format, range, position;
  uint8_t *planes[3];
  uint32_t strides[3];
  int owns_planes;
  uint8_t *alpha;
  uint32_t alpha_stride;
  int owns_alpha, is_premultiplied;
  struct bytes {
    uint8_t *data;
    size_t count;
  } profile;
  uint16_t primaries, transfer, matrix;
};

// An avifRGBImage.
struct target {
  uint32_t width, height, depth;
  int format, upsampling, downsampling, avoids_yuv, ignores_alpha, is_premultiplied, is_float;
  union {
    struct {
      uint8_t *pixels;
      uint32_t stride;
    } fifteen;
    struct {
      int most_threads;
      uint8_t *pixels;
      uint32_t stride;
    } sixteen;
    // For fields that a later release adds.
    uint8_t room[128];
  };
};

enum { target_rgb = 0, target_rgba = 1, full_colours = 1, half_colours = 3, without_colours = 4 };

#define SAME(ours, our_field, theirs, their_field) \
  _Static_assert(offsetof(struct ours, our_field) == offsetof(theirs, their_field), #theirs "." #their_field)
SAME(image, width, avifImage, width);
SAME(image, height, avifImage, height);
SAME(image, format, avifImage, yuvFormat);
SAME(image, alpha, avifImage, alphaPlane);
SAME(image, profile.data, avifImage, icc.data);
SAME(image, profile.count, avifImage, icc.size);
SAME(image, primaries, avifImage, colorPrimaries);
SAME(image, transfer, avifImage, transferCharacteristics);
SAME(image, matrix, avifImage, matrixCoefficients);
_Static_assert(sizeof(avifColorPrimaries) == 2 && sizeof(avifTransferCharacteristics) == 2 &&
                   sizeof(avifMatrixCoefficients) == 2,
               "code points");
_Static_assert(full_colours == (int)AVIF_PIXEL_FORMAT_YUV444 && half_colours == (int)AVIF_PIXEL_FORMAT_YUV420 &&
                   without_colours == (int)AVIF_PIXEL_FORMAT_YUV400,
               "layouts");
_Static_assert(sizeof(struct target) >= sizeof(avifRGBImage), "room");
SAME(target, depth, avifRGBImage, depth);
SAME(target, format, avifRGBImage, format);
_Static_assert(target_rgb == (int)AVIF_RGB_FORMAT_RGB && target_rgba == (int)AVIF_RGB_FORMAT_RGBA, "formats");
#if AVIF_VERSION_MAJOR >= 1
SAME(target, sixteen.pixels, avifRGBImage, pixels);
SAME(target, sixteen.stride, avifRGBImage, rowBytes);
#else
SAME(target, fifteen.pixels, avifRGBImage, pixels);
SAME(target, fifteen.stride, avifRGBImage, rowBytes);
#endif

// The library, opened once at run time, because it brings several codecs, which only a picture of this kind needs.
// `version` is its interface, 15 or 16. NULL where it is not installed, or was not opened.
void *avif_library(int *version);

// Sets where the pixels of a target are.
static inline void place_pixels(struct target *target, int version, uint8_t *pixels, uint32_t stride) {
  if (version >= 16) {
    target->sixteen.pixels = pixels;
    target->sixteen.stride = stride;
  } else {
    target->fifteen.pixels = pixels;
    target->fifteen.stride = stride;
  }
}

#endif
