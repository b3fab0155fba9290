// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// What this program and a helper program say to each other about one drawing.
///
/// ```
///   greeting --hello--> asked --part(n)--> receiving(n) --n bytes--> asked
///                         '-- drawn, notDrawn --> answered --it ends well--> believed
/// ```
/// Anything else leads to `broken`, from where nothing leads. The parts are passed on as they come, and count when the answer
/// that follows them is `drawn` and is believed.
struct DrawingDialogue: HelperDialogue {
  private enum State {
    case greeting
    case asked
    case receiving(Int)
    case answered(Result<Drawn, DrawingRefusal>)
    case broken(ArtError)
  }

  static var cancelled: DrawingFailure { .cancelled }

  private let path: String
  /// Bytes of all parts, at most, and how many there may still be.
  private let limit: Int
  private var left: Int
  private var state = State.greeting

  /// Nothing has been said yet.
  init(with program: HelperProgram, limit: Int) {
    path = program.path
    self.limit = limit
    left = limit
  }

  mutating func heard(line: [UInt8]) -> DialogueEffect<[UInt8]> {
    let reply: WorkerReply
    do throws(ArtError) { reply = try WorkerReply(line: line) } catch {
      return breaks(.nonsense(path, error.message))
    }
    switch (state, reply) {
    case (.greeting, .hello(WorkerRequest.version)):
      state = .asked
      return .ask
    case (.greeting, .hello(let version)): return breaks(.otherVersion(path, version))
    case (.asked, .part(let count)):
      guard count <= left else { return breaks(.nonsense(path, "a drawing of more than \(limit) bytes")) }
      left -= count
      state = .receiving(count)
      return .take(count)
    case (.asked, .drawn(let drawn)):
      state = .answered(.success(drawn))
      return .nothing
    case (.asked, .notDrawn(let refusal)):
      state = .answered(.failure(refusal))
      return .nothing
    case (.asked, _): return breaks(.nonsense(path, "a \(reply.name) that was not asked for"))
    default: return breaks(.nonsense(path, "a \(reply.name) out of turn"))
    }
  }

  mutating func heard(bytes: [UInt8]) -> DialogueEffect<[UInt8]> {
    guard case .receiving(bytes.count) = state else { return breaks(.nonsense(path, "bytes out of turn")) }
    state = .asked
    return .tell(bytes)
  }

  private mutating func breaks(_ error: ArtError) -> DialogueEffect<[UInt8]> {
    if case .broken = state { return .kill }
    state = .broken(error)
    return .kill
  }

  func outcome(of end: HelperEnd) -> Result<Drawn, DrawingFailure> {
    switch state {
    case .broken(let error): return .failure(.failed(error))
    case .answered(let answer) where end.isGood: return answer.mapError(DrawingFailure.refused)
    case .asked, .receiving:
      return .failure(DrawingRefusal(of: end).map(DrawingFailure.refused) ?? .failed(.ended(path, end)))
    default: return .failure(.failed(.ended(path, end)))
    }
  }

  func outcome(after deadline: Duration) -> DrawingFailure {
    if case .broken(let error) = state { return .failed(error) }
    return .failed(.hangs(path, deadline.components.seconds))
  }

  static func failed(_ error: ArtError) -> DrawingFailure { .failed(error) }
}

extension DrawingRefusal {
  /// What a drawing is refused for when the program that made it came to that end; nil where the drawing is not to blame.
  fileprivate init?(of end: HelperEnd) {
    if end.cause == .signal(SIGSYS) {
      self.init(
        .forbidden,
        "drawing it tried what the sandbox of emojiart-worker forbids, and was ended; draw it without its background, or with another font"
      )
    } else if end.cause == .signal(SIGXCPU) {
      self.init(
        .tooLarge, "drawing it takes more than \(Renderer.seconds) s; draw less of it, or at a smaller scale")
    } else if end.lacksMemory {
      self.init(
        .noMemory,
        "drawing it takes more than \(Renderer.memory >> 20) MB of memory; draw less of it, or at a smaller scale"
      )
    } else {
      return nil
    }
  }
}
