// SPDX-License-Identifier: Apache-2.0
// The rights of the worker while it reads untrusted data: the complete table. Any other system call ends the
// process (SECCOMP_RET_KILL_PROCESS). docs/decisions/0025-sandbox.md explains how the lists were measured.
#define _GNU_SOURCE
#include "sandbox_policy.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#define ALLOW(name) {.number = SCMP_SYS(name)}
#define ALLOW_IF(name, ...) {.number = SCMP_SYS(name), .arguments = {__VA_ARGS__}}
#define ANSWER(name, error) {.number = SCMP_SYS(name), .answer = error}
#define ANSWER_IF(name, error, ...) {.number = SCMP_SYS(name), .answer = error, .arguments = {__VA_ARGS__}}
#define END {.number = end_of_calls}

// Conditions on an argument.
#define IS(index, value) {index, UINT64_MAX, (uint64_t)(value)}
#define LACKS(index, bits) {index, (uint64_t)(bits), 0}
#define HAS(index, bits, value) {index, (uint64_t)(bits), (uint64_t)(value)}
#define IS_OWN_PROCESS(index) {index, UINT64_MAX, 0, true}

// The flags of open that write or create a file. O_TMPFILE is a bit of its own combined with O_DIRECTORY.
#define WRITING (O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))
// The type of a socket, without its flags.
#define KIND 0xf

// MARK: System calls

// All verbs: pipes, memory, the end of the process, and its own signals.
static const struct call basics[] = {
    ALLOW(read), ALLOW(write), ALLOW(writev), ALLOW(close),
    ALLOW_IF(mmap, LACKS(2, PROT_EXEC)), ALLOW_IF(mmap2, LACKS(2, PROT_EXEC)), ALLOW_IF(mprotect, LACKS(2, PROT_EXEC)),
    ALLOW(munmap), ALLOW(mremap), ALLOW(brk), ALLOW(madvise),
    ALLOW(futex), ALLOW(futex_time64), ALLOW(sched_yield),
    ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(sigaltstack), ALLOW(restart_syscall),
    ALLOW(getpid), ALLOW(gettid), ALLOW_IF(tgkill, IS_OWN_PROCESS(0)),  // abort()
    ALLOW(getrandom), ALLOW(clock_gettime), ALLOW(gettimeofday), ALLOW(time), ALLOW(sysinfo),
    // The second is pthread_getaffinity_np, by which GLib counts processors from Debian 13 on.
    ALLOW_IF(sched_getaffinity, IS(0, 0)), ALLOW_IF(sched_getaffinity, IS_OWN_PROCESS(0)),
    ALLOW_IF(prlimit64, IS(0, 0), IS(2, 0)),  // getrlimit
    ALLOW(exit), ALLOW(exit_group),
    END};

// Verbs that open nothing: standard error is redirected to /dev/null, which is open, and back. Files that
// libraries read to tune themselves, for the number of processors or the time zone, appear as missing.
static const struct call nothing_opened[] = {
    ALLOW(dup2), ALLOW_IF(dup3, IS(2, 0)), ALLOW(fstat), ALLOW(fstat64),
    ANSWER_IF(open, EACCES, LACKS(1, WRITING)), ANSWER_IF(openat, EACCES, LACKS(2, WRITING)),
    ANSWER(access, EACCES), ANSWER(faccessat, EACCES), ANSWER(faccessat2, EACCES),
    ANSWER(stat, EACCES), ANSWER(newfstatat, EACCES), ANSWER(statx, EACCES),
    ANSWER(readlink, EACCES), ANSWER(readlinkat, EACCES),
    END};

// Threads, but no processes. The arguments of clone3 are in memory, where a filter cannot read them: glibc
// falls back to clone.
#define THREAD                                                                                                     \
  (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | \
   CLONE_CHILD_CLEARTID)
static const struct call threads[] = {
    ANSWER(clone3, ENOSYS), ALLOW_IF(clone, IS(0, THREAD)),
    ALLOW(set_robust_list), ALLOW(rseq), ALLOW_IF(prctl, IS(0, PR_SET_NAME)),
    // GLib of Debian 12 gives the threads of chafa's pool the scheduling of the thread that created it, which they
    // have already.
    ALLOW(sched_getattr), ANSWER(sched_setattr, answer_done),
    END};

// Fetching: Landlock limits the files that can be read, and sockets are internet sockets. Other families fail
// without ending the process, because glibc tries them first: for its name cache and for the machine's own
// addresses.
static const struct call network[] = {
    ALLOW_IF(open, LACKS(1, WRITING)), ALLOW_IF(openat, LACKS(2, WRITING)),
    ALLOW(lseek), ALLOW(fstat), ALLOW(fstat64), ALLOW(stat), ALLOW(newfstatat), ALLOW(statx), ALLOW(uname),
    ALLOW(access), ALLOW(faccessat), ALLOW(faccessat2), ALLOW(readlink), ALLOW(readlinkat), ALLOW(getdents64),
    ALLOW_IF(fcntl, IS(1, F_GETFL)), ALLOW_IF(fcntl, IS(1, F_SETFL)), ALLOW_IF(fcntl, IS(1, F_GETFD)),
    ALLOW_IF(fcntl, IS(1, F_SETFD)),
    ALLOW_IF(ioctl, IS(1, FIONBIO)), ALLOW_IF(ioctl, IS(1, FIONREAD)),
    ALLOW(poll), ALLOW(ppoll), ALLOW(pipe2), ALLOW(eventfd2),
    // libcurl uses it to wake itself. A connected stream socket cannot be redirected; a datagram socket could.
    ALLOW_IF(socketpair, IS(0, AF_UNIX), HAS(1, KIND, SOCK_STREAM)),
    ALLOW_IF(socket, IS(0, AF_INET), HAS(1, KIND, SOCK_STREAM), IS(2, 0)),
    ALLOW_IF(socket, IS(0, AF_INET), HAS(1, KIND, SOCK_STREAM), IS(2, IPPROTO_TCP)),
    ALLOW_IF(socket, IS(0, AF_INET), HAS(1, KIND, SOCK_DGRAM), IS(2, 0)),
    ALLOW_IF(socket, IS(0, AF_INET), HAS(1, KIND, SOCK_DGRAM), IS(2, IPPROTO_UDP)),
    ALLOW_IF(socket, IS(0, AF_INET6), HAS(1, KIND, SOCK_STREAM), IS(2, 0)),
    ALLOW_IF(socket, IS(0, AF_INET6), HAS(1, KIND, SOCK_STREAM), IS(2, IPPROTO_TCP)),
    ALLOW_IF(socket, IS(0, AF_INET6), HAS(1, KIND, SOCK_DGRAM), IS(2, 0)),
    ALLOW_IF(socket, IS(0, AF_INET6), HAS(1, KIND, SOCK_DGRAM), IS(2, IPPROTO_UDP)),
    ANSWER_IF(socket, EACCES, IS(0, AF_UNIX)), ANSWER_IF(socket, EACCES, IS(0, AF_NETLINK)),
    ALLOW(connect), ALLOW(sendto), ALLOW(sendmsg), ALLOW(sendmmsg), ALLOW(recvfrom), ALLOW(recvmsg), ALLOW(shutdown),
    ALLOW_IF(getsockopt, IS(1, SOL_SOCKET)), ALLOW_IF(getsockopt, IS(1, IPPROTO_TCP)),
    ALLOW_IF(setsockopt, IS(1, SOL_SOCKET)), ALLOW_IF(setsockopt, IS(1, IPPROTO_TCP)),
    ALLOW_IF(setsockopt, IS(1, IPPROTO_IP)), ALLOW_IF(setsockopt, IS(1, IPPROTO_IPV6)),
    ALLOW(getsockname), ALLOW(getpeername),
    ALLOW(getuid), ALLOW(geteuid), ALLOW(getgid), ALLOW(getegid),  // libraries that mind setuid programs
    END};

// MARK: Files

static const char *const no_files[] = {NULL};

// Files for name resolution, and the targets of certificates in the folders of libcurl. The file in the
// environment and libcurl's own are added to these.
static const char *const name_files[] = {
    "/etc/hosts", "/etc/host.conf", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
    // The targets of the links in /etc/ssl/certs.
    "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/etc/ssl/openssl.cnf", NULL};

// MARK: The table

static const struct policy table[] = {
    [csandbox_decode] = {
        .calls = (const struct call *const[]){basics, nothing_opened, NULL},
        .readable = no_files, .files = 8},
    [csandbox_measure] = {
        .calls = (const struct call *const[]){basics, nothing_opened, NULL},
        .readable = no_files, .files = 8},
    [csandbox_draw] = {
        .calls = (const struct call *const[]){basics, nothing_opened, threads, NULL},
        .readable = no_files, .files = 8, .has_threads = true},
    [csandbox_fetch] = {
        .calls = (const struct call *const[]){basics, network, threads, NULL},
        .readable = name_files, .connects = true, .files = 64, .has_threads = true},
    [csandbox_store] = {
        .calls = (const struct call *const[]){basics, network, threads, NULL},
        .readable = name_files, .connects = true, .files = 32, .has_threads = true},
};

const struct policy *policy_of(enum csandbox_policy policy) { return &table[policy]; }
