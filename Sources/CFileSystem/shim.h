// SPDX-License-Identifier: Apache-2.0
//
// statfs(2) and the calls for extended attributes, which Swift's module of the C library leaves out.

#include <sys/vfs.h>
#include <sys/xattr.h>
