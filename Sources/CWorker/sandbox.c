// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox_policy.h"

static bool has_seccomp(void) {
  uint32_t action = SECCOMP_RET_KILL_PROCESS;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

struct csandbox_ability csandbox_ability(void) {
  return (struct csandbox_ability){.landlock = landlock_version(), .seccomp = has_seccomp()};
}

void csandbox_begin(void) {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

// Sets both limits; never raises one.
static int limit(int resource, rlim_t value) {
  struct rlimit now;
  if (getrlimit(resource, &now) < 0) return errno;
  if (value < now.rlim_max) now.rlim_max = value;
  if (now.rlim_cur > now.rlim_max) now.rlim_cur = now.rlim_max;
  return setrlimit(resource, &now) < 0 ? errno : 0;
}

static int set_limits(const struct policy *policy) {
  // Standard error may be a file: a write to it must fail without ending the process.
  signal(SIGXFSZ, SIG_IGN);
  int error = limit(RLIMIT_FSIZE, 0);
  if (!error) error = limit(RLIMIT_CORE, 0);
  if (!error) error = limit(RLIMIT_NOFILE, policy->files);
  // Threads count as processes. The limit does not apply to root; the filter does.
  if (!error && !policy->has_threads) error = limit(RLIMIT_NPROC, 0);
  return error;
}

// Removes all capabilities, so that root has no more rights than others.
static void drop_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
  // Dropping them is always allowed; if it fails, the filter still applies.
  syscall(SYS_capset, &header, none);
}

// Landlock applies to the calling thread and its descendants: an existing thread would stay outside.
static bool is_one_thread(void) { return unshare(CLONE_THREAD) == 0 || errno != EINVAL; }

const char *csandbox_close(enum csandbox_policy which, const char *const *paths, int *number) {
  const struct policy *policy = policy_of(which);
  struct csandbox_ability ability = csandbox_ability();
  *number = 0;
  if (!is_one_thread()) {
    *number = EBUSY;
    return "a thread has begun before it";
  }
  if (chdir("/") < 0) {
    *number = errno;
    return "chdir";
  }
  if ((*number = set_limits(policy))) return "limits";
  drop_capabilities();
  if (ability.landlock && (*number = restrict_access(policy, paths, ability.landlock))) return "Landlock";
  if (ability.seccomp && (*number = filter_calls(policy))) return "seccomp";
  return NULL;
}
