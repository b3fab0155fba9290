// SPDX-License-Identifier: Apache-2.0

#ifndef CSYSTEM_ARGUMENTS_H
#define CSYSTEM_ARGUMENTS_H

/// The number of the program's arguments, the program name included. Swift reads them from /proc/self/cmdline
/// instead, and reports none where it cannot open that file.
int csystem_argument_count(void);

/// The argument at an index, with a terminating zero byte.
const char *_Nonnull csystem_argument(int index);

/// Ends this process with status 69 and a message where there is no /proc. A static program does so before it
/// starts.
void csystem_require_proc(void);

#endif
