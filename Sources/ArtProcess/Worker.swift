// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CProcess

/// A program that does one thing for this one, on pipes. It never outlives this process, however that ends.
public final class Worker: Sendable {
  /// The process's number.
  public let processID: Int32

  /// Starts it. `onLine` is called with each line that it writes, without its line break, on a thread of the worker's
  /// own: while that call lasts nothing more is read. `onEnd` is called once, after the last line. Throws
  /// `unavailable` when it cannot be started.
  public init(
    starting program: WorkerProgram, arguments: [String] = [], limits: WorkerLimits,
    onLine: @escaping @Sendable ([UInt8]) -> Void, onEnd: @escaping @Sendable (WorkerEnd) -> Void
  ) throws(ArtError) {
    throw ArtError(.unavailable, "not built yet")
  }

  /// Writes to its standard input. Throws `unavailable` when it takes nothing any more.
  public func send(_ bytes: [UInt8]) throws(ArtError) {}

  /// Kills it, if it is still there; `onEnd` follows.
  public func end() {}
}

/// What a worker may use.
public struct WorkerLimits: Sendable, Equatable {
  /// Bytes of address space.
  public var memory: Int
  /// Seconds of processor time; nil for one that lives long.
  public var processorSeconds: Int?
  /// Bytes of a line; one with longer ones is killed.
  public var line: Int

  /// Limits of these sizes.
  public init(memory: Int, processorSeconds: Int?, line: Int) {
    self.memory = memory
    self.processorSeconds = processorSeconds
    self.line = line
  }
}

/// How a worker ended.
public struct WorkerEnd: Sendable, Equatable {
  /// What ended it.
  public enum Cause: Sendable, Equatable {
    /// It ended by itself, with that status.
    case exit(Int32)
    /// A signal of that number.
    case signal(Int32)
    /// Somebody had stopped it; it was killed.
    case stopped
    /// It wrote a line longer than its limit; it was killed.
    case babble
  }

  /// What ended it.
  public let cause: Cause
  /// The last of what it wrote to its standard error, at most 1 KiB.
  public let complaint: String

  /// An end.
  public init(_ cause: Cause, complaint: String) {
    self.cause = cause
    self.complaint = complaint
  }
}
