// SPDX-License-Identifier: Apache-2.0
#include "CLossy.h"

#include "CRaster.h"

#include <stdlib.h>
#include <string.h>

#include <webp/encode.h>

struct cwebp {
  WebPConfig config;
  WebPPicture picture;  // Brightness, colours of half the resolution, alpha; or red, green, blue and alpha without loss.
  uint32_t written;     // rows
  bool has_alpha;
  uint8_t *straight;  // Rows without premultiplied colours; NULL where there is no alpha.
  size_t straight_rows;
  void *context;
  void (*receive)(void *context, const uint8_t *bytes, size_t count);
};

// `effort` is 0 to 9, as of cwebp -z; -1 for a file with loss.
static struct cwebp *begin(uint32_t width, uint32_t height, bool has_alpha, int quality, int effort) {
  if (width > WEBP_MAX_DIMENSION || height > WEBP_MAX_DIMENSION) return NULL;
  struct cwebp *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->has_alpha = has_alpha;
  bool is_lossy = effort < 0;
  if (!WebPConfigPreset(&self->config, WEBP_PRESET_DRAWING, (float)quality) ||
      (!is_lossy && !WebPConfigLosslessPreset(&self->config, effort)) || !WebPPictureInit(&self->picture)) {
    free(self);
    return NULL;
  }
  // Otherwise it keeps several bytes for each pixel of a picture with much detail.
  self->config.low_memory = 1;
  self->picture.use_argb = !is_lossy;
  self->picture.colorspace = has_alpha ? WEBP_YUV420A : WEBP_YUV420;
  self->picture.width = (int)width;
  self->picture.height = (int)height;
  if (!WebPPictureAlloc(&self->picture)) {
    cwebp_free(self);
    return NULL;
  }
  return self;
}

struct cwebp *cwebp_begin(uint32_t width, uint32_t height, bool has_alpha, int quality) {
  return begin(width, height, has_alpha, quality, -1);
}

struct cwebp *cwebp_begin_lossless(uint32_t width, uint32_t height, bool has_alpha, bool is_small) {
  // A higher effort takes ten times as long, for a hundredth less.
  return begin(width, height, has_alpha, 75, is_small ? 7 : 6);
}

static void copy_plane(uint8_t *to, int to_stride, const uint8_t *from, int from_stride, int width, int rows) {
  for (int row = 0; row < rows; row++) memcpy(to + (ptrdiff_t)row * to_stride, from + (ptrdiff_t)row * from_stride, (size_t)width);
}

// Colours that are not premultiplied, as WebP stores them.
static bool make_straight(struct cwebp *self, const uint8_t *pixels, ptrdiff_t stride, uint32_t rows) {
  size_t row_size = 4 * (size_t)self->picture.width;
  if (rows > self->straight_rows) {
    free(self->straight);
    self->straight = malloc(row_size * rows);
    self->straight_rows = self->straight ? rows : 0;
  }
  if (!self->straight) return false;
  for (uint32_t row = 0; row < rows; row++)
    craster_png_row(pixels + (ptrdiff_t)row * stride, self->picture.width, true, self->straight + row * row_size);
  return true;
}

// Stores rows without loss.
static bool write_exactly(struct cwebp *self, const uint8_t *pixels, ptrdiff_t stride, uint32_t rows) {
  WebPPicture *whole = &self->picture;
  if (rows > (uint32_t)whole->height - self->written) return false;
  if (self->has_alpha && !make_straight(self, pixels, stride, rows)) return false;
  size_t row_size = 4 * (size_t)whole->width;
  for (uint32_t row = 0; row < rows; row++) {
    uint32_t *to = whole->argb + (ptrdiff_t)(self->written + row) * whole->argb_stride;
    if (self->has_alpha) {
      const uint8_t *from = self->straight + row * row_size;
      for (int x = 0; x < whole->width; x++, from += 4)
        to[x] = (uint32_t)from[3] << 24 | (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];
    } else {
      memcpy(to, pixels + (ptrdiff_t)row * stride, row_size);
      for (int x = 0; x < whole->width; x++) to[x] |= 0xFF000000u;
    }
  }
  self->written += rows;
  return true;
}

bool cwebp_write(struct cwebp *self, const uint8_t *pixels, ptrdiff_t stride, uint32_t rows) {
  WebPPicture *whole = &self->picture;
  if (whole->use_argb) return write_exactly(self, pixels, stride, rows);
  // Colours have half the rows: a part begins at an even one.
  if (self->written % 2 != 0 || rows > (uint32_t)whole->height - self->written) return false;
  WebPPicture part;
  if (!WebPPictureInit(&part)) return false;
  part.use_argb = 0;
  part.width = whole->width;
  part.height = (int)rows;
  bool is_read;
  if (self->has_alpha) {
    part.colorspace = WEBP_YUV420A;
    is_read = make_straight(self, pixels, stride, rows) && WebPPictureImportRGBA(&part, self->straight, 4 * whole->width);
  } else {
    part.colorspace = WEBP_YUV420;
    is_read = WebPPictureImportBGRX(&part, pixels, (int)stride);
  }
  if (is_read) {
    int top = (int)self->written, half = (whole->width + 1) / 2;
    copy_plane(whole->y + (ptrdiff_t)top * whole->y_stride, whole->y_stride, part.y, part.y_stride, whole->width, part.height);
    uint8_t *const to[] = {whole->u, whole->v};
    const uint8_t *const from[] = {part.u, part.v};
    for (int plane = 0; plane < 2; plane++)
      copy_plane(to[plane] + (ptrdiff_t)(top / 2) * whole->uv_stride, whole->uv_stride, from[plane], part.uv_stride, half,
                 (part.height + 1) / 2);
    if (self->has_alpha) {
      uint8_t *alpha = whole->a + (ptrdiff_t)top * whole->a_stride;
      // libwebp leaves the alpha out of a part that is opaque.
      if (part.a) {
        copy_plane(alpha, whole->a_stride, part.a, part.a_stride, whole->width, part.height);
      } else {
        for (int row = 0; row < part.height; row++) memset(alpha + (ptrdiff_t)row * whole->a_stride, 0xFF, (size_t)whole->width);
      }
    }
    self->written += rows;
  }
  WebPPictureFree(&part);
  return is_read;
}

static int pass(const uint8_t *bytes, size_t count, const WebPPicture *picture) {
  struct cwebp *self = picture->custom_ptr;
  self->receive(self->context, bytes, count);
  return 1;
}

bool cwebp_finish(struct cwebp *self, void *context, void (*receive)(void *context, const uint8_t *bytes, size_t count)) {
  if (self->written != (uint32_t)self->picture.height) return false;
  self->context = context;
  self->receive = receive;
  self->picture.writer = pass;
  self->picture.custom_ptr = self;
  return WebPEncode(&self->config, &self->picture);
}

void cwebp_free(struct cwebp *self) {
  WebPPictureFree(&self->picture);
  free(self->straight);
  free(self);
}
