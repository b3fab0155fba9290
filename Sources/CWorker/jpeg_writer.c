// SPDX-License-Identifier: Apache-2.0
#include "CLossy.h"

#include "srgb_profile.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

// The bytes for libjpeg to write into at first.
static const size_t least_room = 1 << 16;
// From this quality on colours are not halved: text and edges of pure colours stay sharp.
static const int full_colour_quality = 90;

struct cjpeg {
  struct jpeg_compress_struct file;
  struct jpeg_error_mgr errors;
  struct jpeg_destination_mgr destination;
  jmp_buf failure;
  bool has_failed;
  bool is_complete;
  uint8_t *bytes;
  size_t room;
  size_t count;  // The bytes that the caller may take.
};

static void fail(j_common_ptr file) {
  struct cjpeg *self = file->client_data;
  longjmp(self->failure, 1);
}

static void warn(j_common_ptr file, int level) {
  (void)file;
  (void)level;
}

static void begin_output(j_compress_ptr file) {
  struct cjpeg *self = file->client_data;
  file->dest->next_output_byte = self->bytes;
  file->dest->free_in_buffer = self->room;
}

// The buffer is full: it grows, since the caller takes the bytes only between rows.
static boolean grow(j_compress_ptr file) {
  struct cjpeg *self = file->client_data;
  size_t written = self->room;
  uint8_t *larger = realloc(self->bytes, 2 * self->room);
  if (!larger) fail((j_common_ptr)file);
  self->bytes = larger;
  self->room *= 2;
  file->dest->next_output_byte = self->bytes + written;
  file->dest->free_in_buffer = self->room - written;
  return TRUE;
}

static void end_output(j_compress_ptr file) { (void)file; }

// XMP is in a segment APP1 behind this name (XMP part 3, 1.1.3).
static const char xmp_name[] = "http://ns.adobe.com/xap/1.0/";

static void write_xmp(j_compress_ptr file, const uint8_t *xmp, size_t count) {
  if (count > 65000) return;
  jpeg_write_m_header(file, JPEG_APP0 + 1, (unsigned)(sizeof xmp_name + count));
  for (size_t index = 0; index < sizeof xmp_name; index++) jpeg_write_m_byte(file, xmp_name[index]);
  for (size_t index = 0; index < count; index++) jpeg_write_m_byte(file, xmp[index]);
}

struct cjpeg *cjpeg_begin(uint32_t width, uint32_t height, int quality, uint16_t density, const uint8_t *xmp, size_t xmp_count) {
  if (width > JPEG_MAX_DIMENSION || height > JPEG_MAX_DIMENSION) return NULL;
  struct cjpeg *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->room = least_room;
  self->bytes = malloc(self->room);
  self->file.err = jpeg_std_error(&self->errors);
  self->errors.error_exit = fail;
  self->errors.emit_message = warn;
  self->file.client_data = self;
  if (!self->bytes || setjmp(self->failure)) {
    cjpeg_free(self);
    return NULL;
  }
  jpeg_create_compress(&self->file);
  self->destination.init_destination = begin_output;
  self->destination.empty_output_buffer = grow;
  self->destination.term_destination = end_output;
  self->file.dest = &self->destination;
  self->file.image_width = width;
  self->file.image_height = height;
  self->file.input_components = 4;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  self->file.in_color_space = JCS_EXT_BGRX;
#else
  self->file.in_color_space = JCS_EXT_XRGB;
#endif
  jpeg_set_defaults(&self->file);
  jpeg_set_quality(&self->file, quality, TRUE);
  if (quality >= full_colour_quality) {
    self->file.comp_info[0].h_samp_factor = 1;
    self->file.comp_info[0].v_samp_factor = 1;
  }
  if (density > 0) {
    self->file.density_unit = 1;
    self->file.X_density = density;
    self->file.Y_density = density;
  }
  jpeg_start_compress(&self->file, TRUE);
  // Programs that manage colours take a file without a profile for one of their screen, or ask.
  jpeg_write_icc_profile(&self->file, srgb_profile, srgb_profile_size);
  if (xmp && xmp_count > 0) write_xmp(&self->file, xmp, xmp_count);
  return self;
}

bool cjpeg_write(struct cjpeg *self, const uint8_t *pixels, ptrdiff_t stride, uint32_t rows) {
  if (self->has_failed || self->is_complete || rows > self->file.image_height - self->file.next_scanline) return false;
  if (setjmp(self->failure)) {
    self->has_failed = true;
    return false;
  }
  for (uint32_t index = 0; index < rows; index++) {
    JSAMPROW row = (JSAMPROW)(pixels + (ptrdiff_t)index * stride);
    jpeg_write_scanlines(&self->file, &row, 1);
  }
  if (self->file.next_scanline == self->file.image_height) {
    jpeg_finish_compress(&self->file);
    self->is_complete = true;
  }
  self->count = self->room - self->destination.free_in_buffer;
  // What comes next begins at the buffer's start again.
  self->destination.next_output_byte = self->bytes;
  self->destination.free_in_buffer = self->room;
  return true;
}

size_t cjpeg_take(struct cjpeg *self, const uint8_t **bytes) {
  *bytes = self->bytes;
  return self->count;
}

void cjpeg_free(struct cjpeg *self) {
  jpeg_destroy_compress(&self->file);
  free(self->bytes);
  free(self);
}
