// SPDX-License-Identifier: Apache-2.0
// Starting processes: between fork and exec only async-signal-safe C is allowed, and the constants of waitid
// are macros.
#ifndef CSYSTEM_PROCESS_H
#define CSYSTEM_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// Resource limits; 0 for no limit.
struct csystem_limits {
  uint64_t memory;             ///< bytes of address space
  uint64_t processor_seconds;  ///< seconds of processor time; then SIGXCPU, a second later SIGKILL
};

/// A started program, and this side's ends of its standard streams, which close on exec.
struct csystem_process {
  pid_t process;
  int input;      ///< a stream socket: `shutdown` wakes whoever waits on it, MSG_NOSIGNAL keeps SIGPIPE away
  int output;     ///< a pipe
  int errors;  ///< a pipe
};

/// Starts a program with these arguments and environment, both terminated by NULL, and returns when it runs.
/// Returns 0 or the error number of the step that failed, exec included; nothing remains then.
///
/// The program gets its own process group, default signal actions, an empty signal mask, only the descriptors 0
/// to 2, no core files and no new privileges. It is killed when **the calling thread** ends, because the parent
/// death signal belongs to that thread.
int csystem_start(
  const char *path, char *const arguments[], char *const environment[], struct csystem_limits limits,
  struct csystem_process *started);

/// Makes this process undumpable (PR_SET_DUMPABLE): other processes of this user cannot read its memory or
/// environment, and it leaves no core file. Does not affect programs that it starts.
void csystem_hide_memory(void);

/// Makes malloc(3) give blocks of 1 MiB and more, such as pictures, back to the system when they are freed. Without it the first freed block
/// raises the bound, up to 32 MiB, and later ones stay with the process (mallopt(3), M_MMAP_THRESHOLD).
void csystem_return_freed_memory(void);

/// Creates a pipe that closes on exec: the read end, then the write end. Returns 0 or the error number.
int csystem_pipe(int ends[2]);

/// A change of a process's state.
enum csystem_change { csystem_exited, csystem_signalled, csystem_stopped };

/// Waits until a process has ended or, with `or_stopped`, was stopped. The process ID stays valid until
/// `csystem_reap`. `number` is the exit status or the signal. A process that was reaped elsewhere counts as
/// exited with -1.
enum csystem_change csystem_wait(pid_t process, bool or_stopped, int *number);

/// Releases the ID of a process that has ended.
void csystem_reap(pid_t process);

#endif
