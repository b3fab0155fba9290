// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "emoji_names.h"
#include <string.h>

// C23 has it; SwiftPM compiles as C17, where clang takes it all the same.
#pragma clang diagnostic ignored "-Wc23-extensions"

// A page of it is read when somebody looks something up, not when a program starts.
static const unsigned char table[] = {
#embed "names.tsv"
};

const unsigned char *emoji_names(void) { return table; }
const size_t emoji_names_size = sizeof table;

const unsigned char *emoji_names_search(
    const unsigned char *bytes, size_t size, const unsigned char *wanted, size_t length) {
  return memmem(bytes, size, wanted, length);
}
