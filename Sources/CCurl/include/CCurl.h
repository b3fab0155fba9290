// SPDX-License-Identifier: Apache-2.0
// libcurl, and what Swift cannot call of it: functions with variable arguments.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

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

/// The list stays the caller's, and must outlive the transfer.
static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

/// CURL_ERROR_SIZE bytes that must outlive the transfer.
static inline CURLcode ccurl_set_error_buffer(CURL *handle, char *buffer) {
  return curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}

/// Who is given the header's lines, the body's bytes, and asked for a socket; the context goes to all of them.
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

/// 0 where it cannot be had.
static inline long ccurl_get_long(CURL *handle, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

/// 0 where it cannot be had.
static inline curl_off_t ccurl_get_time(CURL *handle, CURLINFO info) {
  curl_off_t value = 0;
  return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

/// The bytes of an address that is to be connected to; gives how many: 4, 16, or 0 for what is none of the internet.
int ccurl_address_bytes(const struct curl_sockaddr *address, unsigned char bytes[16]);

/// A socket for it that closes on exec, or CURL_SOCKET_BAD.
curl_socket_t ccurl_socket(const struct curl_sockaddr *address);

/// Has the libraries that find names open what they would open with the first one: a converter of characters, and the modules that
/// /etc/nsswitch.conf names.
void ccurl_prepare(void);

/// The file of certificates that libcurl was built to trust; NULL where there is none.
static inline const char *ccurl_authorities_file(void) { return curl_version_info(CURLVERSION_NOW)->cainfo; }

/// The folder of certificates that libcurl was built to trust; NULL where there is none.
static inline const char *ccurl_authorities_folder(void) { return curl_version_info(CURLVERSION_NOW)->capath; }

/// The host of a URL in ASCII, whatever this process's locale is; to be freed with `curl_free`.
CURLUcode ccurl_ascii_host(CURLU *url, char **host);

#endif
