// SPDX-License-Identifier: GPL-2.0-or-later
// Watches, managed by libinotifytools. Its state is global: all functions must be called on one thread.
#ifndef WATCHES_H
#define WATCHES_H

#include <stdbool.h>
#include <sys/inotify.h>
#include <sys/types.h>

// A watched folder.
struct watched {
  int wd;
  dev_t device;
  ino_t inode;
};

// Initializes the library. Returns the descriptor to poll, or the negative error number.
int watches_begin(void);

// Watches a folder without following a symbolic link; with little, only moves and deletion of the folder
// itself. Returns 0 or the error number. A folder that is watched already keeps its watch, with the new events
// added.
int watch_folder(const char *path, bool little, struct watched *watched);

// Ends a watch, if it exists.
void unwatch(int wd);

// The next event that is available, or NULL. It is valid until the next call.
const struct inotify_event *next_event(void);

#endif
