// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem

/// What is pending in the documents of an open folder. Each edit is one durable transaction on the file.
struct FolderPending: PendingSource {
  let folder: DocumentFolder
  /// The only ones that are wanted; nil for all.
  let only: Set<FilePath>?
  /// Whoever the edits are by.
  let author: String?
  let time: @Sendable () -> Int
  /// A document that somebody saves just then is waited for so long.
  private static let timeout = Duration.seconds(5)

  private let news: EventSequence<Void>

  init(
    _ folder: DocumentFolder, only: Set<FilePath>?, author: String?, time: @escaping @Sendable () -> Int
  ) {
    self.folder = folder
    self.only = only
    self.author = author
    self.time = time
    news = folder.pendingBroadcast.subscribe(capacity: 1)
  }

  func follow(_ hear: @Sendable () async -> Void) async { for await _ in news { await hear() } }

  func pending(_ mode: PendingMode) async -> [(document: String, key: PendingKey, revision: Int)] {
    await folder.pending(mode).compactMap { path, key, revision in
      only?.contains(path) ?? true ? (path.string, key, revision) : nil
    }
  }

  nonisolated(nonsending) func isPending(_ key: PendingKey, in document: String) async throws(ArtError)
    -> PendingSight
  {
    let (base, pending) = try await file(document).quickState()
    return PendingSight(
      revision: base.revision, isPending: base.id == key.document && pending?.url == key.url,
      background: nil)
  }

  nonisolated(nonsending) func take(
    _ picture: CheckedPicture, _ key: PendingKey, in document: String
  ) async throws(ArtError) -> PendingSight {
    let background = try Background(picture, from: key.kept)
    return try await edit(.set(background, keepsCanvas: false, pending: key.url), key, in: document) {
      (transaction) throws(ArtError) in try transaction.keep(picture)
    }
  }

  nonisolated(nonsending) func refuse(
    _ reason: Refusal.Reason, _ key: PendingKey, in document: String
  ) async throws(ArtError) -> PendingSight {
    try await edit(.refuse(url: key.url, reason), key, in: document) { _ in }
  }

  nonisolated(nonsending) private func edit(
    _ edit: BackgroundEdit, _ key: PendingKey, in document: String,
    _ prepare: (DocumentTransaction) throws(ArtError) -> Void
  ) async throws(ArtError) -> PendingSight {
    var random = SystemRandomNumberGenerator()
    var author = try Author(origin: Origin(using: &random), name: author)
    let time = time()
    return try await file(document).edit { (transaction) throws(ArtError) in
      guard transaction.id == key.document, transaction.pending?.url == key.url else {
        return PendingSight(
          revision: transaction.revision, isPending: false, background: transaction.background)
      }
      try prepare(transaction)
      if let edit = try edit.plan(on: transaction) {
        _ = try transaction.perform(edit, stamp: author.stamp(at: time))
      }
      return PendingSight(
        revision: transaction.revision, isPending: true, background: transaction.background)
    }
  }

  private func file(_ document: String) async -> DocumentFile {
    var file = await folder.file(FilePath(document))
    file.timeout = Self.timeout
    return file
  }
}

extension PendingKey {
  /// What a document keeps of the URL that it was fetched from.
  var kept: String? {
    do throws(Refusal) { return try BackgroundURL(url).kept } catch {
      // It was fetched: this cannot be.
      return url
    }
  }
}
