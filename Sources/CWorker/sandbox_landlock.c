// SPDX-License-Identifier: Apache-2.0
// Landlock by its system calls, with the constants that Debian's headers lack.
// https://docs.kernel.org/userspace-api/landlock.html
#define _GNU_SOURCE
#include "sandbox_policy.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The numbers are the same on all architectures.
enum { call_create_ruleset = 444, call_add_rule = 445, call_restrict_self = 446 };
enum { create_ruleset_version = 1, rule_path_beneath = 1 };

// Access rights, each with the version of the interface that introduced it.
enum {
  read_file = 1 << 2,
  read_folder = 1 << 3,
  rights_1 = (1 << 13) - 1,  // execute, write and read files, read folders, remove and make of each kind
  rights_2 = 1 << 13,        // move between folders
  rights_3 = 1 << 14,        // truncate
  rights_5 = 1 << 15,        // ioctl on devices
};
enum { bind_tcp = 1 << 0, connect_tcp = 1 << 1 };            // 4
enum { scope_abstract_sockets = 1 << 0, scope_signals = 1 << 1 };  // 6

struct ruleset {
  uint64_t files;
  uint64_t network;  // from version 4 on
  uint64_t scoped;   // from version 6 on
};

struct rule {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));

int landlock_version(void) {
  long version = syscall(call_create_ruleset, NULL, 0, create_ruleset_version);
  return version > 0 ? (int)version : 0;
}

static int allow(int ruleset, const char *path) {
  int descriptor = open(path, O_PATH | O_CLOEXEC);
  if (descriptor < 0) return 0;
  struct stat status;
  int error = 0;
  if (fstat(descriptor, &status) == 0) {
    // The kernel refuses rights of folders on files.
    struct rule rule = {read_file | (S_ISDIR(status.st_mode) ? read_folder : 0), descriptor};
    if (syscall(call_add_rule, ruleset, rule_path_beneath, &rule, 0) < 0) error = errno;
  }
  close(descriptor);
  return error;
}

static int allow_all(int ruleset, const char *const *paths) {
  int error = 0;
  for (; paths && *paths && !error; paths++) error = allow(ruleset, *paths);
  return error;
}

int restrict_access(const struct policy *policy, const char *const *paths, int version) {
  struct ruleset rules = {.files = rights_1};
  size_t size = sizeof rules.files;
  if (version >= 2) rules.files |= rights_2;
  if (version >= 3) rules.files |= rights_3;
  if (version >= 4) {
    size = offsetof(struct ruleset, scoped);
    rules.network = bind_tcp | (policy->connects ? 0 : connect_tcp);
  }
  if (version >= 5) rules.files |= rights_5;
  if (version >= 6) {
    size = sizeof rules;
    rules.scoped = scope_abstract_sockets | scope_signals;
  }
  int ruleset = (int)syscall(call_create_ruleset, &rules, size, 0);
  if (ruleset < 0) return errno;
  int error = allow_all(ruleset, policy->readable);
  if (!error) error = allow_all(ruleset, paths);
  if (!error && syscall(call_restrict_self, ruleset, 0) < 0) error = errno;
  close(ruleset);
  return error;
}
