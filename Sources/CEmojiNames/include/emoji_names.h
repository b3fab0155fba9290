// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>

/// A table of emoji names, as it stands in a file beside; not terminated by a NUL.
struct emoji_names {
  const unsigned char *_Nonnull bytes;
  size_t size;
};
/// The table of a language by its code of two letters: names.tsv for `en`, else such as names.de.tsv. Empty for a language without one.
struct emoji_names emoji_names_in(const char *_Nonnull language);
/// Where some bytes stand in others first; NULL where they do not. The C library's memmem, which Swift does not see.
const unsigned char *_Nullable emoji_names_search(
    const unsigned char *_Nonnull bytes, size_t size, const unsigned char *_Nonnull wanted, size_t length);
