// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// What a program needs of the system before it relies on Dispatch, which traps where it can open no file, and waits for ever where it can
/// start no thread.
package enum ProgramStart {
  /// Throws `inputOutput` when fewer than `count` more files may be opened.
  package static func checkDescriptors(_ count: Int) throws(ArtError) {
    var free: [Int32] = []
    defer { for descriptor in free { close(descriptor) } }
    while free.count < count {
      let descriptor = fcntl(2, F_DUPFD_CLOEXEC, 3)
      guard descriptor >= 0 else {
        throw ArtError(
          .inputOutput,
          "only \(free.count) more files may be opened, and \(count) are needed; raise `ulimit -n`")
      }
      free.append(descriptor)
    }
  }

  /// Throws `inputOutput` where a limit leaves less than so much of the address space. Threads reserve much of it, and what asks for more later
  /// ends the program.
  package static func checkAddressSpace(_ bytes: Int) throws(ArtError) {
    guard let free = mmap(nil, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
      free != MAP_FAILED
    else {
      throw ArtError(
        .inputOutput, "less than \(bytes >> 20) MiB of memory may be reserved; raise `ulimit -v`")
    }
    munmap(free, bytes)
  }

  /// Prepares for threads: as many as the program needs at once can be started, and Ctrl-Z stops it only when it has no file open, whatever
  /// thread would receive the signal. Call it before there is another thread. `isStopped` is false where another thread stops the program.
  /// `report` writes a line for the user when it could not be stopped. Throws `inputOutput`.
  package static func prepareThreads(
    _ count: Int, isStopped: Bool = true, report: @escaping @Sendable (String) -> Void
  ) throws(ArtError) {
    try checkAddressSpace(count * bytesOfThread)
    do throws(SystemError) {
      if isStopped {
        try FileGate.shared.followStops { report("not stopped: a file is in use; try again") }
      }
      // One of these threads is kept.
      try ThreadPool.shared.prepare()
      try Threads.check(count - 1)
    } catch {
      throw .noThread(error)
    }
    // The C library keeps what it has reserved for these threads.
    try checkAddressSpace(count * bytesOfThread)
  }

  /// A stack, and what a thread allocates.
  private static let bytesOfThread = 16 << 20
}

extension ArtError {
  /// The error for a thread that cannot be started.
  package static func noThread(_ error: SystemError) -> ArtError {
    ArtError(.inputOutput, "cannot begin a thread: \(error.text); raise `ulimit -u`")
  }
}
