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
};

// The beginning of an avifDecoder.
struct decoder {
  int codec, most_threads, source, allows_progressive, allows_incremental, ignores_exif, ignores_xmp;
  uint32_t most_pixels, longest_side, most_images, strictness;
  struct image *image;
  int image_index, image_count;
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

// The declarations above are compared with the installed ones.
#if __has_include(<avif/avif.h>)
#include <avif/avif.h>
#include <stddef.h>
#define SAME(ours, our_field, theirs, their_field) \
  _Static_assert(offsetof(struct ours, our_field) == offsetof(theirs, their_field), #theirs "." #their_field)
SAME(image, width, avifImage, width);
SAME(image, alpha, avifImage, alphaPlane);
SAME(decoder, image, avifDecoder, image);
SAME(decoder, image_count, avifDecoder, imageCount);
SAME(target, depth, avifRGBImage, depth);
SAME(target, format, avifRGBImage, format);
_Static_assert(target_rgb == AVIF_RGB_FORMAT_RGB && target_rgba == AVIF_RGB_FORMAT_RGBA, "formats");
#if AVIF_VERSION_MAJOR >= 1
SAME(target, sixteen.pixels, avifRGBImage, pixels);
SAME(target, sixteen.stride, avifRGBImage, rowBytes);
#else
SAME(target, fifteen.pixels, avifRGBImage, pixels);
SAME(target, fifteen.stride, avifRGBImage, rowBytes);
#endif
#endif

// The functions, and which of the two interfaces they have; 0 where the library is not installed.
static struct {
  int version;
  struct decoder *(*create)(void);
  void (*destroy)(struct decoder *);
  int (*set_memory)(struct decoder *, const uint8_t *, size_t);
  int (*parse)(struct decoder *);
  int (*next_image)(struct decoder *);
  void (*set_defaults)(struct target *, const struct image *);
  int (*convert)(const struct image *, struct target *);
  const char *(*words)(int);
} avif;

// Copies of standard error and /dev/null, to redirect standard error during a decode: AV1 decoders write to it.
// Both are opened once, because the sandbox may forbid opening files; -1 on failure.
static int complaints = -1;
static int nowhere = -1;

void prepare_avif(void) {
  static const struct {
    const char *name;
    int version;
  } libraries[] = {{"libavif.so.16", 16}, {"libavif.so.15", 15}};
  void *library = NULL;
  int version = 0;
  for (size_t index = 0; index < 2 && !library; index++) {
    library = dlopen(libraries[index].name, RTLD_NOW | RTLD_LOCAL);
    version = libraries[index].version;
  }
  if (!library) return;
  *(void **)&avif.create = dlsym(library, "avifDecoderCreate");
  *(void **)&avif.destroy = dlsym(library, "avifDecoderDestroy");
  *(void **)&avif.set_memory = dlsym(library, "avifDecoderSetIOMemory");
  *(void **)&avif.parse = dlsym(library, "avifDecoderParse");
  *(void **)&avif.next_image = dlsym(library, "avifDecoderNextImage");
  *(void **)&avif.set_defaults = dlsym(library, "avifRGBImageSetDefaults");
  *(void **)&avif.convert = dlsym(library, "avifImageYUVToRGB");
  *(void **)&avif.words = dlsym(library, "avifResultToString");
  if (avif.create && avif.destroy && avif.set_memory && avif.parse && avif.next_image && avif.set_defaults &&
      avif.convert && avif.words)
    avif.version = version;
  nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  complaints = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
}

// Whether the call succeeded; fails the decoding otherwise.
static bool is_well(struct decoding *decoding, int result) {
  if (result) decoding_fail(decoding, CPICTURE_BROKEN, avif.words(result));
  return result == 0;
}

static void convert(struct decoding *decoding, const struct image *image) {
  int32_t channels = image->alpha ? 4 : 3;
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
  is_well(decoding, avif.convert(image, &target));
}

static void decode(struct decoding *decoding) {
  struct decoder *decoder = avif.create();
  if (!decoder) return decoding_fail(decoding, CPICTURE_NO_MEMORY, NULL);
  if (is_well(decoding, avif.set_memory(decoder, decoding->bytes, decoding->count)) &&
      is_well(decoding, avif.parse(decoder))) {
    if (decoder->image_count > 1) decoding_fail(decoding, CPICTURE_BROKEN, "it is a sequence");
    else if (is_well(decoding, avif.next_image(decoder))) convert(decoding, decoder->image);
  }
  avif.destroy(decoder);
}

void decode_avif(struct decoding *decoding) {
  if (!avif.version) return decoding_fail(decoding, CPICTURE_NO_DECODER, NULL);
  bool is_silent = nowhere >= 0 && complaints >= 0;
  if (is_silent) dup2(nowhere, STDERR_FILENO);
  decode(decoding);
  if (is_silent) dup2(complaints, STDERR_FILENO);
}
