// SPDX-License-Identifier: Apache-2.0
// What Swift cannot do on this system, or cannot see of it.
#ifndef CSYSTEM_H
#define CSYSTEM_H

// statfs(2) and the calls for extended attributes, which Swift's module of the C library leaves out.
#include <sys/vfs.h>
#include <sys/xattr.h>

#include "arguments.h"
#include "process.h"

/// Gives a file another name that nothing has yet. Gives 0 or the error number: EEXIST where something has it.
int csystem_rename_without_replacing(const char *_Nonnull path, const char *_Nonnull name);

#endif
