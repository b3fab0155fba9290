// SPDX-License-Identifier: Apache-2.0
#include "CPicture.h"

#include <zlib.h>

size_t cpicture_inflates(const uint8_t *bytes, size_t count, size_t expected) {
  uint8_t room[1 << 16];
  z_stream stream = {.next_in = (Bytef *)bytes, .avail_in = count <= UINT32_MAX ? (uInt)count : 0};
  if (inflateInit(&stream) != Z_OK) return 0;
  int status = Z_OK;
  // The output is discarded, and limited: it must not be much larger than expected.
  while (status == Z_OK && stream.total_out <= expected + sizeof room) {
    stream.next_out = room;
    stream.avail_out = sizeof room;
    status = inflate(&stream, Z_NO_FLUSH);
  }
  bool is_whole = status == Z_STREAM_END && stream.total_out >= expected;
  size_t end = stream.total_in;
  inflateEnd(&stream);
  return is_whole ? end : 0;
}

size_t cpicture_inflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t room) {
  if (count > UINT32_MAX || room > UINT32_MAX) return 0;
  z_stream stream = {
      .next_in = (Bytef *)bytes, .avail_in = (uInt)count, .next_out = out, .avail_out = (uInt)room};
  if (inflateInit(&stream) != Z_OK) return 0;
  int status = Z_OK;
  while (status == Z_OK && stream.avail_out > 0) status = inflate(&stream, Z_NO_FLUSH);
  size_t filled = stream.total_out;
  inflateEnd(&stream);
  return filled;
}

size_t cpicture_deflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t room) {
  uLongf filled = room;
  return compress2(out, &filled, bytes, count, Z_BEST_COMPRESSION) == Z_OK ? filled : 0;
}

uint32_t cpicture_checksum(const uint8_t *bytes, size_t count) {
  return (uint32_t)crc32_z(0, bytes, count);
}
