// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem

/// What has been reported of a folder's documents, so that nothing is reported twice and nothing is left out:
///
///     documents ──begin──▶ reported ──receive(event)──▶ the event as a notice, or nothing: it was reported already
///                              │
///                              └──receive(event, finding: documents)──▶ what differs from what was reported
///
/// Who subscribes to the events, then begins with the documents, hears of some events that the documents have in
/// them already: an edit up to a revision that was told, a removal of what was never told.
struct ReportedDocuments: Equatable, Sendable {
  /// A document as it was told.
  fileprivate struct Known: Equatable {
    /// Nil while it has never been read.
    var revision: Int?
    /// Nil also where it is not known which edit was the last: events do not tell.
    var head: EditID?
    /// Nil also where another document may stand there now.
    var id: DocumentID?
    /// Why it cannot be read.
    var trouble: String?
  }

  private var known: [FilePath: Known] = [:]
  /// The only ones that are wanted; nil for all.
  private let wanted: Set<FilePath>?
  /// Why the system does not tell of changes, as it was told.
  private var degraded: String?

  /// Nothing was reported. `wanted` are the only documents of interest; nil stands for all.
  init(only wanted: Set<FilePath>? = nil) { self.wanted = wanted }

  private func isWanted(_ document: String) -> Bool { wanted?.contains(FilePath(document)) ?? true }

  /// What is told in the beginning: how many documents there are, and what is wrong.
  mutating func begin(_ documents: [FolderDocument], degraded: String?) -> [FolderNotice] {
    self.degraded = degraded
    known = [:]
    var notices: [FolderNotice] = []
    for document in documents where isWanted(document.path) {
      known[FilePath(document.path)] = Known(document)
      if let trouble = document.trouble { notices.append(.damaged(document.path, reason: trouble)) }
    }
    return [.ready(known.count)] + (degraded.map { [.degraded($0)] } ?? []) + notices
  }

  /// Whether an event does not say by itself what happened: the documents have to.
  func mustRefresh(after event: FolderEvent) -> Bool {
    switch event {
    case .resync: true
    // Of a document that comes from where nobody looks no revision is told.
    case .renamed(let document, let from): isWanted(document) && known[FilePath(from)] == nil
    // Another state of itself may be the one that was told: its number does not show it.
    case .changed(let document, let change):
      !change.isComplete && known[FilePath(document)].map { $0.id != nil && $0.trouble == nil } ?? false
    default: false
    }
  }

  /// What an event that `mustRefresh` has to be told as, by the documents as they are.
  mutating func receive(
    _ event: FolderEvent, finding documents: [FolderDocument], degraded: String?
  ) -> [FolderNotice] {
    switch event {
    case .changed(let document, _):
      let path = FilePath(document)
      let isTold = documents.contains { FilePath($0.path) == path && Known($0) == known[path] }
      return isTold ? [] : [receive(event)].compactMap(\.self)
    case .resync:
      let notices = catchUp(documents) + [.rescanned("more happened than could be told in time")]
      self.degraded = degraded
      return notices + (degraded.map { [.degraded($0)] } ?? [])
    default: return catchUp(documents)
    }
  }

  /// Whether a document of that name was told of and not of its end.
  func knows(_ document: String) -> Bool { known[FilePath(document)] != nil }

  /// What an event has to be told as; nil for what was told, or is not wanted.
  mutating func receive(_ event: FolderEvent) -> FolderNotice? {
    switch event {
    case .added(let document, let revision):
      guard isWanted(document) else { return nil }
      let old = known[FilePath(document)]
      guard old?.trouble != nil || old?.revision == nil else { return nil }
      known[FilePath(document)] = Known(revision: revision)
      // Also one that was in use in the beginning: in what state it was nobody knew.
      guard old?.trouble != nil else { return .added(document, revision: revision) }
      // It was told as damaged: in the beginning, or because it was met half-written.
      let change = DocumentChange(edits: [], texts: [:], revision: revision, isComplete: true)
      return .changed(document, change, isWholeAgain: true)
    case .changed(let document, let change):
      return isWanted(document) ? receive(change, of: document) : nil
    case .movedOn(let document, let revision):
      guard isWanted(document) else { return nil }
      guard let old = known[FilePath(document)] else {
        return receive(.added(document, revision: revision))
      }
      if old.trouble == nil, let told = old.revision, told >= revision { return nil }
      known[FilePath(document)] = Known(revision: revision, id: old.id)
      return .resync(document, revision: revision)
    case .removed(let document):
      return known.removeValue(forKey: FilePath(document)).map { _ in .removed(document) }
    case .renamed(let document, let from):
      guard let old = known.removeValue(forKey: FilePath(from)) else { return nil }
      guard isWanted(document) else { return .removed(from) }
      known[FilePath(document)] = old
      return .renamed(document, from: from, revision: old.revision)
    case .damaged(let document, let reason):
      guard isWanted(document), known[FilePath(document)]?.trouble != reason else { return nil }
      known[FilePath(document), default: Known()].trouble = reason
      return .damaged(document, reason: reason)
    case .rescanned(let reason):
      degraded = nil
      return .rescanned(reason)
    case .degraded(let reason):
      guard degraded != reason else { return nil }
      degraded = reason
      return .degraded(reason)
    case .resync: return nil
    }
  }

  private mutating func receive(_ change: DocumentChange, of document: String) -> FolderNotice? {
    guard let old = known[FilePath(document)], old.revision != nil || old.trouble != nil else {
      return receive(.added(document, revision: change.revision))
    }
    var change = change
    if change.isComplete, let told = old.revision {
      let edits = change.edits.filter { $0.revision > told }
      // What a whole document has been told of; one that was damaged is whole again all the same.
      if edits.isEmpty, old.trouble == nil { return nil }
      change = DocumentChange(
        edits: edits, texts: change.texts, revision: change.revision, isComplete: true)
    }
    var new = Known(revision: change.revision, id: old.id)
    if change.isComplete {
      new.head = change.edits.last?.id ?? (old.revision == change.revision ? old.head : nil)
    }
    known[FilePath(document)] = new
    return .changed(document, change, isWholeAgain: old.trouble != nil)
  }

  /// What is otherwise than it was told, by path.
  private mutating func catchUp(_ documents: [FolderDocument]) -> [FolderNotice] {
    var found: [FilePath: FolderDocument] = [:]
    for document in documents where isWanted(document.path) { found[FilePath(document.path)] = document }
    var notices: [FolderNotice] = []
    for path in Set(known.keys).union(found.keys).sorted() {
      guard let document = found[path] else {
        known[path] = nil
        notices.append(.removed(path.string))
        continue
      }
      let old = known[path]
      let new = Known(document, since: old)
      known[path] = new
      notices += Self.difference(document, new, old)
    }
    return notices
  }

  private static func difference(
    _ document: FolderDocument, _ new: Known, _ old: Known?
  ) -> [FolderNotice] {
    if let trouble = new.trouble {
      return old?.trouble == trouble ? [] : [.damaged(document.path, reason: trouble)]
    }
    guard let revision = new.revision else { return [] }
    let added = FolderNotice.added(document.path, revision: revision)
    guard let old else { return [added] }
    if let id = old.id, id != new.id { return [.removed(document.path), added] }
    // Never read before: what it was is not known.
    let told = old.revision ?? -1
    if told < revision { return [.resync(document.path, revision: revision)] }
    let isSame = told == revision && (old.head == nil || old.head == new.head)
    guard !isSame || old.trouble != nil else { return [] }
    let change = DocumentChange(edits: [], texts: [:], revision: revision, isComplete: isSame)
    return [.changed(document.path, change, isWholeAgain: old.trouble != nil)]
  }

  /// A document was read: this state is told from here on.
  mutating func read(_ document: String, _ base: DocumentBase) {
    known[FilePath(document)] = Known(revision: base.revision, head: base.head, id: base.id)
  }
}

extension ReportedDocuments.Known {
  /// A document as it is; where it cannot be read, as it was before.
  fileprivate init(_ document: FolderDocument, since old: Self? = nil) {
    if let base = document.base, document.trouble == nil {
      self.init(revision: base.revision, head: base.head, id: base.id)
    } else {
      self.init(revision: old?.revision, head: old?.head, id: old?.id, trouble: document.trouble)
    }
  }
}
