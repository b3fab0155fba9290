// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE

#include "arguments.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

static int count;
static char **arguments;

void csystem_require_proc(void) {
  if (access("/proc/self/exe", F_OK) == 0) return;
  char message[256];
  int length = snprintf(
    message, sizeof message, "%s: there is no /proc, which this program needs; mount it\n", program_invocation_short_name);
  if (length > 0 && (size_t)length < sizeof message) {
    // When this fails, there is no other place for the message.
    ssize_t written = write(2, message, (size_t)length);
    (void)written;
  }
  _exit(69);
}

// glibc passes the arguments of main to constructors, in static programs, too. This one runs before those of
// Swift's runtime, which in a static program reads the program's path from /proc, and aborts where it cannot.
// In a static program the kernel reports no dynamic linker.
__attribute__((constructor(101))) static void keep(int argc, char **argv) {
  count = argc;
  arguments = argv;
  if (getauxval(AT_BASE) == 0) csystem_require_proc();
}

int csystem_argument_count(void) { return count; }

const char *csystem_argument(int index) { return index >= 0 && index < count ? arguments[index] : ""; }
