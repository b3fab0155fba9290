// SPDX-License-Identifier: Apache-2.0
// What Swift cannot do: between fork and exec only C is safe, and the words of waitid are macros.
#ifndef CSYSTEM_PROCESS_H
#define CSYSTEM_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// What a program may use; 0 where nothing limits it.
struct csystem_limits {
  uint64_t memory;             ///< bytes of address space
  uint64_t processor_seconds;  ///< seconds of processor time; then SIGXCPU, a second later SIGKILL
};

/// A program that was started, and this side's ends of its standard streams; all close on exec.
struct csystem_process {
  pid_t process;
  int input;      ///< a stream socket: `shutdown` wakes whoever waits on it, MSG_NOSIGNAL keeps SIGPIPE away
  int output;     ///< a pipe
  int errors;  ///< a pipe
};

/// Starts the program at a path, with these arguments and that environment, both ended by NULL, and returns when it runs. Gives 0
/// or the error number of what failed, exec included; then nothing is left.
///
/// It gets a process group of its own, default signals and none blocked, no descriptors but 0 to 2, no core files, no more
/// rights than this process, and it is killed when **the thread that called this** ends: that is what the kernel's parent death signal looks at.
int csystem_start(
  const char *path, char *const arguments[], char *const environment[], struct csystem_limits limits,
  struct csystem_process *started);

/// No other process of this user may open this one's memory and environment from here on (PR_SET_DUMPABLE), and it leaves no core
/// file. A program that it starts is not affected.
void csystem_hide_memory(void);

/// A pipe that closes on exec: the end to read, the end to write. Gives 0 or the error number.
int csystem_pipe(int ends[2]);

/// What has become of a process.
enum csystem_change { csystem_exited, csystem_signalled, csystem_stopped };

/// Waits until a process has ended, or been stopped where that is asked for. Its number stays its own until
/// `csystem_reap`. `number` is the exit status or the signal. Where somebody else has reaped it: exited with -1.
enum csystem_change csystem_wait(pid_t process, bool or_stopped, int *number);

/// Frees the number of a process that has ended.
void csystem_reap(pid_t process);

#endif
