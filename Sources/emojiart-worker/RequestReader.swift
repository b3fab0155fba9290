// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// Reads requests from standard input, until that ends. A broken one ends the program: nobody knows where the next would begin.
struct RequestReader {
  /// Answers a request; the bytes are those that followed its line.
  let answer: (WorkerRequest, [UInt8]) -> Void

  /// Reads all of them.
  func run() {
    var splitter = FrameSplitter(lineLimit: WorkerRequest.lineLimit, bytesLimit: WorkerRequest.bodyLimit)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var waiting: WorkerRequest?
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { end(EX_IOERR, "cannot read requests: \(String(cString: strerror(errno)))") }
      guard count > 0 else { break }
      let isWhole = splitter.take(buffer[..<count]) { line in
        let request = parse(line)
        if case .decode(let bytes, _) = request {
          waiting = request
          return bytes
        }
        answer(request, [])
        return nil
      } bytes: { bytes in
        if let request = waiting { answer(request, bytes) }
        waiting = nil
      }
      guard isWhole else { end(EX_DATAERR, "a request that is too long") }
    }
    guard splitter.isAtBeginning else { end(EX_DATAERR, "a request that breaks off") }
  }

  private func parse(_ line: [UInt8]) -> WorkerRequest {
    do throws(ArtError) {
      return try line.withUnsafeBufferPointer { (bytes) throws(ArtError) in
        try JSONReader.read(bytes) { (reader) throws(ArtError) in try WorkerRequest(from: &reader) }
      }
    } catch {
      end(EX_DATAERR, error.message)
    }
  }
}
