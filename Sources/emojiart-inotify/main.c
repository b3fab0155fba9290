// SPDX-License-Identifier: GPL-2.0-or-later
// Reports file system events of folders: reads commands from stdin and writes events to stdout, one line each.
//
//   emojiart-inotify 1           first of all: the version of this protocol; or
//   failed initialize ERRNO      and the end
//
//   watch PATH    ->  watching WD DEV INO  or  failed watch ERRNO
//   guard PATH    ->  the same; only what becomes of the folder itself
//   unwatch WD        without an answer; an event with IN_IGNORED follows
//   event WD MASK COOKIE NAME    MASK in hexadecimal; WD -1 with IN_Q_OVERFLOW: events were lost
//
// In PATH and NAME each byte below 0x21, 0x7f and the backslash are written \xHH. Answers come in the order of
// the commands, and the answer to a watch before its events. The program ends with its standard input.
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sysexits.h>
#include <unistd.h>

#include "lines.h"
#include "watches.h"

// A command with a path in which each byte is escaped.
enum { longest_command = 4 * PATH_MAX + 64, events_at_once = 1024, rest_in_ms = 2 };

// The library uses select, so its descriptor must be a low one, and must not be a standard one.
static void settle_descriptors(void) {
  int lowest;
  do lowest = open("/dev/null", O_RDWR | O_CLOEXEC);
  while (lowest >= 0 && lowest <= STDERR_FILENO);
  if (close_range(STDERR_FILENO + 1, ~0U, 0) == 0) return;
  for (int descriptor = STDERR_FILENO + 1; descriptor < 1024; descriptor++) close(descriptor);
}

static void obey_watch(char *path, size_t count, bool little) {
  if (!line_unescape(path, count) || path[0] != '/') give_up(EX_USAGE, "not an absolute path in a command");
  struct watched watched;
  int error = watch_folder(path, little, &watched);
  if (error) line_format("failed watch %d", error);
  else line_format("watching %d %ju %ju", watched.wd, (uintmax_t)watched.device, (uintmax_t)watched.inode);
  line_end();
}

// Executes a command without its line break; there is space for a zero byte after it.
static void obey(char *line, size_t count) {
  line[count] = 0;
  if (strlen(line) == count) {
    if (strncmp(line, "watch ", 6) == 0) return obey_watch(line + 6, count - 6, false);
    if (strncmp(line, "guard ", 6) == 0) return obey_watch(line + 6, count - 6, true);
    if (strncmp(line, "unwatch ", 8) == 0 && line[8] >= '0' && line[8] <= '9') {
      char *end;
      errno = 0;
      long wd = strtol(line + 8, &end, 10);
      if (!*end && !errno && wd <= INT_MAX) return unwatch((int)wd);
    }
  }
  give_up(EX_USAGE, "not a command of protocol 1");
}

static void take_commands(void) {
  static char waiting[longest_command + 1];
  static size_t count_waiting;
  ssize_t count = read(STDIN_FILENO, waiting + count_waiting, longest_command - count_waiting);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count < 0 && errno != ECONNRESET) give_up(1, "cannot read commands: %s", strerror(errno));
  if (count <= 0) _exit(0);
  char *line = waiting, *end = waiting + count_waiting + (size_t)count, *stop;
  while ((stop = memchr(line, '\n', (size_t)(end - line)))) {
    obey(line, (size_t)(stop - line));
    line = stop + 1;
  }
  count_waiting = (size_t)(end - line);
  if (count_waiting == longest_command) give_up(EX_USAGE, "a command of more than %d bytes", longest_command);
  memmove(waiting, line, count_waiting);
}

// Writes events; returns whether there may be more.
static bool tell_events(void) {
  for (int i = 0; i < events_at_once; i++) {
    const struct inotify_event *event = next_event();
    if (!event) return false;
    line_format("event %d %x %u ", event->wd, event->mask, event->cookie);
    // The name is padded with zero bytes.
    if (event->len) line_escape(event->name, strnlen(event->name, event->len));
    line_end();
  }
  return true;
}

int main(int argc, char **argv) {
  (void)argv;
  // This process reads only names, but its memory is protected like that of the program that starts it.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  settle_descriptors();
  if (argc > 1) give_up(EX_USAGE, "takes no arguments: commands on stdin, see the head of its source");
  int events = watches_begin();
  if (events < 0) {
    line_format("failed initialize %d", -events);
    line_end();
    lines_flush();
    return 1;
  }
  line_format("emojiart-inotify 1");
  line_end();
  // The library may have events in its own buffer: then poll must not wait. After all events are written, only
  // commands are read for a moment, while the kernel collects and merges the events of a busy writer.
  for (bool more = false, rests = false;;) {
    lines_flush();
    struct pollfd ends[] = {
      {.fd = STDIN_FILENO, .events = POLLIN}, {.fd = rests ? -1 : events, .events = POLLIN}};
    if (poll(ends, 2, more ? 0 : rests ? rest_in_ms : -1) < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      give_up(1, "cannot wait: %s", strerror(errno));
    }
    if (ends[0].revents) take_commands();
    rests = false;
    if (ends[1].revents || more) {
      more = tell_events();
      rests = !more;
    }
  }
}
