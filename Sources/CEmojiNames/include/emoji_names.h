// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>

/// The table of emoji names, as it stands in names.tsv beside; not terminated by a NUL.
const unsigned char *_Nonnull emoji_names(void);
/// Its length in bytes.
extern const size_t emoji_names_size;
/// Where some bytes stand in others first; NULL where they do not. The C library's memmem, which Swift does not see.
const unsigned char *_Nullable emoji_names_search(
    const unsigned char *_Nonnull bytes, size_t size, const unsigned char *_Nonnull wanted, size_t length);
