// SPDX-License-Identifier: Apache-2.0
#include "CCurl.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Reads the next word of a line; false at the end. Skips anything in brackets.
static bool next_word(const char **rest, char *word, size_t room) {
  const char *place = *rest;
  while (isspace((unsigned char)*place) || *place == '[') {
    if (*place == '[') place = strchr(place, ']') ? strchr(place, ']') : place + strlen(place) - 1;
    place++;
  }
  size_t length = strcspn(place, " \t\n[#");
  *rest = place + length;
  if (length == 0 || length >= room) return false;
  memcpy(word, place, length);
  word[length] = 0;
  return true;
}

// glibc opens the modules for host names, except its own `files` and `dns`, when the modules before them did
// not find a name. It reuses a library that is already open.
static void open_name_services(void) {
  FILE *file = fopen("/etc/nsswitch.conf", "re");
  if (!file) return;
  char line[1024];
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, "hosts:", 6) != 0) continue;
    const char *rest = line + 6;
    char word[64];
    while (next_word(&rest, word, sizeof word)) {
      // Both are part of glibc since 2.34.
      if (strcmp(word, "files") == 0 || strcmp(word, "dns") == 0) continue;
      char name[128];
      snprintf(name, sizeof name, "libnss_%s.so.2", word);
      // A module that is not installed will be missing later, too.
      (void)dlopen(name, RTLD_NOW);
    }
  }
  fclose(file);
}

// Converting a non-ASCII name makes libidn2 load its tables and converter.
static void convert_a_name(void) {
  CURLU *url = curl_url();
  char *host = NULL;
  if (url && curl_url_set(url, CURLUPART_URL, "http://b\xc3\xbc" "cher.invalid/", 0) == CURLUE_OK)
    ccurl_ascii_host(url, &host);
  curl_free(host);
  curl_url_cleanup(url);
}

void ccurl_prepare(void) {
  open_name_services();
  convert_a_name();
}
