// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CCurl.h"

#include <locale.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

int ccurl_address_bytes(const struct curl_sockaddr *address, unsigned char bytes[16]) {
  if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
    struct sockaddr_in internet;
    memcpy(&internet, &address->addr, sizeof internet);
    memcpy(bytes, &internet.sin_addr, 4);
    return 4;
  }
  if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
    // The address extends beyond the field, which is declared with the length of the shortest address.
    struct sockaddr_in6 internet;
    memcpy(&internet, (const char *)address + offsetof(struct curl_sockaddr, addr), sizeof internet);
    memcpy(bytes, &internet.sin6_addr, 16);
    return 16;
  }
  return 0;
}

curl_socket_t ccurl_socket(const struct curl_sockaddr *address) {
  int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  return descriptor < 0 ? CURL_SOCKET_BAD : descriptor;
}

CURLUcode ccurl_ascii_host(CURLU *url, char **host) {
  // libidn2 expects the name in the encoding of the locale, which Swift leaves at "C".
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
  CURLUcode code = curl_url_get(url, CURLUPART_HOST, host, CURLU_PUNYCODE);
  if (utf8) {
    uselocale(before);
    freelocale(utf8);
  }
  return code;
}
