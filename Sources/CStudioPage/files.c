// SPDX-License-Identifier: Apache-2.0
#include "studio_page.h"
#include <zlib.h>

// C23 has it; SwiftPM compiles as C17, where clang takes it all the same.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "page/index.html"
};
static const unsigned char studio_css[] = {
#embed "page/studio.css"
};
static const unsigned char main_js[] = {
#embed "page/main.js"
};
static const unsigned char guard_js[] = {
#embed "page/guard.js"
};
static const unsigned char studio_js[] = {
#embed "page/studio.js"
};
static const unsigned char net_js[] = {
#embed "page/net.js"
};
static const unsigned char outbox_js[] = {
#embed "page/outbox.js"
};
static const unsigned char storage_js[] = {
#embed "page/storage.js"
};
static const unsigned char store_js[] = {
#embed "page/store.js"
};
static const unsigned char changes_js[] = {
#embed "page/changes.js"
};
static const unsigned char rules_js[] = {
#embed "page/rules.js"
};
static const unsigned char canvas_js[] = {
#embed "page/canvas.js"
};
static const unsigned char painter_js[] = {
#embed "page/painter.js"
};
static const unsigned char hit_js[] = {
#embed "page/hit.js"
};
static const unsigned char selection_js[] = {
#embed "page/selection.js"
};
static const unsigned char gestures_js[] = {
#embed "page/gestures.js"
};
static const unsigned char drags_js[] = {
#embed "page/drags.js"
};
static const unsigned char snapping_js[] = {
#embed "page/snapping.js"
};
static const unsigned char arrange_js[] = {
#embed "page/arrange.js"
};
static const unsigned char actions_js[] = {
#embed "page/actions.js"
};
static const unsigned char language_js[] = {
#embed "page/language.js"
};
static const unsigned char words_js[] = {
#embed "page/words.js"
};
static const unsigned char words_de_js[] = {
#embed "page/words.de.js"
};
static const unsigned char strokes_js[] = {
#embed "page/strokes.js"
};
static const unsigned char overlay_js[] = {
#embed "page/overlay.js"
};
static const unsigned char pointer_js[] = {
#embed "page/pointer.js"
};
static const unsigned char keys_js[] = {
#embed "page/keys.js"
};
static const unsigned char panels_js[] = {
#embed "page/panels.js"
};
static const unsigned char emoji_js[] = {
#embed "page/emoji.js"
};
static const unsigned char dialogs_js[] = {
#embed "page/dialogs.js"
};
static const unsigned char transfer_js[] = {
#embed "page/transfer.js"
};
static const unsigned char history_js[] = {
#embed "page/history.js"
};
static const unsigned char documents_js[] = {
#embed "page/documents.js"
};
static const unsigned char thumbs_js[] = {
#embed "page/thumbs.js"
};
static const unsigned char zip_js[] = {
#embed "page/zip.js"
};
static const unsigned char layout_js[] = {
#embed "page/layout.js"
};
static const unsigned char folder_js[] = {
#embed "page/folder.js"
};
static const unsigned char grid_js[] = {
#embed "page/grid.js"
};
static const unsigned char library_js[] = {
#embed "page/library.js"
};
static const unsigned char filing_js[] = {
#embed "page/filing.js"
};
static const unsigned char library_css[] = {
#embed "page/library.css"
};
static const unsigned char sheet_js[] = {
#embed "page/sheet.js"
};
static const unsigned char reading_js[] = {
#embed "page/reading.js"
};
static const unsigned char speech_js[] = {
#embed "page/speech.js"
};
static const unsigned char past_js[] = {
#embed "page/past.js"
};
static const unsigned char names_js[] = {
#embed "page/names.js"
};
static const unsigned char pasted_js[] = {
#embed "page/pasted.js"
};
static const unsigned char fields_js[] = {
#embed "page/fields.js"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const struct studio_file studio_files[] = {
    FILE("index.html", index_html),
    FILE("studio.css", studio_css),
    FILE("library.css", library_css),
    FILE("main.js", main_js),
    FILE("guard.js", guard_js),
    FILE("studio.js", studio_js),
    FILE("net.js", net_js),
    FILE("outbox.js", outbox_js),
    FILE("storage.js", storage_js),
    FILE("store.js", store_js),
    FILE("changes.js", changes_js),
    FILE("rules.js", rules_js),
    FILE("canvas.js", canvas_js),
    FILE("painter.js", painter_js),
    FILE("hit.js", hit_js),
    FILE("selection.js", selection_js),
    FILE("gestures.js", gestures_js),
    FILE("drags.js", drags_js),
    FILE("snapping.js", snapping_js),
    FILE("arrange.js", arrange_js),
    FILE("actions.js", actions_js),
    FILE("language.js", language_js),
    FILE("words.js", words_js),
    FILE("words.de.js", words_de_js),
    FILE("strokes.js", strokes_js),
    FILE("overlay.js", overlay_js),
    FILE("pointer.js", pointer_js),
    FILE("keys.js", keys_js),
    FILE("panels.js", panels_js),
    FILE("emoji.js", emoji_js),
    FILE("dialogs.js", dialogs_js),
    FILE("transfer.js", transfer_js),
    FILE("fields.js", fields_js),
    FILE("pasted.js", pasted_js),
    FILE("history.js", history_js),
    FILE("names.js", names_js),
    FILE("past.js", past_js),
    FILE("speech.js", speech_js),
    FILE("reading.js", reading_js),
    FILE("sheet.js", sheet_js),
    FILE("filing.js", filing_js),
    FILE("folder.js", folder_js),
    FILE("grid.js", grid_js),
    FILE("library.js", library_js),
    FILE("layout.js", layout_js),
    FILE("zip.js", zip_js),
    FILE("thumbs.js", thumbs_js),
    FILE("documents.js", documents_js),
};
const size_t studio_file_count = sizeof studio_files / sizeof *studio_files;

const struct studio_file *studio_file_at(size_t index) { return &studio_files[index]; }

size_t studio_gzip(const unsigned char *bytes, size_t size, unsigned char *result, size_t capacity) {
  z_stream stream = {.next_in = (unsigned char *)bytes, .avail_in = size, .next_out = result, .avail_out = capacity};
  // 16 more bits of the window ask for gzip's frame.
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  size_t length = deflate(&stream, Z_FINISH) == Z_STREAM_END ? stream.total_out : 0;
  deflateEnd(&stream);
  return length;
}
