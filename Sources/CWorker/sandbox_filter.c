// SPDX-License-Identifier: Apache-2.0
// The filter of system calls, made with libseccomp.
#define _GNU_SOURCE
#include "sandbox_policy.h"

#include <errno.h>
#include <seccomp.h>
#include <unistd.h>

// Returns 0 or a negative error number, as libseccomp does.
static int add(scmp_filter_ctx filter, const struct call *call) {
  struct scmp_arg_cmp conditions[most_arguments];
  unsigned count = 0;
  for (unsigned index = 0; index < most_arguments; index++) {
    const struct argument *argument = &call->arguments[index];
    if (!argument->mask) continue;
    uint64_t value = argument->is_own_process ? (uint64_t)getpid() : argument->value;
    conditions[count++] = argument->mask == UINT64_MAX
                              ? SCMP_CMP64(argument->index, SCMP_CMP_EQ, value)
                              : SCMP_CMP64(argument->index, SCMP_CMP_MASKED_EQ, argument->mask, value);
  }
  uint32_t action = SCMP_ACT_ALLOW;
  // The system call is skipped and returns 0.
  if (call->answer) action = SCMP_ACT_ERRNO(call->answer == answer_done ? 0 : call->answer);
  return seccomp_rule_add_array(filter, action, call->number, count, conditions);
}

int filter_calls(const struct policy *policy) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
  if (!filter) return ENOMEM;
  // The numbers of another architecture would mean other calls.
  int error = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  // csandbox_begin has set it, also for systems without seccomp.
  if (!error) error = seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0);
  if (!error) error = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
  // Return the kernel's error number instead of a general one.
  if (!error) error = seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1);
  for (const struct call *const *list = policy->calls; *list && !error; list++) {
    // A call that this architecture lacks has a negative number and needs no rule.
    for (const struct call *call = *list; call->number != end_of_calls && !error; call++)
      if (call->number >= 0) error = add(filter, call);
  }
  if (!error) error = seccomp_load(filter);
  seccomp_release(filter);
  return -error;
}
