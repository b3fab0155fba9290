// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// Reads what a worker writes, on a thread of its own, until the worker has ended and nothing is left to read.
struct WorkerReader: Sendable {
  let process: WorkerProcess
  /// Its standard output.
  let output: Int32
  /// Its standard error.
  let complaint: Int32
  /// A pipe that hangs up when it has ended. Its own streams say nothing of that: what it had started itself may hold
  /// them open.
  let ended: Int32
  let limits: WorkerLimits
  let onLine: @Sendable ([UInt8]) -> Int?
  let onBytes: @Sendable ([UInt8]) -> Void
  let onEnd: @Sendable (WorkerEnd) -> Void

  /// The most bytes that are kept of what it complains: the trace that Swift's runtime writes after its reason fits.
  static let complaintLimit = 1 << 14

  /// No pipe holds more than so many reads give: 1 MiB.
  static let readsAfterEnd = 1 << 8

  /// Reads all of it, then says how it ended.
  func run() {
    var splitter = FrameSplitter(lineLimit: limits.line, bytesLimit: limits.bytes)
    var words: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var ends = [pollfd(fd: output), pollfd(fd: complaint), pollfd(fd: ended)]
    var isOver = false
    var isBabble = false
    var left = Self.readsAfterEnd
    repeat {
      // Once it has ended, only what is there already is read.
      let count = poll(&ends, 3, isOver ? 0 : -1)
      if count < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        // The system does not say when there is something to read: trying again would keep a processor busy.
        process.kill(nil)
        break
      }
      if isOver { left -= 1 }
      if count == 0 || left == 0 { break }
      if ends[1].revents != 0 {
        let piece = piece(of: &ends[1], &buffer)
        words = Array((words + piece).suffix(Self.complaintLimit))
      }
      if ends[0].revents != 0, !splitter.take(piece(of: &ends[0], &buffer), line: onLine, bytes: onBytes) {
        process.kill(.babble)
        isBabble = true
        // Whatever else it says is not to be believed.
        ends[0].fd = -1
      }
      if ends[2].revents != 0 {
        isOver = true
        ends[2].fd = -1
      }
    } while true
    close(output)
    close(complaint)
    close(ended)
    onEnd(
      WorkerEnd(
        process.cause, complaint: String(decoding: words, as: UTF8.self),
        brokeOff: !isBabble && !splitter.isAtBeginning))
  }

  /// What is there to read; at the end of it nothing, and the stream is not looked at again.
  private func piece(of end: inout pollfd, _ buffer: inout [UInt8]) -> ArraySlice<UInt8> {
    let count = read(end.fd, &buffer, buffer.count)
    if count > 0 { return buffer[..<count] }
    if count == 0 || (errno != EINTR && errno != EAGAIN) { end.fd = -1 }
    return []
  }
}

extension pollfd {
  /// One to read from.
  fileprivate init(fd: Int32) { self.init(fd: fd, events: Int16(POLLIN), revents: 0) }
}
