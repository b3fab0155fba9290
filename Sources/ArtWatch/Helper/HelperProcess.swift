// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProcess

/// The helper, as the watcher sees it.
struct HelperProcess: Sendable {
  let processID: Int32
  /// Writes to it. Throws `unavailable` when it takes nothing any more.
  let send: @Sendable ([UInt8]) throws(ArtError) -> Void
  /// Kills it, if it is still there.
  let end: @Sendable () -> Void

  /// How one is started: with what takes its lines, and what is told of its end.
  typealias Start =
    @Sendable (
      WorkerProgram, @escaping @Sendable ([UInt8]) -> Void, @escaping @Sendable (WorkerEnd) -> Void
    ) throws(ArtError) -> HelperProcess

  /// It lives as long as the watcher; half a gigabyte is room for a million watches.
  private static let limits = WorkerLimits(
    memory: 512 << 20, processorSeconds: nil, line: HelperLine.longest)

  /// The program itself.
  static let start: Start = { (program, onLine, onEnd) throws(ArtError) in
    let worker = try Worker(starting: program, limits: limits, onLine: onLine, onEnd: onEnd)
    return HelperProcess(
      processID: worker.processID,
      send: { (bytes) throws(ArtError) in try worker.send(bytes) }, end: { worker.end() })
  }
}
