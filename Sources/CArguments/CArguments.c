// SPDX-License-Identifier: Apache-2.0

#include "CArguments.h"

#include <unistd.h>

static int count;
static char **arguments;

// glibc calls constructors with what it calls main with, in static programs, too. This one comes before those of Swift's runtime,
// which aborts without /proc: it reads its own path there.
__attribute__((constructor(101))) static void keep(int argc, char **argv) {
  static const char complaint[] = "emojiart: there is no /proc, which this program needs; mount it\n";
  count = argc;
  arguments = argv;
  if (access("/proc/self/exe", F_OK) == 0) return;
  // When this fails there is nobody left to tell.
  ssize_t written = write(2, complaint, sizeof complaint - 1);
  (void)written;
  _exit(69);
}

int arguments_count(void) { return count; }

const char *argument_at(int index) { return index < count ? arguments[index] : ""; }
