// SPDX-License-Identifier: Apache-2.0
// Shapes lines of text with Pango, from fonts that the caller has opened. No font of the system is looked for.
#ifndef CWORDS_H
#define CWORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// `hb_font_t`.
struct hb_font_t;

// A font, with its scale in font units.
struct cwords_font {
  struct hb_font_t *font;
  // Whether its glyphs are emoji, which have colours: the first choice for emoji, the last one for other characters.
  bool is_color;
};

// A glyph of a line. Lengths are in ems.
struct cwords_glyph {
  // The index of the font.
  uint32_t font;
  // The glyph's number in the font, or the character that no font has.
  uint32_t glyph;
  // The byte of the line where its characters begin.
  uint32_t start;
  bool is_missing;
  // The origin: right of the start of the line, and below its baseline.
  double x;
  double y;
  // The distance to the origin of the next glyph.
  double advance;
};

// A line, from left to right. Lengths are in ems.
struct cwords_line {
  struct cwords_glyph *glyphs;
  size_t count;
  double width;
  // How far it reaches above and below its baseline, by the metrics of the fonts that it is set in.
  double ascent;
  double descent;
};

// Shapes a line of valid UTF-8 without line breaks, in the first font that has a character, `count` fonts and at least one. Its
// direction is that of its first strong character. The caller frees the glyphs. False for lack of memory.
bool cwords_shape(const struct cwords_font *fonts, size_t count, const char *text, size_t bytes, struct cwords_line *line);

// Initialises Pango, before a sandbox is closed.
void cwords_prepare(void);

#endif
