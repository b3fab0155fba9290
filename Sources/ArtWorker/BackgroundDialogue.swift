// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// What this program and a helper program say to each other about one request.
///
/// ```
///   greeting --hello--> asked --body(n)--> receiving(n) --n bytes--.
///                       |   ^ |                                    v
///                       '---' '------- picture, refused ------> answered --it ends well--> believed
///                     progress
/// ```
/// Anything else leads to `broken`, from where nothing leads. An answer is believed when the program has ended well after it:
/// what says two things, or cannot end, is not to be relied on.
struct BackgroundDialogue: HelperDialogue {
  /// What a request comes to.
  enum Answer: Sendable {
    case body([UInt8])
    case picture(mediaType: String, size: Canvas, isAnimated: Bool)
  }

  private enum State {
    case greeting
    case asked
    case receiving(Int)
    case answered(Result<Answer, Refusal>)
    case broken(ArtError)
  }

  /// What pictures are, by their bytes.
  private static let mediaTypes = Set(PictureKind.allCases.map(\.mediaType))

  static var cancelled: BackgroundFailure { .cancelled }

  private let request: WorkerRequest
  private let path: String
  private var state = State.greeting

  /// Nothing has been said yet.
  init(_ request: WorkerRequest, with program: HelperProgram) {
    self.request = request
    path = program.path
  }

  /// Hears a line.
  mutating func heard(line: [UInt8]) -> DialogueEffect<FetchProgress> {
    let reply: WorkerReply
    do throws(ArtError) { reply = try WorkerReply(line: line) } catch {
      return breaks(.nonsense(path, error.message))
    }
    switch (state, reply) {
    case (.greeting, .hello(WorkerRequest.version)):
      state = .asked
      return .ask
    case (.greeting, .hello(let version)): return breaks(.otherVersion(path, version))
    case (.asked, .refused(let refusal)):
      state = .answered(.failure(refusal))
      return .nothing
    case (.asked, _): return answer(reply)
    default: return breaks(.nonsense(path, "a \(reply.name) out of turn"))
    }
  }

  /// Hears raw bytes.
  mutating func heard(bytes: [UInt8]) -> DialogueEffect<FetchProgress> {
    guard case .receiving(bytes.count) = state else { return breaks(.nonsense(path, "bytes out of turn")) }
    state = .answered(.success(.body(bytes)))
    return .nothing
  }

  private mutating func answer(_ reply: WorkerReply) -> DialogueEffect<FetchProgress> {
    switch (request, reply) {
    case (.fetch, .progress(let received, let total)):
      return .tell(FetchProgress(received: received, total: total))
    case (.fetch(let fetch), .body(let count)):
      guard count <= fetch.limits.bytes else {
        return breaks(.nonsense(path, "a body of \(count) bytes where \(fetch.limits.bytes) may be"))
      }
      state = .receiving(count)
      return .take(count)
    case (.decode(_, let limits), .picture(let mediaType, let size, let isAnimated)):
      guard Self.mediaTypes.contains(mediaType), size.fits(limits) else {
        return breaks(
          .nonsense(path, "a picture \"\(mediaType.prefix(40))\" of \(size.width)x\(size.height)"))
      }
      state = .answered(.success(.picture(mediaType: mediaType, size: size, isAnimated: isAnimated)))
      return .nothing
    default: return breaks(.nonsense(path, "a \(reply.name) that was not asked for"))
    }
  }

  private mutating func breaks(_ error: ArtError) -> DialogueEffect<FetchProgress> {
    if case .broken = state { return .kill }
    state = .broken(error)
    return .kill
  }

  /// What it came to, by how the program ended.
  func outcome(of end: HelperEnd) -> Result<Answer, BackgroundFailure> {
    if case .broken(let error) = state { return .failure(.failed(error)) }
    if case .answered(let answer) = state, end.isGood {
      return answer.mapError(BackgroundFailure.refused)
    }
    switch state {
    case .asked, .receiving:
      if let refusal = Refusal(of: end, of: request) { return .failure(.refused(refusal)) }
    default: break
    }
    return .failure(.failed(.ended(path, end)))
  }

  /// What it came to when the program was killed because its time was up.
  func outcome(after deadline: Duration) -> BackgroundFailure {
    let seconds = deadline.components.seconds
    switch (state, request) {
    case (.broken(let error), _): return .failed(error)
    case (.asked, .fetch), (.receiving, .fetch):
      return .refused(Refusal(.timeout, "there was no answer within \(seconds) s"))
    default: return .failed(.hangs(path, seconds))
    }
  }

  static func failed(_ error: ArtError) -> BackgroundFailure { .failed(error) }
}

extension Canvas {
  fileprivate func fits(_ limits: PictureLimits) -> Bool {
    // No overflow: both sides are at most 100,000.
    width <= limits.side && height <= limits.side && width * height <= limits.pixels
  }
}

extension Refusal {
  /// What is refused when the program that fetched or decoded it came to that end; nil where it is not to blame.
  fileprivate init?(of end: HelperEnd, of request: WorkerRequest) {
    guard case .signal(let number) = end.cause else { return nil }
    let isPicture = if case .decode = request { true } else { false }
    if number == SIGSYS {
      // What a program does that strangers have taken over.
      let (reason, what) = isPicture ? (Reason.notAnImage, "decoding") : (.notAllowed, "fetching")
      self.init(reason, "\(what) it tried what the sandbox of emojiart-worker forbids, and was ended")
    } else if !isPicture {
      return nil
    } else if number == SIGXCPU {
      let seconds = BackgroundFetcher.lookSeconds
      self.init(
        .notAnImage, "decoding it takes more than \(seconds) s; save it in another format, or smaller")
    } else if end.lacksMemory {
      self.init(
        .tooManyPixels,
        "decoding it takes more than \(BackgroundFetcher.memory >> 20) MB of memory; make it smaller")
    } else {
      return nil
    }
  }
}
