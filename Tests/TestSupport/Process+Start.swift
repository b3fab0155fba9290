// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Held while Foundation starts a process.
private let starting = Mutex(())

extension Process {
  /// Starts the program like `run`, one program at a time.
  ///
  /// Foundation reports the end of a program when a socket is closed that the program inherits. Until the program runs, another
  /// one that is started inherits the socket, too, and the end is reported only when both have ended. Two programs of which one
  /// runs until the other one has ended would then never end.
  ///
  /// From then on, writing to a program that has ended is an error and no signal. A handler ends with exec, while an ignored signal would be
  /// inherited by every program that a test starts.
  package func start() throws {
    signal(SIGPIPE) { _ in }
    try starting.withLock { _ in try run() }
  }
}

extension Pipe {
  /// A pipe whose ends no other program inherits. The ends of `Pipe()` are inherited by each program that is started while they are
  /// open: the end of a program's input would then come only when the other program has ended.
  package static func unshared() -> Pipe {
    starting.withLock { _ in
      let pipe = Pipe()
      for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
        _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
      }
      return pipe
    }
  }
}
