// SPDX-License-Identifier: Apache-2.0
// AVIF files, with the encoder of libavif.
#include "CLossy.h"

#include "CRaster.h"
#include "avif_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// The beginning of an avifEncoder.
struct encoder {
  int codec, most_threads, speed, keyframes;
  uint64_t timescale;
  union {
    // From 0, the best, to 63.
    struct {
      int least, most, least_alpha, most_alpha;
    } fifteen;
    // From 0 to 100, the best.
    struct {
      int repetitions;
      uint32_t layers;
      int quality, quality_alpha;
    } sixteen;
  };
};

enum { can_encode = 2 };
// sRGB: the colours of BT.709, its own curve, and the matrix of BT.601, as avifenc writes it.
enum { srgb_primaries = 1, srgb_transfer = 13, srgb_matrix = 6 };

SAME(encoder, most_threads, avifEncoder, maxThreads);
SAME(encoder, speed, avifEncoder, speed);
_Static_assert(can_encode == (int)AVIF_CODEC_FLAG_CAN_ENCODE, "flags");
#if AVIF_VERSION_MAJOR >= 1
SAME(encoder, sixteen.quality, avifEncoder, quality);
SAME(encoder, sixteen.quality_alpha, avifEncoder, qualityAlpha);
#else
SAME(encoder, fifteen.least, avifEncoder, minQuantizer);
SAME(encoder, fifteen.most_alpha, avifEncoder, maxQuantizerAlpha);
#endif

// MARK: The library

// The functions, and which of the two interfaces they have; 0 where the library or an encoder is not installed.
struct library {
  int version;
  const char *(*codec)(int choice, uint32_t flags);
  struct image *(*create_picture)(uint32_t width, uint32_t height, uint32_t depth, int format);
  void (*destroy_picture)(struct image *);
  int (*set_xmp)(struct image *, const uint8_t *, size_t);
  void (*set_defaults)(struct target *, const struct image *);
  int (*convert)(struct image *, const struct target *);
  struct encoder *(*create)(void);
  void (*destroy)(struct encoder *);
  int (*write)(struct encoder *, const struct image *, struct bytes *);
  void (*free_bytes)(struct bytes *);
};

static struct library open_library(void) {
  struct library found = {0};
  int version;
  void *library = avif_library(&version);
  if (!library) return found;
  *(void **)&found.codec = dlsym(library, "avifCodecName");
  *(void **)&found.create_picture = dlsym(library, "avifImageCreate");
  *(void **)&found.destroy_picture = dlsym(library, "avifImageDestroy");
  *(void **)&found.set_xmp = dlsym(library, "avifImageSetMetadataXMP");
  *(void **)&found.set_defaults = dlsym(library, "avifRGBImageSetDefaults");
  *(void **)&found.convert = dlsym(library, "avifImageRGBToYUV");
  *(void **)&found.create = dlsym(library, "avifEncoderCreate");
  *(void **)&found.destroy = dlsym(library, "avifEncoderDestroy");
  *(void **)&found.write = dlsym(library, "avifEncoderWrite");
  *(void **)&found.free_bytes = dlsym(library, "avifRWDataFree");
  bool is_whole = found.codec && found.create_picture && found.destroy_picture && found.set_xmp && found.set_defaults &&
                  found.convert && found.create && found.destroy && found.write && found.free_bytes;
  // A library may have been built without an encoder.
  if (is_whole && found.codec(0, can_encode)) found.version = version;
  return found;
}

// MARK: Writing

// From this quality on colours are not halved, as in JPEG.
static const int full_colour_quality = 90;

struct cavif {
  struct library avif;
  struct image *picture;
  uint8_t *pixels;  // Red, green, blue, and alpha if there is any; not premultiplied.
  uint32_t written; // rows
  int32_t channels;
  int quality;
};

bool cavif_is_available(void) { return open_library().version > 0; }

struct cavif *cavif_begin(uint32_t width, uint32_t height, bool has_alpha, int quality) {
  struct cavif *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->avif = open_library();
  self->channels = has_alpha ? 4 : 3;
  self->quality = quality;
  if (self->avif.version)
    self->picture =
        self->avif.create_picture(width, height, 8, quality >= full_colour_quality ? full_colours : half_colours);
  if (self->picture) self->pixels = reallocarray(NULL, height, (size_t)width * (size_t)self->channels);
  if (!self->pixels) {
    cavif_free(self);
    return NULL;
  }
  self->picture->primaries = srgb_primaries;
  self->picture->transfer = srgb_transfer;
  self->picture->matrix = srgb_matrix;
  return self;
}

bool cavif_write(struct cavif *self, const uint8_t *pixels, ptrdiff_t stride, uint32_t rows) {
  if (rows > self->picture->height - self->written) return false;
  size_t row_size = (size_t)self->picture->width * (size_t)self->channels;
  for (uint32_t row = 0; row < rows; row++)
    craster_png_row(pixels + (ptrdiff_t)row * stride, (int32_t)self->picture->width, self->channels == 4,
                    self->pixels + (self->written + row) * row_size);
  self->written += rows;
  return true;
}

static bool convert(struct cavif *self) {
  struct target target;
  self->avif.set_defaults(&target, self->picture);
  target.depth = 8;
  target.format = self->channels == 4 ? target_rgba : target_rgb;
  place_pixels(&target, self->avif.version, self->pixels, self->picture->width * (uint32_t)self->channels);
  bool is_converted = self->avif.convert(self->picture, &target) == 0;
  // The encoder needs the memory.
  free(self->pixels);
  self->pixels = NULL;
  return is_converted;
}

bool cavif_finish(struct cavif *self, const uint8_t *xmp, size_t xmp_count, void *context,
                  void (*receive)(void *context, const uint8_t *bytes, size_t count)) {
  if (self->written != self->picture->height || !self->pixels || !convert(self)) return false;
  if (xmp_count > 0) self->avif.set_xmp(self->picture, xmp, xmp_count);
  struct encoder *encoder = self->avif.create();
  if (!encoder) return false;
  encoder->most_threads = 1;
  encoder->speed = 6;
  // Edges stay sharp: the alpha is without loss.
  if (self->avif.version >= 16) {
    encoder->sixteen.quality = self->quality;
    encoder->sixteen.quality_alpha = 100;
  } else {
    encoder->fifteen.least = encoder->fifteen.most = ((100 - self->quality) * 63 + 50) / 100;
    encoder->fifteen.least_alpha = encoder->fifteen.most_alpha = 0;
  }
  struct bytes file = {0};
  bool is_written = self->avif.write(encoder, self->picture, &file) == 0;
  if (is_written) receive(context, file.data, file.count);
  self->avif.free_bytes(&file);
  self->avif.destroy(encoder);
  return is_written;
}

void cavif_free(struct cavif *self) {
  if (self->picture) self->avif.destroy_picture(self->picture);
  free(self->pixels);
  free(self);
}
