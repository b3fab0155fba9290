// SPDX-License-Identifier: Apache-2.0
// libcurl, and wrappers for its functions with variable arguments, which Swift cannot call.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <stddef.h>

#if LIBCURL_VERSION_NUM < 0x075800
#error "libcurl 7.88 or later is needed: CURLOPT_PROTOCOLS_STR, CURLU_PUNYCODE"
#endif

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

/// libcurl copies the text.
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

/// The caller owns the list, which must outlive the transfer.
static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

/// Sends these bytes as the body. They must outlive the transfer.
static inline CURLcode ccurl_set_body(CURL *handle, const void *bytes, curl_off_t count) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_POSTFIELDS, count ? (const char *)bytes : "") : code;
}

/// CURL_ERROR_SIZE bytes that must outlive the transfer.
static inline CURLcode ccurl_set_error_buffer(CURL *handle, char *buffer) {
  return curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}

/// Sets the callbacks for the lines of the head, the bytes of the body, and new sockets; all get the context.
static inline void ccurl_set_callbacks(
  CURL *handle, curl_write_callback header, curl_write_callback body, curl_opensocket_callback socket, void *context
) {
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, socket);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
}

/// Returns 0 where the value is not available.
static inline long ccurl_get_long(CURL *handle, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

/// Returns 0 where the value is not available.
static inline curl_off_t ccurl_get_time(CURL *handle, CURLINFO info) {
  curl_off_t value = 0;
  return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

/// Copies the bytes of an address and returns their number: 4, 16, or 0 for another address family.
int ccurl_address_bytes(const struct curl_sockaddr *address, unsigned char bytes[16]);

/// A socket for the address that closes on exec, or CURL_SOCKET_BAD.
curl_socket_t ccurl_socket(const struct curl_sockaddr *address);

/// Makes the resolver's libraries open what they would open with the first lookup: a character converter, and
/// the modules named in /etc/nsswitch.conf.
void ccurl_prepare(void);

/// The file of trusted certificates that libcurl was built with; NULL where there is none.
static inline const char *ccurl_authorities_file(void) { return curl_version_info(CURLVERSION_NOW)->cainfo; }

/// The folder of trusted certificates that libcurl was built with; NULL where there is none.
static inline const char *ccurl_authorities_folder(void) { return curl_version_info(CURLVERSION_NOW)->capath; }

/// What became of compressed bytes.
enum ccurl_expanded { CCURL_EXPANDED, CCURL_DAMAGED, CCURL_TOO_LARGE };

/// Expands the body of an answer into `room` and sets `written`, at most `capacity` bytes. Bytes in gzip or zlib say so themselves; all
/// others are read as plain deflate, as some servers send it. What follows the compressed bytes is ignored.
enum ccurl_expanded ccurl_expand(
  const unsigned char *bytes, size_t count, unsigned char *room, size_t capacity, size_t *written);

/// The host of a URL in ASCII, independent of the locale; free it with `curl_free`.
CURLUcode ccurl_ascii_host(CURLU *url, char **host);

#endif
