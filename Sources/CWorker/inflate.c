// SPDX-License-Identifier: Apache-2.0
#include "CPixbuf.h"

#include <zlib.h>

bool cpixbuf_inflates(const uint8_t *bytes, size_t count, size_t expected) {
  uint8_t room[1 << 16];
  z_stream stream = {.next_in = (Bytef *)bytes, .avail_in = count <= UINT32_MAX ? (uInt)count : 0};
  if (inflateInit(&stream) != Z_OK) return false;
  int status = Z_OK;
  // The output is discarded, and limited: it must not be much larger than expected.
  while (status == Z_OK && stream.total_out <= expected + sizeof room) {
    stream.next_out = room;
    stream.avail_out = sizeof room;
    status = inflate(&stream, Z_NO_FLUSH);
  }
  bool is_whole = status == Z_STREAM_END && stream.total_out >= expected;
  inflateEnd(&stream);
  return is_whole;
}
