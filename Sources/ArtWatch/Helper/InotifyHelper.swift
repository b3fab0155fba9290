// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// The helper, as the watcher sees it.
struct InotifyHelper: Sendable {
  let processID: Int32
  /// Writes to it. Throws `unavailable` when it takes nothing any more.
  let send: @Sendable ([UInt8]) throws(ArtError) -> Void
  /// Kills it, if it is still there.
  let end: @Sendable () -> Void

  /// How one is started: with what takes its lines, and what is told of its end.
  typealias Start =
    @Sendable (
      HelperProgram, @escaping @Sendable ([UInt8]) -> Void, @escaping @Sendable (HelperEnd) -> Void
    ) throws(ArtError) -> InotifyHelper

  /// It lives as long as the watcher; half a gigabyte is room for a million watches.
  private static let limits = HelperLimits(
    memory: 512 << 20, processorSeconds: nil, line: HelperLine.longest)

  /// The program itself.
  static let start: Start = { (program, onLine, onEnd) throws(ArtError) in
    do throws(HelperFailure) {
      let process = try HelperProcess(starting: program, limits: limits, onLine: onLine, onEnd: onEnd)
      return InotifyHelper(
        processID: process.processID,
        send: { (bytes) throws(ArtError) in
          do throws(HelperFailure) { try process.send(bytes) } catch { throw ArtError(error) }
        }, end: { process.end() })
    } catch {
      throw ArtError(error)
    }
  }
}
