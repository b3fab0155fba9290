// SPDX-License-Identifier: Apache-2.0

#ifndef CSYSTEM_PATH_H
#define CSYSTEM_PATH_H

#include <sys/types.h>

/// open(2) that follows no symbolic link, neither at the end of an absolute path nor on the way: ELOOP. It is for paths that were resolved
/// before: a link that is there now was put there meanwhile. Where the kernel has no openat2(2), before Linux 5.6, only a link at the end is
/// refused.
int csystem_open_plain(const char *_Nonnull path, int flags, mode_t mode);

#endif
