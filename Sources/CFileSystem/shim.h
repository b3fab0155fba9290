// SPDX-License-Identifier: Apache-2.0
//
// statfs(2), the calls for extended attributes, and renameat2(2), which Swift's module of the C library leaves out.

#include <sys/vfs.h>
#include <sys/xattr.h>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Gives a file another name that nothing has: 0, or -1 with errno. EINVAL and ENOSYS where the file system or the kernel cannot.
static inline int rename_without_replacing(const char *from, const char *to) {
  const unsigned no_replace = 1;
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, no_replace);
}
