// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>

/// The table of emoji names, as it stands in names.tsv beside; not terminated by a NUL.
const unsigned char *_Nonnull emoji_names(void);
/// Its length in bytes.
extern const size_t emoji_names_size;
