// SPDX-License-Identifier: Apache-2.0

/// What is done to a document's background, in a person's or a fetcher's terms. On a document it becomes an `Edit`.
public enum BackgroundEdit: Hashable, Sendable {
  /// That picture; the canvas takes its size, unless it is to be kept. What was pending is not any more. Where the pending one
  /// of this URL was measured from the centre, the emoji move with it.
  case set(Background, keepsCanvas: Bool)
  /// No picture, and none to be fetched.
  case clear
  /// A picture that is to be fetched later; the one that is there stays until then.
  case later(PendingBackground)
  /// The pending picture of that URL was refused for good: it is not pending any more.
  case refuse(url: String, Refusal.Reason)

  /// What it is on this document; nil when it has no effect. Throws what reading throws.
  public func plan(on art: some ArtReading) throws(ArtError) -> Edit? {
    // STUB
    nil
  }
}
