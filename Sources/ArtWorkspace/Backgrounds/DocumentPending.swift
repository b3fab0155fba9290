// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import Synchronization

/// What is pending in a document that is open, in the file or in memory.
final class DocumentPending: PendingSource {
  private let document: Document
  /// What was pending when it began, as long as that is.
  private let first: Mutex<PendingBackground?>

  private let news: DocumentEvents

  init(_ document: Document) async {
    self.document = document
    news = document.events(capacity: 1) { $0.isAboutPending }
    first = Mutex(await document.pendingBackground)
  }

  func follow(_ hear: @Sendable () async -> Void) async { for await _ in news { await hear() } }

  func pending(_ mode: PendingMode) async -> [(document: String, key: PendingKey, revision: Int)] {
    guard mode != .none, let (key, pending, revision) = await document.pendingKey else {
      first.withLock { $0 = nil }
      return []
    }
    let isNews = first.withLock { first in
      if first != pending { first = nil }
      return first == nil
    }
    return pending.isWanted && (mode == .all || isNews) ? [(document.path, key, revision)] : []
  }

  nonisolated(nonsending) func isPending(_ key: PendingKey, in path: String) async throws(ArtError)
    -> PendingSight
  {
    // Somebody else may have fetched it just now.
    await document.refresh()
    return await document.sight(of: key)
  }

  nonisolated(nonsending) func take(
    _ picture: CheckedPicture, _ key: PendingKey, in path: String
  ) async throws(ArtError) -> PendingSight {
    let sight = try await document.take(picture, pending: key)
    await document.showOthers(sight)
    return sight
  }

  nonisolated(nonsending) func refuse(
    _ reason: Refusal.Reason, _ key: PendingKey, in path: String
  ) async throws(ArtError) -> PendingSight {
    let sight = try await document.refuse(reason, pending: key)
    await document.showOthers(sight)
    return sight
  }
}

extension DocumentEvent {
  /// Whether something else may be pending after it.
  fileprivate var isAboutPending: Bool {
    switch self {
    case .changed(let change): change.effect.pending != nil
    case .dropped, .resync: true
    case .state, .saved, .renamed: false
    }
  }
}

// Inside the document: its content is not handed out, which would have the next edit copy it.
extension Document {
  fileprivate var pendingBackground: PendingBackground? { content.pending }

  fileprivate var pendingKey: (key: PendingKey, pending: PendingBackground, revision: Int)? {
    content.pending.map { (PendingKey(document: content.id, url: $0.url), $0, content.revision) }
  }

  fileprivate func sight(of key: PendingKey) -> PendingSight {
    PendingSight(
      revision: content.revision, isPending: content.id == key.document && content.pending?.url == key.url,
      background: content.background)
  }

  /// Those who wait to fetch it, too, look at the file.
  fileprivate func showOthers(_ sight: PendingSight) async {
    guard sight.isPending else { return }
    do throws(ArtError) { try await save() } catch {
      // The state tells why; somebody else may fetch it, too.
    }
  }

  fileprivate func take(
    _ picture: CheckedPicture, pending key: PendingKey
  ) async throws(ArtError) -> PendingSight {
    guard sight(of: key).isPending else { return sight(of: key) }
    let edit = try await setBackground(picture, from: key.kept, pending: key.url)
    var sight = sight(of: key)
    sight.isPending = edit != nil
    return sight
  }

  fileprivate func refuse(
    _ reason: Refusal.Reason, pending key: PendingKey
  ) throws(ArtError) -> PendingSight {
    let edit = try perform(.refuse(url: key.url, reason))
    var sight = sight(of: key)
    sight.isPending = edit != nil
    return sight
  }
}
