// SPDX-License-Identifier: GPL-2.0-or-later
// The watches, through libinotifytools, whose state is global: everything here is for one thread.
#ifndef WATCHES_H
#define WATCHES_H

#include <stdbool.h>
#include <sys/inotify.h>
#include <sys/types.h>

// What is watched.
struct watched {
  int wd;
  dev_t device;
  ino_t inode;
};

// Begins. Gives the descriptor to poll, or the negative error number.
int watches_begin(void);

// Watches a folder, not what a symbolic link leads to; with little, only what becomes of the folder itself.
// Gives 0 or the error number. A folder that is watched already keeps its watch, and more of it is watched.
int watch_folder(const char *path, bool little, struct watched *watched);

// Ends a watch, if there is such a one.
void unwatch(int wd);

// The next event that is there already, or none. It is gone with the next call.
const struct inotify_event *next_event(void);

#endif
