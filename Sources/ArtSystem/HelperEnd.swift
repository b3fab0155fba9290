// SPDX-License-Identifier: Apache-2.0

/// How a helper process ended.
public struct HelperEnd: Sendable, Hashable {
  /// What ended it.
  public enum Cause: Sendable, Hashable {
    /// It ended by itself, with that status; -1 when this process ignores SIGCHLD, so that the status is lost.
    case exit(Int32)
    /// A signal of that number; SIGKILL after `end`.
    case signal(Int32)
    /// It had been stopped; it was killed.
    case stopped
    /// It wrote a line longer than its limit, or announced more raw bytes; it was killed.
    case excessOutput
    /// It read nothing of what was sent to it for too long; it was killed.
    case inputBlocked
  }

  /// What ended it.
  public let cause: Cause
  /// The last of what it wrote to its standard error, at most 16 KiB.
  public let errors: String
  /// Whether it ended in the middle of a line, or of the raw bytes after one.
  public let isCutOff: Bool

  /// An end.
  public init(_ cause: Cause, errors: String, isCutOff: Bool = false) {
    self.cause = cause
    self.errors = errors
    self.isCutOff = isCutOff
  }
}

/// What a helper process may use.
public struct HelperLimits: Sendable, Hashable {
  /// Bytes of address space.
  public var memory: Int
  /// Seconds of processor time; nil for one that lives long.
  public var processorSeconds: Int?
  /// Bytes of a line; one with longer ones is killed.
  public var line: Int
  /// Raw bytes after a line that announces them; one that announces more is killed.
  public var bytes: Int
  /// How long it may read nothing of what is sent to it; one that takes longer is killed.
  public var inputTimeout = Duration.seconds(10)

  /// Limits of these sizes.
  public init(memory: Int, processorSeconds: Int?, line: Int, bytes: Int = 0) {
    self.memory = memory
    self.processorSeconds = processorSeconds
    self.line = line
    self.bytes = bytes
  }
}
