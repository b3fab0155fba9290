// SPDX-License-Identifier: Apache-2.0
#include "emoji_names.h"

// A page of it is read when somebody looks something up, not when a program starts.
const unsigned char emoji_names[] = {
#embed "names.tsv"
};
const size_t emoji_names_size = sizeof emoji_names;
