// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE

#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

/// The streams: of each pair, this process's end and the program's end.
enum { input, output, errors, report, pair_count };

static void close_pairs(int pairs[pair_count][2]) {
  for (int i = 0; i < pair_count; i++)
    for (int side = 0; side < 2; side++)
      if (pairs[i][side] >= 0) close(pairs[i][side]);
}

void csystem_hide_memory(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

void csystem_return_freed_memory(void) { mallopt(M_MMAP_THRESHOLD, 1 << 20); }

int csystem_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) < 0 ? errno : 0; }

static int open_pairs(int pairs[pair_count][2]) {
  for (int i = 0; i < pair_count; i++) pairs[i][0] = pairs[i][1] = -1;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pairs[input]) < 0) return errno;
  for (int i = output; i < pair_count; i++) {
    int error = csystem_pipe(pairs[i]);
    if (error) return error;
  }
  // The program only reads from this stream.
  shutdown(pairs[input][0], SHUT_RD);
  return 0;
}

/// Makes all descriptors from 3 on close on exec; kernels before 5.11 need one call for each.
static void close_others_on_exec(void) {
  if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  struct rlimit files;
  rlim_t end = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < 65536 ? files.rlim_cur : 65536;
  for (int descriptor = STDERR_FILENO + 1; descriptor < (int)end; descriptor++) {
    int flags = fcntl(descriptor, F_GETFD);
    if (flags >= 0) fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
  }
}

/// Never raises a limit of this process.
static int limit(int resource, rlim_t soft, rlim_t hard) {
  struct rlimit now;
  if (getrlimit(resource, &now) < 0) return -1;
  if (hard < now.rlim_max) now.rlim_max = hard;
  now.rlim_cur = soft < now.rlim_max ? soft : now.rlim_max;
  return setrlimit(resource, &now);
}

/// Resets all signals except SIGKILL and SIGSTOP. Signals that were sent to our process group since the fork
/// are discarded, because they were not meant for this program.
static void reset_signals(void) {
  for (int number = 1; number < NSIG; number++) {
    struct sigaction action = {.sa_handler = SIG_IGN};
    sigaction(number, &action, NULL);
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, NULL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

/// Runs in the child, where only async-signal-safe calls are allowed. Returns the error number of the step that
/// failed.
static int become(
  const char *path, char *const arguments[], char *const environment[], struct csystem_limits limits,
  int pairs[pair_count][2], pid_t parent
) {
  if (setpgid(0, 0) < 0) return errno;
  // A parent that has ended before this call sends no signal any more.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return errno;
  if (getppid() != parent) _exit(1);
  // Where this process has no standard streams, the first pairs have the numbers 0 to 2. The program's end of
  // the first pair is never 0, and is copied before its number is reused; the other ends are 3 or more, because
  // pairs are opened in this order.
  for (int i = input; i <= errors; i++)
    if (dup2(pairs[i][1], i) < 0) return errno;
  close_others_on_exec();
  if (limit(RLIMIT_CORE, 0, 0) < 0) return errno;
  if (limits.processor_seconds && limit(RLIMIT_CPU, limits.processor_seconds, limits.processor_seconds + 1) < 0)
    return errno;
// The sanitizer's shadow memory takes more than any limit.
#if !__has_feature(address_sanitizer)
  if (limits.memory && limit(RLIMIT_AS, limits.memory, limits.memory) < 0) return errno;
#endif
  // A helper program must not gain privileges, by a setuid bit for example.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return errno;
  reset_signals();
  execve(path, arguments, environment);
  return errno;
}

/// Reads the report of the child: empty after a successful exec.
static int read_report(int descriptor) {
  int error = 0;
  ssize_t count;
  do count = read(descriptor, &error, sizeof error);
  while (count < 0 && errno == EINTR);
  return count == sizeof error ? error : 0;
}

int csystem_start(
  const char *path, char *const arguments[], char *const environment[], struct csystem_limits limits,
  struct csystem_process *started
) {
  int pairs[pair_count][2];
  int error = open_pairs(pairs);
  if (error) {
    close_pairs(pairs);
    return error;
  }
  // No signal handler of this process may run in the child, which has a copy of its memory and only one thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid();
  pid_t process = fork();
  if (process == 0) {
    error = become(path, arguments, environment, limits, pairs, parent);
    ssize_t count = write(pairs[report][1], &error, sizeof error);
    _exit(count == sizeof error ? 127 : 126);
  }
  error = process < 0 ? errno : 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!error) {
    close(pairs[report][1]);
    pairs[report][1] = -1;
    error = read_report(pairs[report][0]);
    if (error) csystem_reap(process);
  }
  if (error) {
    close_pairs(pairs);
    return error;
  }
  *started = (struct csystem_process){process, pairs[input][0], pairs[output][0], pairs[errors][0]};
  for (int i = input; i <= errors; i++) pairs[i][0] = -1;
  close_pairs(pairs);
  return 0;
}

enum csystem_change csystem_wait(pid_t process, bool or_stopped, int *number) {
  siginfo_t info = {0};
  int result;
  do result = waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT | (or_stopped ? WSTOPPED : 0));
  while (result < 0 && errno == EINTR);
  *number = result < 0 ? -1 : info.si_status;
  if (result < 0 || info.si_code == CLD_EXITED) return csystem_exited;
  return info.si_code == CLD_STOPPED ? csystem_stopped : csystem_signalled;
}

void csystem_reap(pid_t process) {
  int status;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
}
