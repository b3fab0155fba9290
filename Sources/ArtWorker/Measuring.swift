// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Synchronization

extension Renderer {
  /// Measures words in the fonts of this machine, as captions are drawn; the results are in the order of `words`. One helper process
  /// measures them all. Where it ends early, it has failed at the first words without an answer, and another process measures the
  /// rest. A result is `refused` with `noFont` where no installed font has one of the characters. Cancelling the task cancels what is
  /// left.
  public func boxes(of words: [Words]) async -> [Result<TextBox, DrawingFailure>] {
    let fonts = FontPaths(colors: EmojiFont.findAny(), letterFolders: LetterFontFolders.find())
    var results: [Result<TextBox, DrawingFailure>] = []
    while results.count < words.count {
      let left = Array(words[results.count...])
      let measured = Mutex<[Result<TextBox, DrawingFailure>]>([])
      let failure: DrawingFailure?
      do throws(DrawingFailure) {
        try await answer(
          to: .measure(fonts), { MeasuringDialogue(with: $0, count: left.count) },
          { (send) throws(HelperFailure) in for words in left { try send(WorkerRequest.measure(words).line) }
          },
          { box in
            measured.withLock { $0.append(box.mapError(DrawingFailure.refused)) }
            return true
          })
        failure = nil
      } catch {
        failure = error
      }
      results += measured.withLock(\.self)
      if let failure, results.count < words.count { results.append(.failure(failure)) }
    }
    return results
  }
}

// MARK: - The dialogue

/// The protocol of measuring words: each request has one answer, which is reported as it arrives and holds whatever comes after it.
///
/// ```
///   greeting --hello--> asked(n) --measured, notDrawn--> asked(n - 1) ... asked(0) --clean exit--> accepted
/// ```
/// Anything else leads to `broken`, a final state.
struct MeasuringDialogue: HelperDialogue {
  private enum State {
    case greeting
    /// The number of answers that are still to come.
    case asked(Int)
    case broken(ArtError)
  }

  static var cancelled: DrawingFailure { .cancelled }

  let path: String
  private let count: Int
  private var state = State.greeting

  /// Creates the protocol for that many requests in its first state.
  init(with program: HelperProgram, count: Int) {
    path = program.path
    self.count = count
  }

  var isBeforeGreeting: Bool { if case .greeting = state { true } else { false } }

  mutating func greeted() { state = .asked(count) }

  mutating func receive(_ reply: WorkerReply) -> DialogueEffect<Result<TextBox, DrawingRefusal>> {
    switch (state, reply) {
    case (.asked(let left), .measured(let box)) where left > 0:
      state = .asked(left - 1)
      return .report(.success(box))
    case (.asked(let left), .notDrawn(let refusal)) where left > 0:
      state = .asked(left - 1)
      return .report(.failure(refusal))
    default: return fail(.outOfTurn(path, reply))
    }
  }

  mutating func receive(bytes: [UInt8]) -> DialogueEffect<Result<TextBox, DrawingRefusal>> {
    fail(.nonsense(path, "bytes out of turn"))
  }

  mutating func fail(_ error: ArtError) -> DialogueEffect<Result<TextBox, DrawingRefusal>> {
    if case .broken = state { return .kill }
    state = .broken(error)
    return .kill
  }

  func outcome(of end: HelperEnd) -> Result<Void, DrawingFailure> {
    switch state {
    case .broken(let error): .failure(.failed(error))
    case .asked(0) where end.exitedCleanly: .success(())
    default: .failure(.failed(.ended(path, end)))
    }
  }

  func outcome(after deadline: Duration) -> DrawingFailure {
    if case .broken(let error) = state { return .failed(error) }
    return .failed(.hangs(path, deadline.components.seconds))
  }

  static func failed(_ error: ArtError) -> DrawingFailure { .failed(error) }
}
