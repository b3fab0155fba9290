// SPDX-License-Identifier: Apache-2.0
// System calls that Swift cannot make or does not import.
#ifndef CSYSTEM_H
#define CSYSTEM_H

// statfs(2) and extended attributes, which Swift's module of the C library does not include.
#include <sys/vfs.h>
#include <sys/xattr.h>

#include "arguments.h"
#include "path.h"
#include "peer.h"
#include "process.h"

/// Renames a file without replacing another. Returns 0 or the error number: EEXIST where the name exists.
int csystem_rename_without_replacing(const char *_Nonnull path, const char *_Nonnull name);

/// Exchanges two files' names in one step. Returns 0 or the error number: EINVAL where the file system cannot do it.
int csystem_rename_exchanging(const char *_Nonnull path, const char *_Nonnull name);

#endif
