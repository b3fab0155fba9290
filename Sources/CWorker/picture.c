// SPDX-License-Identifier: Apache-2.0
#include "picture_decoder.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  void (*decode)(struct decoding *);
  // Opens what is not linked; NULL where all is.
  void (*prepare)(void);
} formats[] = {
    {"png", decode_png, NULL},   {"jpeg", decode_jpeg, NULL}, {"gif", decode_gif, NULL},
    {"webp", decode_webp, NULL}, {"avif", decode_avif, prepare_avif},
};
enum { format_count = sizeof formats / sizeof formats[0] };

// The names given to `cpicture_prepare`; NULL where it was not called, and all formats are decoded.
static const char *const *wanted;
static size_t wanted_count;

static bool is_wanted(const char *name) {
  if (!wanted) return true;
  for (size_t index = 0; index < wanted_count; index++)
    if (strcmp(wanted[index], name) == 0) return true;
  return false;
}

static void prepare(void) {
  // An arena for each thread would take 128 MiB of the limited address space.
  mallopt(M_ARENA_MAX, 1);
  for (size_t index = 0; index < format_count; index++)
    if (formats[index].prepare && is_wanted(formats[index].name)) formats[index].prepare();
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

void prepare_pictures(void) { pthread_once(&once, prepare); }

void cpicture_prepare(const char *const names[], size_t count) {
  wanted = names;
  wanted_count = count;
  pthread_once(&once, prepare);
}

void decoding_fail(struct decoding *decoding, enum cpicture_status status, const char *message) {
  if (decoding->result.status != CPICTURE_DECODED) return;
  if (status == CPICTURE_BROKEN && errno == ENOMEM) status = CPICTURE_NO_MEMORY;
  decoding->result.status = status;
  if (message) snprintf(decoding->result.message, sizeof decoding->result.message, "%s", message);
}

bool decoding_expect(struct decoding *decoding, uint32_t width, uint32_t height) {
  bool is_expected = width == (uint32_t)decoding->width && height == (uint32_t)decoding->height;
  if (!is_expected) {
    decoding_fail(decoding, CPICTURE_OTHER_SIZE, NULL);
    decoding->result.width = width <= INT32_MAX ? (int32_t)width : INT32_MAX;
    decoding->result.height = height <= INT32_MAX ? (int32_t)height : INT32_MAX;
  }
  return is_expected;
}

bool decoding_allocate(struct decoding *decoding, int32_t width, int32_t height, int32_t channels, bool is_clear) {
  if (width < 1 || height < 1) {
    decoding_fail(decoding, CPICTURE_BROKEN, "it has no pixels");
    return false;
  }
  size_t stride = (size_t)width * (size_t)channels;
  uint8_t *bytes = is_clear ? calloc((size_t)height, stride) : reallocarray(NULL, (size_t)height, stride);
  if (!bytes) {
    decoding_fail(decoding, CPICTURE_NO_MEMORY, NULL);
    return false;
  }
  decoding->pixels = (struct cpicture_pixels){
      .bytes = bytes, .width = width, .height = height, .channels = channels, .stride = stride, .memory = bytes};
  decoding->result.width = width;
  decoding->result.height = height;
  return true;
}

void decoding_convert(struct decoding *decoding, const struct cpicture_colors *colors) {
  const struct cpicture_pixels *pixels = &decoding->pixels;
  if (decoding->result.has_other_colors) return;
  struct conversion *conversion = conversion_open(colors, decoding->kind, pixels->channels);
  if (!conversion) return;
  decoding->result.has_other_colors = true;
  for (int32_t y = 0; y < pixels->height; y++) {
    uint8_t *row = pixels->bytes + (size_t)y * pixels->stride;
    conversion_run(conversion, row, row, pixels->width);
  }
  conversion_close(conversion);
}

struct cpicture_result cpicture_decode(const char *name, const uint8_t *bytes, size_t count, int32_t width,
                                       int32_t height, int32_t reduction, const struct cpicture_colors *colors,
                                       struct cpicture_pixels *pixels) {
  pthread_once(&once, prepare);
  struct decoding decoding = {
      .bytes = bytes, .count = count, .width = width, .height = height, .reduction = reduction, .colors = colors};
  void (*decode)(struct decoding *) = NULL;
  for (size_t index = 0; index < format_count; index++)
    if (strcmp(formats[index].name, name) == 0 && is_wanted(name)) decode = formats[index].decode;
  errno = 0;
  if (decode) decode(&decoding);
  else decoding_fail(&decoding, CPICTURE_NO_DECODER, NULL);
  if (decoding.result.status == CPICTURE_DECODED && decoding.colors) decoding_convert(&decoding, decoding.colors);
  if (pixels && decoding.result.status == CPICTURE_DECODED) *pixels = decoding.pixels;
  else cpicture_free(&decoding.pixels);
  return decoding.result;
}
