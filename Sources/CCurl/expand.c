// SPDX-License-Identifier: Apache-2.0
#include "CCurl.h"

#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

// RFC 1952 and RFC 1950: the first bytes of gzip and of zlib.
static bool has_header(const unsigned char *bytes, size_t count) {
  if (count < 2) return false;
  if (bytes[0] == 0x1F && bytes[1] == 0x8B) return true;
  return (bytes[0] & 0x0F) == Z_DEFLATED && (bytes[0] << 8 | bytes[1]) % 31 == 0;
}

enum ccurl_expanded ccurl_expand(
  const unsigned char *bytes, size_t count, unsigned char *room, size_t capacity, size_t *written
) {
  *written = 0;
  if (count > UINT32_MAX || capacity >= UINT32_MAX) return CCURL_TOO_LARGE;
  z_stream stream = {.next_in = (Bytef *)bytes, .avail_in = (uInt)count, .next_out = room, .avail_out = (uInt)capacity};
  // 32: gzip or zlib, by the header. A negative number: without any header.
  if (inflateInit2(&stream, has_header(bytes, count) ? 32 + MAX_WBITS : -MAX_WBITS) != Z_OK) return CCURL_TOO_LARGE;
  int status = inflate(&stream, Z_FINISH);
  if (status == Z_BUF_ERROR && stream.avail_out == 0) {
    // The end of the stream may be still to be read.
    unsigned char more;
    stream.next_out = &more;
    stream.avail_out = 1;
    status = inflate(&stream, Z_FINISH);
    if (stream.avail_out == 0) {
      inflateEnd(&stream);
      return CCURL_TOO_LARGE;
    }
  }
  *written = stream.total_out;
  inflateEnd(&stream);
  return status == Z_STREAM_END ? CCURL_EXPANDED : CCURL_DAMAGED;
}
