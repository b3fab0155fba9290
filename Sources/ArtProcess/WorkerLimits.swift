// SPDX-License-Identifier: Apache-2.0

/// What a worker may use.
public struct WorkerLimits: Sendable, Equatable {
  /// Bytes of address space.
  public var memory: Int
  /// Seconds of processor time; nil for one that lives long.
  public var processorSeconds: Int?
  /// Bytes of a line; one with longer ones is killed.
  public var line: Int
  /// Raw bytes after a line that announces them; one that announces more is killed.
  public var bytes: Int
  /// How long it may take nothing of what is sent to it; one that takes longer is killed.
  public var patience = Duration.seconds(10)

  /// Limits of these sizes.
  public init(memory: Int, processorSeconds: Int?, line: Int, bytes: Int = 0) {
    self.memory = memory
    self.processorSeconds = processorSeconds
    self.line = line
    self.bytes = bytes
  }
}
