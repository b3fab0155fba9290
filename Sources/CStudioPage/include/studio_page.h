// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>

/// A file of the page: its name, without folders, and its bytes.
struct studio_file {
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t size;
};

/// The number of files.
extern const size_t studio_file_count;
/// The file with an index below that number.
const struct studio_file *_Nonnull studio_file_at(size_t index);

/// Compresses bytes as gzip does. Returns the length of the result, or 0 if it needs more than `capacity` bytes.
size_t studio_gzip(
    const unsigned char *_Nonnull bytes, size_t size, unsigned char *_Nonnull result, size_t capacity);
