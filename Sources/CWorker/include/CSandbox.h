// SPDX-License-Identifier: Apache-2.0
// The sandbox of a process that reads what strangers send: what it may still do stands in sandbox_policy.c.
#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stdbool.h>

/// What a process does in its sandbox. Each is a row of the table in sandbox_policy.c.
enum csandbox_policy {
  csandbox_decode,          ///< decodes pictures on one thread
  csandbox_decode_threads,  ///< decodes pictures on several threads
  csandbox_draw,            ///< draws
  csandbox_fetch,           ///< fetches from the network
};

/// What the system has for a sandbox.
struct csandbox_ability {
  int landlock;  ///< the version of Landlock's interface; 0 where there is none
  bool seccomp;  ///< whether system calls can be filtered
};

/// Looks what the system has; changes nothing.
struct csandbox_ability csandbox_ability(void);

/// The first thing that a process does: it can gain no rights any more, and no other process of the same user may open its memory
/// and environment.
void csandbox_begin(void);

/// Closes the sandbox for good, before the first thread is begun: what the policy needs must be open by now. `paths` are files and
/// folders that stay readable beside those of the policy, ended by NULL; what is not there is left out. A system without Landlock or
/// without seccomp gets what it has. Gives NULL, or the name of the step that failed, with its error number in `number`: then the
/// process must not read what strangers send.
const char *csandbox_close(enum csandbox_policy policy, const char *const *paths, int *number);

#endif
