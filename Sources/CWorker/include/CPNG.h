// SPDX-License-Identifier: Apache-2.0
// Writes PNG files with libpng, whose errors use longjmp, which must not cross Swift frames. Compresses on a
// thread of its own or, where none can be started, on the caller's.
#ifndef CPNG_H
#define CPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A PNG file being written: eight bits for each of red, green, blue and optionally alpha.
struct cpng;

// Starts a file. `is_small` takes several times as long for the best compression. `density` is in pixels per metre, or 0 for none.
// `title`, `description` and `rights` are in UTF-8, or NULL. NULL for lack of memory.
struct cpng *cpng_begin(uint32_t width, uint32_t height, bool has_alpha, bool is_small, uint32_t density, const char *title,
                        const char *description, const char *rights);

// Waits until the previous rows are compressed, and passes the next ones, in Cairo's ARGB32; they must stay
// unchanged until the next call. Returns whether the file can still be written; excess rows are refused.
bool cpng_write(struct cpng *self, const uint8_t *pixels, ptrdiff_t stride, uint32_t rows);

// Waits until all rows are compressed; after the last ones, the file is complete. Returns as above.
bool cpng_finish(struct cpng *self);

// The bytes that were ready when the last of these two calls returned, without earlier ones; valid until the
// next call.
size_t cpng_take(struct cpng *self, const uint8_t **bytes);

// Ends the thread and frees everything, in any state.
void cpng_free(struct cpng *self);

#endif
