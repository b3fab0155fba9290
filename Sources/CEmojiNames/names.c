// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "emoji_names.h"
#include <string.h>

// C23 has it; SwiftPM compiles as C17, where clang takes it all the same.
#pragma clang diagnostic ignored "-Wc23-extensions"

// A page of a table is read when somebody looks something up, not when a program starts.
static const unsigned char english[] = {
#embed "names.tsv"
};
static const unsigned char arabic[] = {
#embed "names.ar.tsv"
};
static const unsigned char german[] = {
#embed "names.de.tsv"
};
static const unsigned char spanish[] = {
#embed "names.es.tsv"
};
static const unsigned char french[] = {
#embed "names.fr.tsv"
};
static const unsigned char italian[] = {
#embed "names.it.tsv"
};
static const unsigned char japanese[] = {
#embed "names.ja.tsv"
};
static const unsigned char polish[] = {
#embed "names.pl.tsv"
};
static const unsigned char portuguese[] = {
#embed "names.pt.tsv"
};
static const unsigned char russian[] = {
#embed "names.ru.tsv"
};
static const unsigned char ukrainian[] = {
#embed "names.uk.tsv"
};
static const unsigned char chinese[] = {
#embed "names.zh.tsv"
};

static const struct {
  char code[3];
  struct emoji_names table;
} tables[] = {
    {"en", {english, sizeof english}},       {"ar", {arabic, sizeof arabic}},   {"de", {german, sizeof german}},
    {"es", {spanish, sizeof spanish}},       {"fr", {french, sizeof french}},   {"it", {italian, sizeof italian}},
    {"ja", {japanese, sizeof japanese}},     {"pl", {polish, sizeof polish}},   {"pt", {portuguese, sizeof portuguese}},
    {"ru", {russian, sizeof russian}},       {"uk", {ukrainian, sizeof ukrainian}},
    {"zh", {chinese, sizeof chinese}},
};

struct emoji_names emoji_names_in(const char *language) {
  for (size_t at = 0; at < sizeof tables / sizeof *tables; at++)
    if (!strcmp(tables[at].code, language)) return tables[at].table;
  return (struct emoji_names){english, 0};
}

const unsigned char *emoji_names_search(
    const unsigned char *bytes, size_t size, const unsigned char *wanted, size_t length) {
  return memmem(bytes, size, wanted, length);
}
