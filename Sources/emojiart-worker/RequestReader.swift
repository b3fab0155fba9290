// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// A request with all that belongs to it.
enum Question {
  case fetch(WorkerRequest.Fetch)
  case decode([UInt8], PictureLimits)
  case draw(Drawing)
}

/// Reads requests from standard input, until that ends. A broken one ends the program: nobody knows where the next would begin.
struct RequestReader {
  /// What requests are answered.
  private let verb: WorkerVerb
  /// Answers a request.
  private let answer: (Question) -> Void
  private var splitter = FrameSplitter(
    lineLimit: WorkerRequest.lineLimit, bytesLimit: WorkerRequest.bodyLimit)
  /// What waits for the bytes that follow it.
  private var waiting: WorkerRequest?
  /// What was sent of a drawing.
  private var scene = SentScene()

  /// A reader that hands requests of that verb to `answer`.
  init(_ verb: WorkerVerb, _ answer: @escaping (Question) -> Void) {
    self.verb = verb
    self.answer = answer
  }

  /// Reads all of them.
  mutating func run() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { end(EX_IOERR, "cannot read requests: \(SystemError.text(of: errno))") }
      guard count > 0 else { break }
      take(buffer[..<count])
    }
    guard splitter.isAtBeginning, scene.isEmpty else { end(EX_DATAERR, "a request that breaks off") }
  }

  private mutating func take(_ piece: ArraySlice<UInt8>) {
    // The splitter is used apart, for what it hands out changes the rest of this.
    var splitter = splitter
    self.splitter = FrameSplitter(lineLimit: 0, bytesLimit: 0)
    let isWhole = splitter.take(piece) { line in
      let request = parse(line)
      waiting = request
      let count = request.bytesThatFollow
      if count == nil { finish([]) }
      return count
    } bytes: { bytes in
      finish(bytes)
    }
    guard isWhole else { end(EX_DATAERR, "a request that is too long") }
    self.splitter = splitter
  }

  /// Does what is waited for, with the bytes that followed it.
  private mutating func finish(_ bytes: [UInt8]) {
    let request = waiting
    waiting = nil
    do throws(ArtError) {
      switch request {
      case .labels(_, let total): try scene.receive(labels: bytes, total: total)
      case .picture: try scene.receive(picture: bytes)
      case .draw(let draw): answer(.draw(try scene.drawing(draw)))
      case .fetch(let fetch):
        answer(.fetch(fetch))
      case .decode(_, let limits):
        answer(.decode(bytes, limits))
      case nil: break
      }
    } catch {
      end(EX_DATAERR, error.message)
    }
  }

  private func parse(_ line: [UInt8]) -> WorkerRequest {
    do throws(ArtError) {
      let request = try line.withUnsafeBufferPointer { (bytes) throws(ArtError) in
        try JSONReader.read(bytes) { (reader) throws(ArtError) in try WorkerRequest(from: &reader) }
      }
      guard verb.accepts(request) else {
        throw ArtError(.badValue, "a request that this worker was not started for")
      }
      return request
    } catch {
      end(EX_DATAERR, error.message)
    }
  }
}
