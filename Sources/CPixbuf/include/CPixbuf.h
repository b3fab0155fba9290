// SPDX-License-Identifier: Apache-2.0
// gdk-pixbuf, with the loaders that are named here and no others.
#ifndef CPIXBUF_H
#define CPIXBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How a decode ended.
enum cpixbuf_status {
  CPIXBUF_DECODED = 0,
  // No loader of this name is installed.
  CPIXBUF_NO_LOADER,
  // Memory ran out.
  CPIXBUF_NO_MEMORY,
  // The loader found another size than it was told; nothing was decoded.
  CPIXBUF_OTHER_SIZE,
  // The loader ended without all of the picture.
  CPIXBUF_INCOMPLETE,
  // The loader says that something is wrong, in `message`.
  CPIXBUF_BROKEN,
};

struct cpixbuf_result {
  enum cpixbuf_status status;
  // Of the decoded picture, or what the loader found instead of what it was told.
  int32_t width;
  int32_t height;
  // The loader's words, UTF-8, ended by a zero.
  char message[256];
};

// Decodes a still picture with the loader of that name ("png", "jpeg", "gif", "webp", "avif") and lets go of it. The size is the
// one that the loader must find. The first call settles for the process which loaders there are, and that glib writes no warnings.
// For a process that does nothing else meanwhile: standard error is silent during the call, but for what ends the process.
struct cpixbuf_result cpixbuf_try(const char *name, const uint8_t *bytes, size_t count, int32_t width, int32_t height);

// Whether data of zlib are whole, with their sum, and stand for so many bytes at least.
bool cpixbuf_inflates(const uint8_t *bytes, size_t count, size_t expected);

#endif
