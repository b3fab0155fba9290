// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE

#include "CArtSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

int csystem_rename_without_replacing(const char *path, const char *name) {
  return renameat2(AT_FDCWD, path, AT_FDCWD, name, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

int csystem_rename_exchanging(const char *path, const char *name) {
  return renameat2(AT_FDCWD, path, AT_FDCWD, name, RENAME_EXCHANGE) == 0 ? 0 : errno;
}
