// SPDX-License-Identifier: Apache-2.0
// PNG with libpng, whose errors leave by longjmp.
#include "picture_decoder.h"

#include <setjmp.h>
#include <string.h>

#include <png.h>

struct reading {
  struct decoding *decoding;
  // The number of decoded rows. Of an interlaced picture the first pass counts: `FirstFrame` has checked that the data
  // are complete.
  uint32_t rows;
};

static void fail(png_structp png, png_const_charp message) {
  struct reading *reading = png_get_error_ptr(png);
  decoding_fail(reading->decoding, CPICTURE_BROKEN, message);
  png_longjmp(png, 1);
}

static void warn(png_structp png, png_const_charp message) { (void)png, (void)message; }

// Leaves after `decoding_fail`.
static void give_up(png_structp png) { png_longjmp(png, 1); }

// The head of the file was read: pixels become 8 bits of red, green, blue and, where there is transparency, alpha.
static void begin(png_structp png, png_infop info) {
  struct reading *reading = png_get_progressive_ptr(png);
  if (!decoding_expect(reading->decoding, png_get_image_width(png, info), png_get_image_height(png, info))) give_up(png);
  uint8_t kind = png_get_color_type(png, info);
  reading->decoding->kind = kind & PNG_COLOR_MASK_COLOR ? COLORS_RGB : COLORS_GRAY;
  png_set_expand(png);
  if (png_get_bit_depth(png, info) == 16) png_set_strip_16(png);
  png_set_gray_to_rgb(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  uint8_t channels = png_get_channels(png, info);
  if (png_get_bit_depth(png, info) != 8 || (channels != 3 && channels != 4)) png_error(png, "its pixels are not of a known form");
  if (!decoding_allocate(reading->decoding, reading->decoding->width, reading->decoding->height, channels, true))
    give_up(png);
}

static void take_row(png_structp png, png_bytep row, png_uint_32 number, int pass) {
  (void)pass;
  struct reading *reading = png_get_progressive_ptr(png);
  struct cpicture_pixels *pixels = &reading->decoding->pixels;
  if (number >= (uint32_t)pixels->height) png_error(png, "it has too many rows");
  if (number >= reading->rows) reading->rows = number + 1;
  png_progressive_combine_row(png, pixels->bytes + (size_t)number * pixels->stride, row);
}

// Chunks that do not change the pixels are not even parsed; those of colours are, before, by `PictureColors`.
static void skip_unused(png_structp png) {
  static const uint8_t unused[] =
      "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0sTER\0tEXt\0tIME\0zTXt";
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, unused, sizeof unused / 5);
}

void decode_png(struct decoding *decoding) {
  struct reading reading = {.decoding = decoding};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, fail, warn);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    decoding_fail(decoding, CPICTURE_NO_MEMORY, NULL);
    png_destroy_read_struct(&png, NULL, NULL);
    return;
  }
  if (!setjmp(png_jmpbuf(png))) {
    skip_unused(png);
    png_set_progressive_read_fn(png, &reading, begin, take_row, NULL);
    png_process_data(png, info, (png_bytep)decoding->bytes, decoding->count);
    if (reading.rows < (uint32_t)decoding->height) decoding_fail(decoding, CPICTURE_INCOMPLETE, NULL);
  }
  png_destroy_read_struct(&png, &info, NULL);
}

// MARK: Writing

struct writing {
  cpicture_take take;
  void *context;
};

static void pass_on(png_structp png, png_bytep bytes, size_t count) {
  struct writing *writing = png_get_io_ptr(png);
  writing->take(bytes, count, writing->context);
}

static void flush(png_structp png) { (void)png; }

static void stop_writing(png_structp png, png_const_charp message) {
  (void)message;
  png_longjmp(png, 1);
}

bool cpicture_write_png(const struct cpicture_pixels *pixels, cpicture_take take, void *context) {
  struct writing writing = {take, context};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, stop_writing, warn);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  volatile bool is_written = false;
  if (info && !setjmp(png_jmpbuf(png))) {
    png_set_write_fn(png, &writing, pass_on, flush);
    png_set_compression_level(png, 4);
    png_set_IHDR(png, info, (png_uint_32)pixels->width, (png_uint_32)pixels->height, 8,
                 pixels->channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int32_t y = 0; y < pixels->height; y++) png_write_row(png, pixels->bytes + (size_t)y * pixels->stride);
    png_write_end(png, NULL);
    is_written = true;
  }
  png_destroy_write_struct(&png, &info);
  return is_written;
}
