// SPDX-License-Identifier: Apache-2.0
// JPEG with libjpeg-turbo, whose errors leave by longjmp.
#include "picture_decoder.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include <jerror.h>

struct reading {
  struct jpeg_decompress_struct file;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  jmp_buf failure;
  struct decoding *decoding;
  // A row of four colours; NULL for others.
  uint8_t *row;
  // The conversion of such rows by their profile; NULL where there is none.
  struct conversion *conversion;
};

static void fail(j_common_ptr file) {
  struct reading *reading = file->client_data;
  char message[JMSG_LENGTH_MAX];
  file->err->format_message(file, message);
  bool is_memory = file->err->msg_code == JERR_OUT_OF_MEMORY;
  decoding_fail(reading->decoding, is_memory ? CPICTURE_NO_MEMORY : CPICTURE_BROKEN, message);
  longjmp(reading->failure, 1);
}

static void warn(j_common_ptr file, int level) { (void)file, (void)level; }

static void begin_source(j_decompress_ptr file) { (void)file; }

// All bytes are there from the start: at their end the decoder is suspended, and the picture is incomplete.
static boolean fill_source(j_decompress_ptr file) {
  (void)file;
  return FALSE;
}

static void skip_source(j_decompress_ptr file, long count) {
  if (count <= 0) return;
  size_t skipped = (size_t)count < file->src->bytes_in_buffer ? (size_t)count : file->src->bytes_in_buffer;
  file->src->next_input_byte += skipped;
  file->src->bytes_in_buffer -= skipped;
}

static void spread_gray(uint8_t *row, int32_t width) {
  for (int32_t x = width - 1; x >= 0; x--) row[3 * x] = row[3 * x + 1] = row[3 * x + 2] = row[x];
}

// Converts cyan, magenta, yellow and black to red, green and blue. Files with Adobe's marker have them inverted.
static void mix_four(const uint8_t *from, uint8_t *to, int32_t width, bool is_inverted) {
  uint8_t flip = is_inverted ? 0 : 255;
  for (int32_t x = 0; x < width; x++, from += 4, to += 3)
    for (int color = 0; color < 3; color++) to[color] = (uint8_t)((from[color] ^ flip) * (from[3] ^ flip) / 255);
}

static int32_t reduced(int32_t side, int32_t reduction) { return side / reduction + (side % reduction != 0); }

// False where it fails without longjmp.
static bool begin(struct reading *reading) {
  struct decoding *decoding = reading->decoding;
  j_decompress_ptr file = &reading->file;
  if (jpeg_read_header(file, TRUE) != JPEG_HEADER_OK) {
    decoding_fail(decoding, CPICTURE_INCOMPLETE, NULL);
    return false;
  }
  if (!decoding_expect(decoding, file->image_width, file->image_height)) return false;
  if (file->out_color_space != JCS_GRAYSCALE && file->out_color_space != JCS_RGB && file->out_color_space != JCS_CMYK) {
    decoding_fail(decoding, CPICTURE_BROKEN, "its colours are not of a known kind");
    return false;
  }
  file->scale_num = 1;
  file->scale_denom = (unsigned)decoding->reduction;
  // Smoothing would only blur parts of a progressive picture that are missing.
  file->do_block_smoothing = FALSE;
  if (!jpeg_start_decompress(file)) {
    decoding_fail(decoding, CPICTURE_INCOMPLETE, NULL);
    return false;
  }
  int32_t width = reduced(decoding->width, decoding->reduction), height = reduced(decoding->height, decoding->reduction);
  if (file->output_width != (JDIMENSION)width || file->output_height != (JDIMENSION)height) {
    decoding_fail(decoding, CPICTURE_BROKEN, "it cannot be reduced");
    return false;
  }
  if (file->out_color_space == JCS_CMYK && !(reading->row = malloc(4 * (size_t)width))) {
    decoding_fail(decoding, CPICTURE_NO_MEMORY, NULL);
    return false;
  }
  if (file->out_color_space == JCS_CMYK) {
    decoding->kind = file->saw_Adobe_marker ? COLORS_INVERTED_CMYK : COLORS_CMYK;
    if (decoding->colors) reading->conversion = conversion_open(decoding->colors, decoding->kind, 3);
    decoding->result.has_other_colors = reading->conversion != NULL;
  } else if (file->out_color_space == JCS_GRAYSCALE) {
    decoding->kind = COLORS_GRAY;
  }
  return decoding_allocate(decoding, width, height, 3, false);
}

static void read_rows(struct reading *reading) {
  const struct cpicture_pixels *pixels = &reading->decoding->pixels;
  j_decompress_ptr file = &reading->file;
  while (file->output_scanline < file->output_height) {
    uint8_t *to = pixels->bytes + (size_t)file->output_scanline * pixels->stride;
    JSAMPROW row = reading->row ? reading->row : to;
    if (jpeg_read_scanlines(file, &row, 1) != 1) {
      decoding_fail(reading->decoding, CPICTURE_INCOMPLETE, NULL);
      return;
    }
    if (reading->conversion) conversion_run(reading->conversion, reading->row, to, pixels->width);
    else if (reading->row) mix_four(reading->row, to, pixels->width, file->saw_Adobe_marker);
    else if (file->out_color_space == JCS_GRAYSCALE) spread_gray(to, pixels->width);
  }
  // Reads up to the end mark; only its errors matter.
  jpeg_finish_decompress(file);
}

void decode_jpeg(struct decoding *decoding) {
  struct reading *reading = calloc(1, sizeof *reading);
  if (!reading) {
    decoding_fail(decoding, CPICTURE_NO_MEMORY, NULL);
    return;
  }
  reading->decoding = decoding;
  reading->file.err = jpeg_std_error(&reading->errors);
  reading->errors.error_exit = fail;
  reading->errors.emit_message = warn;
  reading->file.client_data = reading;
  reading->source = (struct jpeg_source_mgr){
      .next_input_byte = decoding->bytes, .bytes_in_buffer = decoding->count, .init_source = begin_source,
      .fill_input_buffer = fill_source, .skip_input_data = skip_source, .resync_to_restart = jpeg_resync_to_restart,
      .term_source = begin_source};
  if (!setjmp(reading->failure)) {
    jpeg_create_decompress(&reading->file);
    reading->file.src = &reading->source;
    if (begin(reading)) read_rows(reading);
  }
  jpeg_destroy_decompress(&reading->file);
  conversion_close(reading->conversion);
  free(reading->row);
  free(reading);
}
