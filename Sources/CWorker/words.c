// SPDX-License-Identifier: Apache-2.0
#include "CWords.h"

#include <hb-ot.h>
#include <hb.h>
#include <pango/pango.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Pango computes in whole units. A line of 16,000 ems fits into an int.
enum { em = 128 * PANGO_SCALE };

// MARK: A font

// A font as Pango sees it.
typedef struct {
  PangoFont parent;
  PangoFontMap *map;
  hb_font_t *font;
  // The characters of the text that it has.
  PangoCoverage *coverage;
  uint32_t index;
  bool is_color;
  int ascent;
  int descent;
} WordsFont;
typedef PangoFontClass WordsFontClass;

G_DEFINE_TYPE(WordsFont, words_font, PANGO_TYPE_FONT)

static PangoFontDescription *font_describe(PangoFont *font) {
  (void)font;
  return pango_font_description_new();
}

static PangoCoverage *font_coverage(PangoFont *font, PangoLanguage *language) {
  (void)language;
  return g_object_ref(((WordsFont *)font)->coverage);
}

static hb_font_t *font_create(PangoFont *font) {
  hb_font_t *scaled = hb_font_create_sub_font(((WordsFont *)font)->font);
  hb_font_set_scale(scaled, em, em);
  return scaled;
}

static void font_extents(PangoFont *font, PangoGlyph glyph, PangoRectangle *ink, PangoRectangle *logical) {
  const WordsFont *self = (WordsFont *)font;
  // A missing character takes the width of an emoji.
  int width = em * 5 / 4;
  if (glyph == PANGO_GLYPH_EMPTY) width = 0;
  else if (!(glyph & PANGO_GLYPH_UNKNOWN_FLAG)) width = hb_font_get_glyph_h_advance(pango_font_get_hb_font(font), glyph);
  const PangoRectangle box = {.y = -self->ascent, .width = width, .height = self->ascent + self->descent};
  if (ink) *ink = box;
  if (logical) *logical = box;
}

static PangoFontMap *font_map(PangoFont *font) { return ((WordsFont *)font)->map; }

static void font_finalize(GObject *object) {
  g_object_unref(((WordsFont *)object)->coverage);
  G_OBJECT_CLASS(words_font_parent_class)->finalize(object);
}

static void words_font_class_init(WordsFontClass *class) {
  class->describe = font_describe;
  class->describe_absolute = font_describe;
  class->get_coverage = font_coverage;
  class->get_glyph_extents = font_extents;
  class->get_font_map = font_map;
  class->create_hb_font = font_create;
  G_OBJECT_CLASS(class)->finalize = font_finalize;
}

static void words_font_init(WordsFont *self) { (void)self; }

static PangoFont *new_font(const struct cwords_font *font, uint32_t index, PangoFontMap *map, const char *text, size_t bytes) {
  WordsFont *self = g_object_new(words_font_get_type(), NULL);
  *self = (WordsFont){.parent = self->parent, .map = map, .font = font->font, .coverage = pango_coverage_new(), .index = index,
                      .is_color = font->is_color};
  for (const char *next = text; next < text + bytes; next = g_utf8_next_char(next)) {
    hb_codepoint_t glyph;
    const gunichar character = g_utf8_get_char(next);
    if (hb_font_get_nominal_glyph(font->font, character, &glyph)) {
      pango_coverage_set(self->coverage, (int)character, PANGO_COVERAGE_EXACT);
    }
  }
  if (font->is_color) {
    // Noto Color Emoji's, whatever the font: so a line is as high with emoji of another font.
    self->ascent = em / 2048 * 1900;
    self->descent = em / 2048 * 500;
    return PANGO_FONT(self);
  }
  hb_font_t *scaled = font_create(PANGO_FONT(self));
  hb_font_extents_t extents;
  if (hb_font_get_h_extents(scaled, &extents)) {
    self->ascent = CLAMP(extents.ascender, 0, 16 * em);
    self->descent = CLAMP(-(int64_t)extents.descender, 0, 16 * em);
  }
  hb_font_destroy(scaled);
  return PANGO_FONT(self);
}

// MARK: All fonts

// The fonts of one call, in the caller's order.
typedef struct {
  PangoFontMap parent;
  GPtrArray *fonts;
} WordsMap;
typedef PangoFontMapClass WordsMapClass;

G_DEFINE_TYPE(WordsMap, words_map, PANGO_TYPE_FONT_MAP)

static PangoFont *map_font(PangoFontMap *map, PangoContext *context, const PangoFontDescription *description) {
  (void)context, (void)description;
  return g_object_ref(g_ptr_array_index(((WordsMap *)map)->fonts, 0));
}

// The fonts in the order in which a character is looked for. Pango asks for the family "emoji" for characters that are shown as emoji.
static PangoFontset *map_fontset(PangoFontMap *map, PangoContext *context, const PangoFontDescription *description,
                                 PangoLanguage *language) {
  (void)context;
  const char *family = pango_font_description_get_family(description);
  const bool is_emoji = family && strstr(family, "emoji");
  PangoFontsetSimple *set = pango_fontset_simple_new(language);
  const GPtrArray *fonts = ((WordsMap *)map)->fonts;
  for (int turn = 0; turn < 2; turn++) {
    for (guint index = 0; index < fonts->len; index++) {
      WordsFont *font = g_ptr_array_index(fonts, index);
      if (font->is_color == (is_emoji ? turn == 0 : turn == 1)) pango_fontset_simple_append(set, g_object_ref(PANGO_FONT(font)));
    }
  }
  return PANGO_FONTSET(set);
}

static void map_families(PangoFontMap *map, PangoFontFamily ***families, int *count) {
  (void)map;
  *families = NULL;
  *count = 0;
}

static guint map_serial(PangoFontMap *map) {
  (void)map;
  return 1;
}

static void map_changed(PangoFontMap *map) { (void)map; }

static void map_finalize(GObject *object) {
  g_ptr_array_unref(((WordsMap *)object)->fonts);
  G_OBJECT_CLASS(words_map_parent_class)->finalize(object);
}

static void words_map_class_init(WordsMapClass *class) {
  class->load_font = map_font;
  class->load_fontset = map_fontset;
  class->list_families = map_families;
  class->get_serial = map_serial;
  class->changed = map_changed;
  G_OBJECT_CLASS(class)->finalize = map_finalize;
}

static void words_map_init(WordsMap *self) { self->fonts = g_ptr_array_new_with_free_func(g_object_unref); }

// MARK: A line

static void append(struct cwords_line *line, PangoItem *item, const PangoGlyphString *string, int64_t *pen) {
  const WordsFont *font = (WordsFont *)item->analysis.font;
  for (int index = 0; index < string->num_glyphs; index++) {
    const PangoGlyphInfo *info = &string->glyphs[index];
    const bool is_missing = info->glyph != PANGO_GLYPH_EMPTY && info->glyph & PANGO_GLYPH_UNKNOWN_FLAG;
    if (info->glyph != PANGO_GLYPH_EMPTY) {
      line->glyphs[line->count++] = (struct cwords_glyph){
          .font = font->index, .glyph = is_missing ? info->glyph & ~PANGO_GLYPH_UNKNOWN_FLAG : info->glyph,
          .start = (uint32_t)(item->offset + string->log_clusters[index]), .is_missing = is_missing,
          .x = ((double)*pen + info->geometry.x_offset) / em, .y = (double)info->geometry.y_offset / em,
          .advance = (double)info->geometry.width / em};
    }
    *pen += info->geometry.width;
  }
  line->ascent = MAX(line->ascent, (double)font->ascent / em);
  line->descent = MAX(line->descent, (double)font->descent / em);
}

// Appends the glyphs of the items, left to right. False for lack of memory.
static bool append_items(struct cwords_line *line, GList *items, const char *text, int bytes) {
  PangoGlyphString *string = pango_glyph_string_new();
  // The numbers of a damaged font may be as large as an int.
  int64_t pen = 0;
  for (GList *next = items; next; next = next->next) {
    PangoItem *item = next->data;
    pango_shape_full(text + item->offset, item->length, text, bytes, &item->analysis, string);
    const size_t room = line->count + (size_t)string->num_glyphs;
    struct cwords_glyph *grown = realloc(line->glyphs, MAX(room, 1) * sizeof *grown);
    if (!grown) {
      pango_glyph_string_free(string);
      return false;
    }
    line->glyphs = grown;
    append(line, item, string, &pen);
  }
  pango_glyph_string_free(string);
  line->width = (double)pen / em;
  return true;
}

bool cwords_shape(const struct cwords_font *fonts, size_t count, const char *text, size_t bytes, struct cwords_line *line) {
  *line = (struct cwords_line){0};
  WordsMap *map = g_object_new(words_map_get_type(), NULL);
  for (size_t index = 0; index < count; index++) {
    g_ptr_array_add(map->fonts, new_font(&fonts[index], (uint32_t)index, PANGO_FONT_MAP(map), text, bytes));
  }
  // A line without characters is as high as one in the first font.
  const WordsFont *first = g_ptr_array_index(map->fonts, 0);
  line->ascent = (double)first->ascent / em;
  line->descent = (double)first->descent / em;
  PangoContext *context = pango_context_new();
  pango_context_set_font_map(context, PANGO_FONT_MAP(map));
  // Not the user's language, which would change the picture.
  pango_context_set_language(context, pango_language_from_string("und"));
  pango_context_set_round_glyph_positions(context, FALSE);
  const int length = (int)bytes;
  PangoAttrList *attributes = pango_attr_list_new();
  // Left to right, unless the first strong character says otherwise.
  GList *logical = pango_itemize_with_base_dir(context, PANGO_DIRECTION_WEAK_LTR, text, 0, length, attributes, NULL);
  GList *visual = pango_reorder_items(logical);
  const bool is_whole = append_items(line, visual, text, length);
  g_list_free(visual);
  g_list_free_full(logical, (GDestroyNotify)pango_item_free);
  pango_attr_list_unref(attributes);
  g_object_unref(context);
  g_object_unref(map);
  if (!is_whole) free(line->glyphs);
  return is_whole;
}

// Writes fatal messages only, mostly about lack of memory: writing others takes calls of the system that a sandbox
// forbids.
static GLogWriterOutput say(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer data) {
  (void)data;
  for (gsize index = 0; level & G_LOG_LEVEL_ERROR && index < count; index++) {
    if (strcmp(fields[index].key, "MESSAGE") == 0) dprintf(STDERR_FILENO, "%s\n", (const char *)fields[index].value);
  }
  return G_LOG_WRITER_HANDLED;
}

static void set_writer(void) { g_log_set_writer_func(say, NULL, NULL); }

void cwords_prepare(void) {
  // GLib ends a program that sets it twice.
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, set_writer);
  // A font without glyphs: the tables of characters and of types are loaded for any.
  hb_font_t *none = hb_font_create(hb_face_get_empty());
  const struct cwords_font fonts[] = {{.font = none}};
  struct cwords_line line;
  const char text[] = "a \xD7\x90 \xF0\x9F\x90\x9D";
  if (cwords_shape(fonts, 1, text, sizeof text - 1, &line)) free(line.glyphs);
  hb_font_destroy(none);
}
