// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel

/// Documents in which something may be pending: those of an open folder, or one that is open itself. Documents are called by
/// their paths. What works on files runs where it is called: a thread that may wait.
protocol PendingSource: Sendable {
  /// Tells each time that something is pending which was not, or no longer, from the source's making on; to one listener. Ends
  /// with what it is about.
  func follow(_ hear: @Sendable () async -> Void) async
  /// What is pending and may be fetched, and in which revision of the document it was seen.
  func pending(_ mode: PendingMode) async -> [(document: String, key: PendingKey, revision: Int)]
  /// Looks at the file whether that is still pending, and at which revision the document is. Throws what reading throws.
  nonisolated(nonsending) func isPending(_ key: PendingKey, in document: String) async throws(ArtError)
    -> PendingSight
  /// Makes the picture the background, if that is still pending. Throws what editing throws; then nothing is changed.
  nonisolated(nonsending) func take(
    _ picture: CheckedPicture, _ key: PendingKey, in document: String
  ) async throws(ArtError) -> PendingSight
  /// Gives it up, if that is still pending, because it was refused for good.
  nonisolated(nonsending) func refuse(
    _ reason: Refusal.Reason, _ key: PendingKey, in document: String
  ) async throws(ArtError) -> PendingSight
}

/// A document as it was found, or as it is after an edit.
struct PendingSight: Sendable, Equatable {
  var revision: Int
  /// Whether it was found pending.
  var isPending: Bool
  /// The background that it has.
  var background: Background?
}

extension PendingBackground {
  /// Whether nobody has chosen to leave it unfetched.
  var isWanted: Bool { reason != "offline" }
}
