// SPDX-License-Identifier: Apache-2.0
// libpng, whose errors leave by longjmp, which no Swift may be in the way of. It compresses on a thread of its own, or,
// where none can be begun, on the caller's.
#ifndef CPNG_H
#define CPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A PNG file while it is written: eight bits a channel, red, green, blue, and alpha where that is asked for.
struct cpng;

// Begins a file. `is_small` takes several times as long and makes it as small as it can be. Null when there is no memory.
struct cpng *cpng_begin(uint32_t width, uint32_t height, bool has_alpha, bool is_small);

// Waits until the rows before are compressed, and hands over the next ones: Cairo's ARGB32, to be left as they are until the next
// call. Answers whether the file can still be written; no more rows than the file has are taken.
bool cpng_write(struct cpng *self, const uint8_t *pixels, ptrdiff_t stride, uint32_t rows);

// Waits until all rows that were handed over are compressed; when they were the last ones, the file is whole. Answers as above.
bool cpng_finish(struct cpng *self);

// The bytes that were ready when the last of these two calls returned, those before not again; they stay until the next one.
size_t cpng_take(struct cpng *self, const uint8_t **bytes);

// Ends the thread and lets go of everything, in any state.
void cpng_free(struct cpng *self);

#endif
