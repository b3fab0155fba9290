// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE

#include "lines.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char waiting[1 << 16];
static size_t count_waiting;

void give_up(int status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("emojiart-inotify: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  _exit(status);
}

void lines_flush(void) {
  size_t written = 0;
  while (written < count_waiting) {
    // After poll, a pipe accepts PIPE_BUF bytes without blocking. So a reader that does not read cannot keep
    // this program from noticing that its input was closed.
    struct pollfd ends[] = {{.fd = STDOUT_FILENO, .events = POLLOUT}, {.fd = STDIN_FILENO, .events = POLLRDHUP}};
    if (poll(ends, 2, -1) < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      give_up(1, "cannot wait for stdout: %s", strerror(errno));
    }
    if (!ends[0].revents) _exit(0);
    size_t piece = count_waiting - written;
    ssize_t count = write(STDOUT_FILENO, waiting + written, piece < PIPE_BUF ? piece : PIPE_BUF);
    if (count < 0 && errno != EINTR && errno != EAGAIN) give_up(1, "cannot write: %s", strerror(errno));
    if (count > 0) written += (size_t)count;
  }
  count_waiting = 0;
}

static void line_byte(char byte) {
  if (count_waiting == sizeof waiting) lines_flush();
  waiting[count_waiting++] = byte;
}

void line_format(const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  int count = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  for (int i = 0; i < count && i < (int)sizeof text - 1; i++) line_byte(text[i]);
}

void line_escape(const char *bytes, size_t count) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < count; i++) {
    unsigned char byte = (unsigned char)bytes[i];
    if (byte > 0x20 && byte != 0x7f && byte != '\\') {
      line_byte((char)byte);
    } else {
      line_byte('\\');
      line_byte('x');
      line_byte(digits[byte >> 4]);
      line_byte(digits[byte & 15]);
    }
  }
}

void line_end(void) { line_byte('\n'); }

static int digit(char byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
  return -1;
}

bool line_unescape(char *text, size_t count) {
  size_t to = 0;
  for (size_t from = 0; from < count; from++) {
    unsigned char byte = (unsigned char)text[from];
    if (byte <= 0x20 || byte == 0x7f) return false;
    if (byte == '\\') {
      if (count - from < 4 || text[from + 1] != 'x') return false;
      int high = digit(text[from + 2]), low = digit(text[from + 3]);
      if (high < 0 || low < 0 || (high == 0 && low == 0)) return false;
      byte = (unsigned char)(high << 4 | low);
      from += 3;
    }
    text[to++] = (char)byte;
  }
  text[to] = 0;
  return true;
}
