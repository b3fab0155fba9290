// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorker

extension Renderer {
  /// The action with its words measured in the fonts of this machine. Throws `unavailable` without the helper program, without fonts and where
  /// no font has a character, and `tooLarge`.
  public func measured(_ caption: CaptionAction) async throws(ArtError) -> Action {
    do throws(DrawingFailure) {
      return caption.action(measured: try await box(of: caption.words))
    } catch {
      throw ArtError(error, measuring: caption.words)
    }
  }
}

extension Session {
  /// The action with its words measured, by the helper program of the session's settings. Throws as `Renderer.measured` does.
  public func measured(_ caption: CaptionAction) async throws(ArtError) -> Action {
    try await Renderer(helpers: shared.helpers).measured(caption)
  }

  /// The answer to a request that was performed before, under the same tag; nil for a new one. Its words need not be measured again.
  public func answer(repeating tag: RequestTag, since: KnownHead? = nil) async throws(ArtError)
    -> DocumentAnswer?
  {
    try await shared.document.answer(repeating: tag, by: client, since: since)
  }

  /// Measures the words of a caption and performs the action: see `perform` and `measured`.
  @discardableResult
  public func perform(
    _ caption: CaptionAction, tag: RequestTag? = nil, since: KnownHead? = nil
  ) async throws(ArtError) -> DocumentAnswer {
    if let tag, let answer = try await answer(repeating: tag, since: since) { return answer }
    return try await perform(.action(try await measured(caption)), tag: tag, since: since)
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
