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
static const unsigned char german[] = {
#embed "names.de.tsv"
};

struct emoji_names emoji_names_english(void) { return (struct emoji_names){english, sizeof english}; }
struct emoji_names emoji_names_german(void) { return (struct emoji_names){german, sizeof german}; }

const unsigned char *emoji_names_search(
    const unsigned char *bytes, size_t size, const unsigned char *wanted, size_t length) {
  return memmem(bytes, size, wanted, length);
}
