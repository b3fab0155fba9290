// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE

#include "watches.h"

#include <errno.h>
#include <fcntl.h>
#include <inotifytools/inotifytools.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lines.h"

// The library neither exposes its descriptor nor waits for less than a second: the descriptor is looked up and
// polled.
static int find_descriptor(void) {
  for (int descriptor = 0; descriptor < FD_SETSIZE; descriptor++) {
    char link[32], target[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, target, sizeof target - 1);
    if (count < 0) continue;
    target[count] = 0;
    if (strcmp(target, "anon_inode:inotify") == 0) return descriptor;
  }
  return -ENOENT;
}

int watches_begin(void) {
  if (!inotifytools_initialize()) {
    int error = inotifytools_error();
    return error ? -error : -EMFILE;
  }
  int descriptor = find_descriptor();
  if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

// Makes a name for an open folder that the library has not been given before. The library keeps an entry for
// each name, even after the kernel has ended the watch, and would return the old number. So a counter is
// encoded in the name in binary: `./` for 0 and `.//` for 1. The name ends in a slash because the library
// appends one otherwise.
static void name_folder(char *name, size_t room, int folder) {
  static uint64_t count;
  int length = snprintf(name, room, "/proc/self/fd/%d/", folder);
  for (uint64_t rest = ++count; rest; rest >>= 1)
    length += snprintf(name + length, room - (size_t)length, rest & 1 ? ".//" : "./");
}

int watch_folder(const char *path, bool little, struct watched *watched) {
  // Opening the folder first fixes its identity: a symbolic link that replaces it later is not followed.
  int folder = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return errno;
  struct stat status;
  if (fstat(folder, &status) < 0) {
    int error = errno;
    close(folder);
    return error;
  }
  // An instance has one watch for a folder, and a new mask replaces the old one: the smaller mask must only be
  // added. No event of a reader is included, because reading a changed file would cause the next event.
  uint32_t mask = little
    ? IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR | IN_MASK_ADD
    : IN_CREATE | IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF
        | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;
  char name[256];
  name_folder(name, sizeof name, folder);
  int error = 0;
  if (!inotifytools_watch_file(name, (int)mask)) {
    error = inotifytools_error();
    if (!error) error = EIO;
  } else {
    *watched = (struct watched){inotifytools_wd_from_filename(name), status.st_dev, status.st_ino};
    // The library does not report a lack of memory for its entry. It never frees entries of deleted folders, so
    // retrying would not help; restarting this program does.
    if (watched->wd < 0) give_up(1, "no memory for another watch");
  }
  close(folder);
  return error;
}

void unwatch(int wd) { inotifytools_remove_watch_by_wd(wd); }

const struct inotify_event *next_event(void) {
  for (;;) {
    // inotifytools_next_event waits for ever with a timeout of 0; this function does not.
    const struct inotify_event *event = inotifytools_next_events(0, 1);
    if (event) return event;
    int error = inotifytools_error();
    if (!error || error == EAGAIN) return NULL;
    if (error != EINTR) give_up(1, "cannot read events: %s", strerror(error));
  }
}
