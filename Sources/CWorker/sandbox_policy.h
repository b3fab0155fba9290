// SPDX-License-Identifier: Apache-2.0
// The types of the table in sandbox_policy.c.
#ifndef CSANDBOX_POLICY_H
#define CSANDBOX_POLICY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "CSandbox.h"

/// A condition on an argument of a system call: (argument & mask) == value. A mask of 0 is no condition.
struct argument {
  unsigned index;
  uint64_t mask;
  uint64_t value;
  bool is_own_process;  ///< instead of the value: this process's number
};

/// The number of arguments of a call that can have conditions.
enum { most_arguments = 3 };

/// A system call that does not end the process. With an answer the call is skipped: it fails with that error
/// or, for `answer_done`, returns 0.
struct call {
  int number;  ///< libseccomp's
  int answer;  ///< 0: it is made
  struct argument arguments[most_arguments];
};
enum { answer_done = -1 };

/// The rights of a process.
struct policy {
  const struct call *const *calls;  ///< lists, each ended by `end_of_calls`; the whole ended by NULL
  const char *const *readable;      ///< files, and folders with all that is in them; ended by NULL
  bool connects;                    ///< whether it may connect TCP sockets
  rlim_t files;                     ///< descriptors
  bool has_threads;
};
enum { end_of_calls = -100000 };

/// The row of the table.
const struct policy *policy_of(enum csandbox_policy policy);

/// Filters system calls of all threads from now on. Returns 0 or the error number.
int filter_calls(const struct policy *policy);

/// Restricts this thread and its descendants to reading these files, without writing or executing any. Returns
/// 0 or the error number.
int restrict_access(const struct policy *policy, const char *const *paths, int version);

/// The version of Landlock's interface; 0 where there is none.
int landlock_version(void);

#endif
