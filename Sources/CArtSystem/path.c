// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE

#include "path.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool has_openat2;

static int open_strictly(const char *path, int flags, mode_t mode) {
  struct open_how how = {
      .flags = (__u64)(unsigned)flags,
      .mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? mode & 07777 : 0,
      .resolve = RESOLVE_NO_SYMLINKS,
  };
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

// A filter of system calls may refuse it with any error.
static void try_openat2(void) {
  int root = open_strictly("/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  has_openat2 = root >= 0;
  if (has_openat2) close(root);
}

int csystem_open_plain(const char *path, int flags, mode_t mode) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, try_openat2);
  if (has_openat2 && path[0] == '/') return open_strictly(path, flags | O_NOFOLLOW, mode);
  return open(path, flags | O_NOFOLLOW, mode);
}

bool csystem_birth_time(const char *path, struct timespec *time) {
  struct statx status;
  int result = statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status);
  if (result != 0 || !(status.stx_mask & STATX_BTIME)) return false;
  time->tv_sec = status.stx_btime.tv_sec;
  time->tv_nsec = status.stx_btime.tv_nsec;
  return true;
}
