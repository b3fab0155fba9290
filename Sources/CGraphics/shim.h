// SPDX-License-Identifier: Apache-2.0
#include <glib-object.h>

#include <cairo.h>
#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <chafa.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_TRUETYPE_TABLES_H
#include <hb.h>
#include <hb-ot.h>

// Calls the functions with the outline of a glyph. HarfBuzz 7 renamed this and deprecated the old name.
static inline void cgraphics_draw_glyph(hb_font_t *font, hb_codepoint_t glyph, hb_draw_funcs_t *functions, void *data) {
#if HB_VERSION_ATLEAST(7, 0, 0)
  hb_font_draw_glyph(font, glyph, functions, data);
#else
  hb_font_get_glyph_shape(font, glyph, functions, data);
#endif
}
