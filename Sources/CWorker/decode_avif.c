// SPDX-License-Identifier: Apache-2.0
// Pictures of AVIF, with libavif.
#define _GNU_SOURCE
#include "avif_library.h"
#include "picture_decoder.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

// The beginning of an avifDecoder.
struct decoder {
  int codec, most_threads, source, allows_progressive, allows_incremental, ignores_exif, ignores_xmp;
  uint32_t most_pixels, longest_side, most_images, strictness;
  struct image *image;
};

enum { primary_item = 1 };

SAME(decoder, most_threads, avifDecoder, maxThreads);
SAME(decoder, source, avifDecoder, requestedSource);
SAME(decoder, ignores_exif, avifDecoder, ignoreExif);
SAME(decoder, ignores_xmp, avifDecoder, ignoreXMP);
SAME(decoder, image, avifDecoder, image);
_Static_assert(primary_item == (int)AVIF_DECODER_SOURCE_PRIMARY_ITEM, "sources");

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
    colors.profile = image->profile.data;
    colors.profile_count = image->profile.count;
  }
  decoding->kind = image->format == without_colours ? COLORS_GRAY : COLORS_RGB;
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
  place_pixels(&target, avif.version, decoding->pixels.bytes, (uint32_t)decoding->pixels.stride);
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
