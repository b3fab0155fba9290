// SPDX-License-Identifier: Apache-2.0
// AVIF with libavif. It is opened at run time, because it brings several codecs, which only a picture of this kind
// needs, and because its interface has another number in each release of Debian.
#define _GNU_SOURCE
#include "picture_decoder.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

// MARK: The interface of libavif 15 (0.11) and 16 (1.0 to 1.4), as far as it is used

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
  struct {
    uint8_t *bytes;
    size_t count;
  } profile;
  uint16_t primaries, transfer;
};

// The beginning of an avifDecoder.
struct decoder {
  int codec, most_threads, source, allows_progressive, allows_incremental, ignores_exif, ignores_xmp;
  uint32_t most_pixels, longest_side, most_images, strictness;
  struct image *image;
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

enum { target_rgb = 0, target_rgba = 1 };

enum { primary_item = 1 };

enum { without_colors = 4 };


// The declarations above are compared with the installed ones.
#include <avif/avif.h>
#include <stddef.h>
#define SAME(ours, our_field, theirs, their_field) \
  _Static_assert(offsetof(struct ours, our_field) == offsetof(theirs, their_field), #theirs "." #their_field)
SAME(image, width, avifImage, width);
SAME(image, height, avifImage, height);
SAME(image, format, avifImage, yuvFormat);
SAME(image, alpha, avifImage, alphaPlane);
SAME(image, profile.bytes, avifImage, icc.data);
SAME(image, profile.count, avifImage, icc.size);
SAME(image, primaries, avifImage, colorPrimaries);
SAME(image, transfer, avifImage, transferCharacteristics);
_Static_assert(sizeof(avifColorPrimaries) == 2 && sizeof(avifTransferCharacteristics) == 2, "code points");
SAME(decoder, most_threads, avifDecoder, maxThreads);
SAME(decoder, source, avifDecoder, requestedSource);
SAME(decoder, ignores_exif, avifDecoder, ignoreExif);
SAME(decoder, ignores_xmp, avifDecoder, ignoreXMP);
SAME(decoder, image, avifDecoder, image);
_Static_assert(without_colors == (int)AVIF_PIXEL_FORMAT_YUV400, "layouts");
_Static_assert(primary_item == (int)AVIF_DECODER_SOURCE_PRIMARY_ITEM, "sources");
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

// The functions, and which of the two interfaces they have; 0 where the library is not installed.
struct library {
  int version;
  void *handle;
  struct decoder *(*create)(void);
  void (*destroy)(struct decoder *);
  int (*set_memory)(struct decoder *, const uint8_t *, size_t);
  int (*parse)(struct decoder *);
  int (*next_image)(struct decoder *);
  void (*set_defaults)(struct target *, const struct image *);
  int (*convert)(const struct image *, struct target *);
  const char *(*message)(int);
};
static struct library avif;

// Copies of standard error and /dev/null, to redirect standard error during a decode: AV1 decoders write to it.
// Both are opened once, because the sandbox may forbid opening files; -1 on failure.
static int saved_stderr = -1;
static int dev_null = -1;

// Opens the library; its version is 0 where it is not installed, or lacks a function.
static struct library open_library(const char *name, int version) {
  struct library found = {0};
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return found;
  *(void **)&found.create = dlsym(library, "avifDecoderCreate");
  *(void **)&found.destroy = dlsym(library, "avifDecoderDestroy");
  *(void **)&found.set_memory = dlsym(library, "avifDecoderSetIOMemory");
  *(void **)&found.parse = dlsym(library, "avifDecoderParse");
  *(void **)&found.next_image = dlsym(library, "avifDecoderNextImage");
  *(void **)&found.set_defaults = dlsym(library, "avifRGBImageSetDefaults");
  *(void **)&found.convert = dlsym(library, "avifImageYUVToRGB");
  *(void **)&found.message = dlsym(library, "avifResultToString");
  bool is_whole = found.create && found.destroy && found.set_memory && found.parse && found.next_image &&
                  found.set_defaults && found.convert && found.message;
  if (is_whole) {
    found.version = version;
    found.handle = library;
  } else {
    dlclose(library);
  }
  return found;
}

void prepare_avif(void) {
  avif = open_library("libavif.so.16", 16);
  if (!avif.version) avif = open_library("libavif.so.15", 15);
  if (!avif.version) return;
  dev_null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  saved_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
}

void *avif_library(int *version) {
  prepare_pictures();
  *version = avif.version;
  return avif.handle;
}

// Whether the call succeeded; fails the decoding otherwise.
static bool succeeded(struct decoding *decoding, int result) {
  if (result) decoding_fail(decoding, CPICTURE_BROKEN, avif.message(result));
  return result == 0;
}

// The largest profile that is read, as in `PictureColors`.
static const size_t largest_profile = 4 << 20;

// The code points of a still picture, which are those of a film that says little or BT.709, mean sRGB, as in browsers.
static struct cpicture_colors colors_of_code_points(const struct image *image) {
  static const uint16_t as_srgb[] = {0, 1, 2, 6, 14, 15};
  struct cpicture_colors colors = {.primaries = image->primaries == 2 ? 1 : image->primaries, .transfer = image->transfer};
  for (size_t index = 0; index < sizeof as_srgb / sizeof as_srgb[0]; index++)
    if (image->transfer == as_srgb[index]) colors.transfer = 13;
  return colors;
}

// A profile goes before code points. These may be of the coded data.
static void convert_colors(struct decoding *decoding, const struct image *image) {
  struct cpicture_colors colors = colors_of_code_points(image);
  if (colors.primaries == 1 && colors.transfer == 13 && image->profile.count == 0) return;
  if (image->profile.count > 0) {
    if (image->profile.count > largest_profile) return;
    colors.profile = image->profile.bytes;
    colors.profile_count = image->profile.count;
  }
  decoding->kind = image->format == without_colors ? COLORS_GRAY : COLORS_RGB;
  decoding_convert(decoding, &colors);
}

static void convert(struct decoding *decoding, const struct image *image) {
  int32_t channels = image->alpha ? 4 : 3;
  // A decoded picture may have another size than its container says.
  if (!decoding_expect(decoding, image->width, image->height) ||
      !decoding_allocate(decoding, decoding->width, decoding->height, channels, false))
    return;
  struct target target;
  avif.set_defaults(&target, image);
  target.depth = 8;
  target.format = channels == 4 ? target_rgba : target_rgb;
  if (avif.version >= 16) {
    target.sixteen.pixels = decoding->pixels.bytes;
    target.sixteen.stride = (uint32_t)decoding->pixels.stride;
  } else {
    target.fifteen.pixels = decoding->pixels.bytes;
    target.fifteen.stride = (uint32_t)decoding->pixels.stride;
  }
  if (succeeded(decoding, avif.convert(image, &target)) && decoding->colors) convert_colors(decoding, image);
}

static void decode(struct decoding *decoding) {
  struct decoder *decoder = avif.create();
  if (!decoder) {
    decoding_fail(decoding, CPICTURE_NO_MEMORY, NULL);
    return;
  }
  // The still picture of a sequence is its primary item.
  decoder->source = primary_item;
  decoder->ignores_exif = decoder->ignores_xmp = 1;
  // The sandbox forbids more.
  decoder->most_threads = 1;
  if (succeeded(decoding, avif.set_memory(decoder, decoding->bytes, decoding->count)) &&
      succeeded(decoding, avif.parse(decoder)) &&
      decoding_expect(decoding, decoder->image->width, decoder->image->height) &&
      succeeded(decoding, avif.next_image(decoder)))
    convert(decoding, decoder->image);
  avif.destroy(decoder);
}

void decode_avif(struct decoding *decoding) {
  if (!avif.version) {
    decoding_fail(decoding, CPICTURE_NO_DECODER, NULL);
    return;
  }
  bool is_silent = dev_null >= 0 && saved_stderr >= 0;
  if (is_silent) dup2(dev_null, STDERR_FILENO);
  decode(decoding);
  if (is_silent) dup2(saved_stderr, STDERR_FILENO);
}
