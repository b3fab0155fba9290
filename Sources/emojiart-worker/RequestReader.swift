// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// A request with the bytes that belong to it.
enum CompleteRequest {
  case fetch(WorkerRequest.Fetch)
  case decode([UInt8], PictureLimits)
  case anonymise([UInt8])
  case draw(Drawing)
  case measure(Words)
  case exchange(WorkerRequest.Exchange, [UInt8])
}

/// Reads requests from standard input until it ends. A malformed request ends the program, because the start of
/// the next one is not known.
struct RequestReader {
  /// The kind of requests that are allowed.
  private let verb: WorkerVerb
  /// Answers a request.
  private let answer: (CompleteRequest) -> Void
  private var splitter = FrameSplitter(
    lineLimit: WorkerRequest.lineLimit, bytesLimit: WorkerRequest.bodyLimit)
  /// The request whose bytes are still to come.
  private var pending: WorkerRequest?
  /// The parts of a drawing received so far.
  private var scene = SentScene()

  /// A reader that passes requests of that verb to `answer`.
  init(_ verb: WorkerVerb, _ answer: @escaping (CompleteRequest) -> Void) {
    self.verb = verb
    self.answer = answer
  }

  /// Reads all requests.
  mutating func run() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { end(EX_IOERR, "cannot read requests: \(SystemError.text(of: errno))") }
      guard count > 0 else { break }
      receive(buffer[..<count])
    }
    guard splitter.isAtBeginning, scene.isEmpty else { end(EX_DATAERR, "a request that breaks off") }
  }

  private mutating func receive(_ piece: ArraySlice<UInt8>) {
    // A copy of the splitter is used, because its closures change the other properties.
    var splitter = splitter
    self.splitter = FrameSplitter(lineLimit: 0, bytesLimit: 0)
    let isWhole = splitter.append(piece) { line in
      let request = parse(line)
      pending = request
      let count = request.bytesThatFollow
      if count == nil { finish([]) }
      return count
    } bytes: { bytes in
      finish(bytes)
    }
    guard isWhole else { end(EX_DATAERR, "a request that is too long") }
    self.splitter = splitter
  }

  /// Completes the pending request with the bytes that followed it.
  private mutating func finish(_ bytes: [UInt8]) {
    let request = pending
    pending = nil
    do throws(ArtError) {
      switch request {
      case .labels(_, let total): try scene.receive(labels: bytes, total: total)
      case .picture: try scene.receive(picture: bytes)
      case .draw(let draw): answer(.draw(try scene.drawing(draw)))
      case .fetch(let fetch):
        answer(.fetch(fetch))
      case .decode(_, let limits):
        answer(.decode(bytes, limits))
      case .anonymise: answer(.anonymise(bytes))
      case .measure(let words): answer(.measure(words))
      case .exchange(let exchange): answer(.exchange(exchange, bytes))
      case nil: break
      }
    } catch {
      end(EX_DATAERR, error.cause)
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
      end(EX_DATAERR, error.cause)
    }
  }
}
