// SPDX-License-Identifier: Apache-2.0
// The sandbox of a process that reads untrusted data; its rights are in sandbox_policy.c.
#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stdbool.h>

/// The task of a process. Each is a row of the table in sandbox_policy.c.
enum csandbox_policy {
  csandbox_decode,   ///< decodes pictures
  csandbox_draw,     ///< draws
  csandbox_measure,  ///< measures text
  csandbox_fetch,    ///< fetches from the network
  csandbox_store,    ///< exchanges objects with a store
};

/// The sandbox features of the system.
struct csandbox_ability {
  int landlock;  ///< the version of Landlock's interface; 0 where there is none
  bool seccomp;  ///< whether system calls can be filtered
};

/// Queries the features; changes nothing.
struct csandbox_ability csandbox_ability(void);

/// The first call of a process: no new privileges, and no access to its memory and environment by other
/// processes of the same user.
void csandbox_begin(void);

/// Enters the sandbox permanently. Call it before the first thread is started; everything that the policy needs
/// must be open. `paths`, terminated by NULL, are files and folders that stay readable besides those of the
/// policy; missing ones are ignored. Without Landlock or seccomp, only the other one applies. Returns NULL, or
/// the name of the step that failed with its error number in `number`: the process must not read untrusted data
/// then.
const char *csandbox_close(enum csandbox_policy policy, const char *const *paths, int *number);

#endif
