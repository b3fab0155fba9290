// SPDX-License-Identifier: Apache-2.0

#ifndef CSYSTEM_ARGUMENTS_H
#define CSYSTEM_ARGUMENTS_H

/// The number of this program's arguments, its name included, as the system handed them to it. Swift reads them from
/// /proc/self/cmdline, and takes a file that it cannot open for a program without arguments.
int csystem_argument_count(void);

/// The argument at an index below that number, ended by a zero byte.
const char *_Nonnull csystem_argument(int index);

/// Ends this process with status 69 and a line that says so where there is no /proc. A static program does that before it begins.
void csystem_require_proc(void);

#endif
