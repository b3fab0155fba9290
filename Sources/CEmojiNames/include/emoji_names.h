// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>

/// A table of emoji names, as it stands in a file beside; not terminated by a NUL.
struct emoji_names {
  const unsigned char *_Nonnull bytes;
  size_t size;
};
/// names.tsv.
struct emoji_names emoji_names_english(void);
/// names.de.tsv.
struct emoji_names emoji_names_german(void);
/// Where some bytes stand in others first; NULL where they do not. The C library's memmem, which Swift does not see.
const unsigned char *_Nullable emoji_names_search(
    const unsigned char *_Nonnull bytes, size_t size, const unsigned char *_Nonnull wanted, size_t length);
