// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem

/// What a follower of a folder is told, event by event, so that nothing is told twice and nothing is left out; of one document on
/// demand from a revision on that the follower has seen.
///
///     documents ──begin──▶ notices
///     event ──receive──▶ notices; the folder's documents are asked for where the event does not say what happened
///     catchUp ──▶ notices: the edits since that revision, as soon as the document can be read
public struct FolderReport {
  /// A folder's documents, and why the system does not tell of their changes.
  public typealias State = (documents: [FolderDocument], degraded: String?)

  private let folder: String
  private let document: String?
  private var reported: ReportedDocuments
  private var since: Int?

  /// Of the folder at that path. `wanted` are the only documents of interest, and nil stands for all; where there is one, the edits
  /// after the revision `since` are told of it.
  package init(of folder: String, only wanted: Set<FilePath>? = nil, since: Int? = nil) {
    self.folder = folder
    document = wanted?.first?.string
    reported = ReportedDocuments(only: wanted)
    self.since = document == nil ? nil : since
  }

  /// Whether the edits since a revision are still to be told.
  public var isBehind: Bool { since != nil }

  /// The document that was told of and in whose place another one comes by this event, of whose own end nothing is told.
  public func replaced(by event: FolderEvent) -> String? {
    guard case .renamed(let document, _) = event, !reported.mustRefresh(after: event),
      reported.knows(document)
    else { return nil }
    return document
  }

  /// What is told in the beginning.
  public mutating func begin(_ state: State) -> [FolderNotice] {
    reported.begin(state.documents, degraded: state.degraded)
  }

  /// What is told of an event. `state` is asked for where the event does not say by itself what happened.
  public mutating func receive(_ event: FolderEvent, state: () -> State) -> [FolderNotice] {
    let notices: [FolderNotice]
    if reported.mustRefresh(after: event) {
      let state = state()
      notices = reported.receive(event, finding: state.documents, degraded: state.degraded)
    } else {
      notices = reported.receive(event).map { [$0] } ?? []
    }
    return notices.flatMap { notice in
      guard since != nil, notice.isOfWhole else { return [notice] }
      // What the document has come to is told edit by edit as soon as it can be read.
      let caughtUp = catchUp()
      let isTold = caughtUp.isComplete || since != nil || notice.withoutEdits != nil
      return [notice.withoutEdits].compactMap(\.self) + caughtUp.notices + (isTold ? [] : [notice])
    }
  }

  /// Reads the document and tells what came after the revision that the follower has seen. `isComplete` says whether that was told, or
  /// is to come yet. `isBeginning` has one that cannot be read told of at once: later it may be half-written.
  public mutating func catchUp(
    isBeginning: Bool = false
  ) -> (notices: [FolderNotice], isComplete: Bool) {
    guard let since, let document else { return ([], false) }
    let file = DocumentFile(FilePath.path(of: document, in: folder), timeout: .milliseconds(100))
    let content: DocumentContent
    do throws(ArtError) {
      content = try file.read()
    } catch {
      // That it is gone the folder tells; one that is in use is tried again.
      guard error.code != .busy, error.code != .noSuchDocument else { return ([], false) }
      // What is being written now may be whole at the next try.
      guard isBeginning || (try? file.stamp())?.isConclusive ?? true else { return ([], false) }
      return ([reported.receive(.damaged(document, reason: error))].compactMap(\.self), false)
    }
    self.since = nil
    // The folder may not have told yet that it is there, or whole.
    let here = DocumentChange(edits: [], texts: [:], revision: content.revision, isComplete: true)
    let first = reported.receive(.changed(document, here)).map { [$0] } ?? []
    reported.read(document, DocumentBase(content))
    let notices = first + ChangesSince.notices(since: since, in: content, of: document)
    return (notices, !notices.isEmpty)
  }
}

/// What a follower of a folder is told. Documents are called by their paths in it.
public enum FolderNotice: Sendable, Equatable {
  /// From here on changes are told. How many documents there are.
  case ready(Int)
  /// A document has come.
  case added(String, revision: Int)
  /// A save; `isWholeAgain` when the document could not be read before.
  case changed(String, DocumentChange, isWholeAgain: Bool)
  /// The document has moved on further than can be told edit by edit.
  case resync(String, revision: Int)
  /// The document is at a lower revision than one that somebody has seen.
  case behind(String, revision: Int, since: Int)
  /// A document is gone.
  case removed(String)
  /// A document has another name.
  case renamed(String, from: String, revision: Int?)
  /// A document cannot be read; why.
  case damaged(String, reason: ArtError)
  /// A background that was pending was refused, for good or for now.
  case rejected(String, Refusal, url: String)
  /// Something was in the way of fetching what is pending.
  case unfetched(String, reason: ArtError, url: String)
  /// Everything was looked at again, because something may have been missed; why.
  case rescanned(String)
  /// Changes are found by looking through the folder every so often; why.
  case degraded(String)

  /// The document that it is about; nil for one about the folder.
  public var document: String? {
    switch self {
    case .ready, .rescanned, .degraded: nil
    case .added(let document, _), .changed(let document, _, _), .resync(let document, _),
      .behind(let document, _, _), .removed(let document), .renamed(let document, _, _),
      .damaged(let document, _), .rejected(let document, _, _), .unfetched(let document, _, _):
      document
    }
  }

  /// What programs call its kind.
  public var name: String {
    switch self {
    case .ready: "ready"
    case .added: "added"
    case .changed, .behind: "changed"
    case .resync: "resync"
    case .removed: "removed"
    case .renamed: "renamed"
    case .damaged: "damaged"
    case .rejected: "rejected"
    case .unfetched: "unfetched"
    case .rescanned: "rescanned"
    case .degraded: "degraded"
    }
  }

  /// The document's revision after it, where that is known.
  public var revision: Int? {
    switch self {
    case .added(_, let revision), .resync(_, let revision), .behind(_, let revision, _): revision
    case .changed(_, let change, _): change.revision
    case .renamed(_, _, let revision): revision
    case .ready, .removed, .damaged, .rejected, .unfetched, .rescanned, .degraded: nil
    }
  }
}

extension FolderNotice {
  /// Whether it is about a document that can be read.
  public var isOfWhole: Bool {
    switch self {
    case .added, .changed, .resync, .behind, .renamed: true
    case .ready, .removed, .damaged, .rejected, .unfetched, .rescanned, .degraded: false
    }
  }

  /// What it tells besides edits: that the document has come, or is whole again; nil for nothing.
  public var withoutEdits: FolderNotice? {
    switch self {
    case .changed(let document, let change, true):
      let again = DocumentChange(edits: [], texts: [:], revision: change.revision, isComplete: true)
      return .changed(document, again, isWholeAgain: true)
    case .added, .renamed: return self
    default: return nil
    }
  }
}

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
    var trouble: ArtError?
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
