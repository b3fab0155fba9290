// SPDX-License-Identifier: Apache-2.0
// What a person writes who wants emoji in a PNG file and knows Cairo, HarfBuzz and FreeType: emojiart is measured beside it.
//   cairo FONT LINES WIDTH HEIGHT OUT.png
// LINES has an emoji a line: `x y size text`. Each glyph is decoded once and scaled by Cairo's good filter as it is painted.
#include <cairo.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <hb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct glyph {
  cairo_surface_t *surface;
  double left;
  double top;
};

struct font {
  FT_Face face;
  hb_font_t *shaper;
  hb_buffer_t *buffer;
  struct glyph *glyphs;
  double pixels_per_em;
};

static void die(const char *what) {
  fprintf(stderr, "cairo: %s\n", what);
  exit(1);
}

static struct font open_font(const char *path) {
  struct font font;
  FT_Library library;
  if (FT_Init_FreeType(&library) || FT_New_Face(library, path, 0, &font.face) || FT_Select_Size(font.face, 0))
    die("no such font");
  hb_blob_t *blob = hb_blob_create_from_file(path);
  hb_face_t *face = hb_face_create(blob, 0);
  font.shaper = hb_font_create(face);
  font.buffer = hb_buffer_create();
  font.glyphs = calloc((size_t)font.face->num_glyphs, sizeof *font.glyphs);
  font.pixels_per_em = (double)font.face->available_sizes[0].y_ppem / 64;
  return font;
}

static struct glyph *find(struct font *font, unsigned number) {
  struct glyph *glyph = &font->glyphs[number];
  if (glyph->surface) return glyph;
  if (FT_Load_Glyph(font->face, number, FT_LOAD_COLOR)) die("no such glyph");
  FT_GlyphSlot slot = font->face->glyph;
  int width = (int)slot->bitmap.width, height = (int)slot->bitmap.rows;
  glyph->surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width > 0 ? width : 1, height > 0 ? height : 1);
  glyph->left = slot->bitmap_left;
  glyph->top = slot->bitmap_top;
  cairo_surface_flush(glyph->surface);
  for (int row = 0; row < height; row++)
    memcpy(cairo_image_surface_get_data(glyph->surface) + row * cairo_image_surface_get_stride(glyph->surface),
           slot->bitmap.buffer + row * slot->bitmap.pitch, 4 * (size_t)width);
  cairo_surface_mark_dirty(glyph->surface);
  return glyph;
}

static void paint(cairo_t *cairo, struct font *font, double x, double y, double size, const char *text) {
  hb_buffer_clear_contents(font->buffer);
  hb_buffer_add_utf8(font->buffer, text, -1, 0, -1);
  hb_buffer_guess_segment_properties(font->buffer);
  hb_shape(font->shaper, font->buffer, NULL, 0);
  unsigned count;
  hb_glyph_info_t *infos = hb_buffer_get_glyph_infos(font->buffer, &count);
  if (count == 0) return;
  struct glyph *glyph = find(font, infos[0].codepoint);
  double scale = size / font->pixels_per_em;
  cairo_save(cairo);
  cairo_translate(cairo, x, y);
  cairo_scale(cairo, scale, scale);
  cairo_set_source_surface(cairo, glyph->surface, -cairo_image_surface_get_width(glyph->surface) / 2.0,
                           -cairo_image_surface_get_height(glyph->surface) / 2.0);
  cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_GOOD);
  cairo_paint(cairo);
  cairo_restore(cairo);
}

int main(int count, char **words) {
  if (count != 6) die("FONT LINES WIDTH HEIGHT OUT.png");
  struct font font = open_font(words[1]);
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, atoi(words[3]), atoi(words[4]));
  cairo_t *cairo = cairo_create(surface);
  cairo_set_source_rgb(cairo, 1, 1, 1);
  cairo_paint(cairo);
  FILE *lines = fopen(words[2], "r");
  if (!lines) die("no such file of lines");
  char line[512];
  while (fgets(line, sizeof line, lines)) {
    double x, y, size;
    char text[300];
    if (sscanf(line, "%lf %lf %lf %299s", &x, &y, &size, text) == 4) paint(cairo, &font, x, y, size, text);
  }
  fclose(lines);
  if (cairo_surface_write_to_png(surface, words[5]) != CAIRO_STATUS_SUCCESS) die("cannot write");
  return 0;
}
