// SPDX-License-Identifier: Apache-2.0

#ifndef CARGUMENTS_H
#define CARGUMENTS_H

/// The number of this program's arguments, its name included, as the system handed them to it. Swift reads them from
/// /proc/self/cmdline, and takes a file that it cannot open for a program without arguments.
int arguments_count(void);

/// The argument at an index below that number, ended by a zero byte.
const char *_Nonnull argument_at(int index);

#endif
