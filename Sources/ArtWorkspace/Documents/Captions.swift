// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorker

extension Renderer {
  /// The actions with their words measured in the fonts of this machine, in one helper process; the results are in the order of
  /// `captions`. A result is `unavailable` without the helper program, without fonts and where no font has a character, or
  /// `tooLarge`.
  public func measured(_ captions: [CaptionAction]) async -> [Result<Action, ArtError>] {
    let boxes = await boxes(of: captions.map(\.words))
    return zip(captions, boxes).map { caption, box in
      box.map(caption.action(measured:)).mapError { ArtError($0, measuring: caption.words) }
    }
  }

  /// The same for one action. Throws what the result would be.
  public func measured(_ caption: CaptionAction) async throws(ArtError) -> Action {
    guard let action = await measured([caption]).first else {
      throw ArtError(.unavailable, "the words were not measured; try again")
    }
    return try action.get()
  }
}

extension Session {
  /// The actions with their words measured, by one helper process of the session's settings: see `Renderer.measured`. Nil for an
  /// action that was performed before, under the same tag: `perform` answers it, and measures nothing.
  public func measured(_ captions: [(action: CaptionAction, tag: RequestTag?)]) async -> [Result<
    Action, ArtError
  >?] {
    var isNew: [Bool] = []
    for caption in captions { isNew.append(await !wasPerformed(caption.tag)) }
    let new = zip(captions, isNew).filter(\.1).map(\.0.action)
    var measured = await Renderer(helpers: shared.helpers).measured(new).makeIterator()
    return isNew.map { $0 ? measured.next() : nil }
  }

  /// Captions of words, measured as above.
  public func measured(_ words: [Words]) async -> [Result<EmojiText, ArtError>] {
    zip(words, await Renderer(helpers: shared.helpers).boxes(of: words)).map { words, box in
      box.map { EmojiText(words, box: $0) }.mapError { ArtError($0, measuring: words) }
    }
  }

  /// Whether a request with the tag was performed, or is too old to know: `perform` changes nothing then.
  public func wasPerformed(_ tag: RequestTag?) async -> Bool {
    guard let tag else { return false }
    do throws(ArtError) { return try await shared.document.answer(repeating: tag, by: client) != nil } catch {
      return true
    }
  }

  /// Measures the words of a caption and performs the action: see `perform` and `measured`.
  @discardableResult
  public func perform(
    _ caption: CaptionAction, tag: RequestTag? = nil, since: KnownHead? = nil
  ) async throws(ArtError) -> DocumentAnswer {
    if let tag, let answer = try await shared.document.answer(repeating: tag, by: client, since: since) {
      return answer
    }
    let action = try await Renderer(helpers: shared.helpers).measured(caption)
    return try await perform(.action(action), tag: tag, since: since)
  }
}

extension ArtError {
  /// The error for words that could not be measured.
  fileprivate init(_ failure: DrawingFailure, measuring words: Words) {
    switch failure {
    case .failed(let error): self = error.withCause("words cannot be measured: \(error.cause)")
    case .cancelled: self.init(.unavailable, "measuring the words was given up")
    case .refused(let refusal):
      self.init(refusal.reason.code, refusal.detail)
    }
  }
}
