// SPDX-License-Identifier: Apache-2.0

/// How a worker ended.
public struct WorkerEnd: Sendable, Equatable {
  /// What ended it.
  public enum Cause: Sendable, Equatable {
    /// It ended by itself, with that status; -1 when somebody else has taken the status away.
    case exit(Int32)
    /// A signal of that number; SIGKILL after `end`.
    case signal(Int32)
    /// Somebody had stopped it; it was killed.
    case stopped
    /// It wrote a line longer than its limit, or announced more raw bytes; it was killed.
    case babble
    /// It took nothing of what was sent to it for too long; it was killed.
    case deaf
  }

  /// What ended it.
  public let cause: Cause
  /// The last of what it wrote to its standard error, at most 16 KiB.
  public let complaint: String
  /// Whether it ended in the middle of a line, or of the raw bytes after one.
  public let brokeOff: Bool

  /// An end.
  public init(_ cause: Cause, complaint: String, brokeOff: Bool = false) {
    self.cause = cause
    self.complaint = complaint
    self.brokeOff = brokeOff
  }
}
