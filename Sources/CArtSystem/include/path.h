// SPDX-License-Identifier: Apache-2.0

#ifndef CSYSTEM_PATH_H
#define CSYSTEM_PATH_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

/// open(2) that follows no symbolic link, neither at the end of an absolute path nor on the way: ELOOP. It is for paths that were resolved
/// before: a link that is there now was put there meanwhile. Where the kernel has no openat2(2), before Linux 5.6, only a link at the end is
/// refused.
int csystem_open_plain(const char *_Nonnull path, int flags, mode_t mode);

/// The time at which the file at a path was made, by statx(2), which Swift does not import; links are not followed. False where the file
/// system does not keep it.
bool csystem_birth_time(const char *_Nonnull path, struct timespec *_Nonnull time);

#endif
