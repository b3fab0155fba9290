// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem

/// The notices for a follower of a folder: each change is reported exactly once, and of one document also the edits since a
/// revision that the follower knows.
///
///     documents ──begin──▶ notices
///     event ──receive──▶ notices; from the folder's documents if the event does not say what changed
///     catchUp ──▶ notices: the edits since that revision, as soon as the document can be read
public struct FolderReport {
  /// A folder's documents, and why the system does not report their changes.
  public typealias State = (documents: [FolderDocument], degraded: String?)

  private let folder: String
  private let document: String?
  private var reported: ReportedDocuments
  private var since: Int?

  /// A report of the folder at that path. `wanted` are the only documents of interest; nil stands for all. If `wanted` has one
  /// document, its edits after the revision `since` are reported.
  package init(of folder: String, only wanted: Set<FilePath>? = nil, since: Int? = nil) {
    self.folder = folder
    document = wanted?.first?.string
    reported = ReportedDocuments(only: wanted)
    self.since = document == nil ? nil : since
  }

  /// Whether edits since a revision are still to be reported.
  public var isBehind: Bool { since != nil }

  /// The reported document that another one replaces by this event; its removal is not reported.
  public func replaced(by event: FolderEvent) -> String? {
    guard case .renamed(let document, _) = event, !reported.mustRefresh(after: event),
      reported.knows(document)
    else { return nil }
    return document
  }

  /// The first notices.
  public mutating func begin(_ state: State) -> [FolderNotice] {
    reported.begin(state.documents, degraded: state.degraded)
  }

  /// The notices for an event. `state` is called when the event alone does not say what changed.
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
      // The document's edits are reported one by one as soon as it is readable.
      let caughtUp = catchUp()
      let isReported = caughtUp.isComplete || since != nil || notice.withoutEdits != nil
      return [notice.withoutEdits].compactMap(\.self) + caughtUp.notices + (isReported ? [] : [notice])
    }
  }

  /// Reads the document and reports the edits after the follower's revision. `isComplete` is false if they were not reported or
  /// are still to come. With `isBeginning` an unreadable document is reported at once; later it may be half-written.
  public mutating func catchUp(
    isBeginning: Bool = false
  ) -> (notices: [FolderNotice], isComplete: Bool) {
    guard let since, let document else { return ([], false) }
    let file = DocumentFile(FilePath.path(of: document, in: folder), timeout: .milliseconds(100))
    let content: DocumentContent
    do throws(ArtError) {
      content = try file.read()
    } catch {
      // The folder reports a missing document; a document in use is tried again.
      guard error.code != .busy, error.code != .noSuchDocument else { return ([], false) }
      // A file that is being written may be readable at the next try.
      guard isBeginning || (try? file.stamp())?.isConclusive ?? true else { return ([], false) }
      return ([reported.receive(.damaged(document, reason: error))].compactMap(\.self), false)
    }
    self.since = nil
    // The folder may not have reported yet that the document exists or is readable.
    let here = DocumentChange(edits: [], texts: [:], revision: content.revision, isComplete: true)
    let first = reported.receive(.changed(document, here)).map { [$0] } ?? []
    reported.read(document, DocumentBase(content))
    let notices = first + ChangesSince.notices(since: since, in: content, of: document)
    return (notices, !notices.isEmpty)
  }
}

/// A notice for a follower of a folder. Documents are named by their paths in it.
public enum FolderNotice: Sendable, Equatable {
  /// Changes are reported from here on; with the number of documents.
  case ready(Int)
  /// A document was added.
  case added(String, revision: Int)
  /// A conflict copy of a document came beside it.
  case conflict(String, of: String, revision: Int)
  /// A document was saved; `isWholeAgain` when it was unreadable before.
  case changed(String, DocumentChange, isWholeAgain: Bool)
  /// The document changed by more edits than its log holds.
  case resync(String, revision: Int)
  /// Versions of a document were named or removed; the names of those that it has now.
  case versions(String, names: [String], revision: Int)
  /// The document is at a lower revision than the one that the follower knows.
  case behind(String, revision: Int, since: Int)
  /// A document was removed.
  case removed(String)
  /// A document was renamed.
  case renamed(String, from: String, revision: Int?)
  /// A document is unreadable; why.
  case damaged(String, reason: ArtError)
  /// A pending background was refused, permanently or for now.
  case rejected(String, Refusal, url: String)
  /// A pending background could not be fetched for another reason than the picture.
  case unfetched(String, reason: ArtError, url: String)
  /// The folder was scanned because events may have been missed; why.
  case rescanned(String)
  /// Changes are found by scanning the folder periodically; why.
  case degraded(String)

  /// The document; nil for a notice about the folder.
  public var document: String? {
    switch self {
    case .ready, .rescanned, .degraded: nil
    case .added(let document, _), .conflict(let document, _, _), .changed(let document, _, _),
      .resync(let document, _), .versions(let document, _, _),
      .behind(let document, _, _), .removed(let document), .renamed(let document, _, _),
      .damaged(let document, _), .rejected(let document, _, _), .unfetched(let document, _, _):
      document
    }
  }

  /// The name of its kind in machine-readable output.
  public var name: String {
    switch self {
    case .ready: "ready"
    case .added: "added"
    case .conflict: "conflict"
    case .changed, .behind: "changed"
    case .resync: "resync"
    case .versions: "versions"
    case .removed: "removed"
    case .renamed: "renamed"
    case .damaged: "damaged"
    case .rejected: "rejected"
    case .unfetched: "unfetched"
    case .rescanned: "rescanned"
    case .degraded: "degraded"
    }
  }

  /// The document's revision after it, if known.
  public var revision: Int? {
    switch self {
    case .added(_, let revision), .conflict(_, _, let revision), .resync(_, let revision),
      .versions(_, _, let revision), .behind(_, let revision, _):
      revision
    case .changed(_, let change, _): change.revision
    case .renamed(_, _, let revision): revision
    case .ready, .removed, .damaged, .rejected, .unfetched, .rescanned, .degraded: nil
    }
  }
}

extension FolderNotice {
  /// Whether it is about a readable document.
  public var isOfWhole: Bool {
    switch self {
    case .added, .conflict, .changed, .resync, .behind, .renamed: true
    case .ready, .versions, .removed, .damaged, .rejected, .unfetched, .rescanned, .degraded: false
    }
  }

  /// The same notice without its edits, if it also says that the document was added or is readable again; otherwise nil.
  public var withoutEdits: FolderNotice? {
    switch self {
    case .changed(let document, let change, true):
      let again = DocumentChange(edits: [], texts: [:], revision: change.revision, isComplete: true)
      return .changed(document, again, isWholeAgain: true)
    case .added, .conflict, .renamed: return self
    default: return nil
    }
  }
}

/// What has been reported of a folder's documents, so that each change is reported exactly once:
///
///     documents ──begin──▶ reported ──receive(event)──▶ the event as a notice, or nothing: it was reported already
///                              │
///                              └──receive(event, finding: documents)──▶ the differences from what was reported
///
/// A listener that subscribes to the events and then reads the documents gets some events that the documents include already: an
/// edit up to the reported revision, or the removal of a document that was never reported.
struct ReportedDocuments: Equatable, Sendable {
  /// A document as it was last reported.
  fileprivate struct Known: Equatable {
    /// Nil if it has never been read.
    var revision: Int?
    /// Nil also if the last edit is unknown: events do not carry it.
    var head: EditID?
    /// Nil also if another document may be at the path by now.
    var id: DocumentID?
    /// Why it is unreadable.
    var trouble: ArtError?
    /// The names of its versions; nil before they were reported.
    var versions: [String]?
  }

  private var known: [FilePath: Known] = [:]
  /// The only documents of interest; nil for all.
  private let wanted: Set<FilePath>?
  /// Why the system does not report changes, as last reported.
  private var degraded: String?

  /// Nothing was reported yet. `wanted` are the only documents of interest; nil stands for all.
  init(only wanted: Set<FilePath>? = nil) { self.wanted = wanted }

  private func isWanted(_ document: String) -> Bool { wanted?.contains(FilePath(document)) ?? true }

  /// The first notices: the number of documents, and their errors.
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

  /// Whether an event alone does not say what changed, so that the documents must be compared.
  func mustRefresh(after event: FolderEvent) -> Bool {
    switch event {
    case .resync: true
    // The revision of a document that was renamed from an unwatched path was not reported.
    case .renamed(let document, let from): isWanted(document) && known[FilePath(from)] == nil
    // A replaced document may have the reported revision and still be in another state.
    case .changed(let document, let change):
      !change.isComplete && known[FilePath(document)].map { $0.id != nil && $0.trouble == nil } ?? false
    default: false
    }
  }

  /// The notices for an event that `mustRefresh`, by comparison with the documents.
  mutating func receive(
    _ event: FolderEvent, finding documents: [FolderDocument], degraded: String?
  ) -> [FolderNotice] {
    switch event {
    case .changed(let document, _):
      let path = FilePath(document)
      let isReported = documents.contains { FilePath($0.path) == path && Known($0) == known[path] }
      return isReported ? [] : [receive(event)].compactMap(\.self)
    case .resync:
      let notices = catchUp(documents) + [.rescanned("more happened than could be reported in time")]
      self.degraded = degraded
      return notices + (degraded.map { [.degraded($0)] } ?? [])
    default: return catchUp(documents)
    }
  }

  /// Whether the document was reported, and not its removal.
  func knows(_ document: String) -> Bool { known[FilePath(document)] != nil }

  /// The notice for an event; nil if it was reported already or is about no wanted document.
  mutating func receive(_ event: FolderEvent) -> FolderNotice? {
    switch event {
    case .added(let document, let revision):
      guard isWanted(document) else { return nil }
      let old = known[FilePath(document)]
      guard old?.trouble != nil || old?.revision == nil else { return nil }
      known[FilePath(document)] = Known(revision: revision)
      // This includes a document that was in use at the start, whose state was unknown.
      guard old?.trouble != nil else { return .added(document, revision: revision) }
      // The document was reported as damaged, at the start or while it was half-written.
      let change = DocumentChange(edits: [], texts: [:], revision: revision, isComplete: true)
      return .changed(document, change, isWholeAgain: true)
    case .conflict(let document, let other, let revision):
      guard isWanted(document), known[FilePath(document)]?.revision == nil else { return nil }
      known[FilePath(document)] = Known(revision: revision)
      return .conflict(document, of: other, revision: revision)
    case .changed(let document, let change):
      return isWanted(document) ? receive(change, of: document) : nil
    case .movedOn(let document, let revision):
      guard isWanted(document) else { return nil }
      guard let old = known[FilePath(document)] else {
        return receive(.added(document, revision: revision))
      }
      if old.trouble == nil, let reported = old.revision, reported >= revision { return nil }
      known[FilePath(document)] = Known(revision: revision, id: old.id)
      return .resync(document, revision: revision)
    case .versions(let document, let names, let revision):
      guard let old = known[FilePath(document)], old.trouble == nil, old.versions != names else { return nil }
      known[FilePath(document)]?.versions = names
      return .versions(document, names: names, revision: revision)
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
    if change.isComplete, let reported = old.revision {
      // What was reported is dropped, unless the document was damaged and is readable again.
      guard change.revision > reported || old.trouble != nil else { return nil }
      let later = change.edits.filter { $0.revision > reported }
      // The edits of a merge are among older ones.
      let isAppended = later.count == change.revision - reported
      let edits = isAppended || change.revision <= reported ? later : change.edits
      change = DocumentChange(
        edits: edits, texts: change.texts, revision: change.revision, isComplete: true)
    }
    var new = Known(revision: change.revision, id: old.id, versions: old.versions)
    if change.isComplete {
      new.head = change.edits.last?.id ?? (old.revision == change.revision ? old.head : nil)
    }
    known[FilePath(document)] = new
    return .changed(document, change, isWholeAgain: old.trouble != nil)
  }

  /// The differences from what was reported, sorted by path.
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
    let added =
      document.conflictOf.map { FolderNotice.conflict(document.path, of: $0, revision: revision) }
      ?? .added(document.path, revision: revision)
    guard let old else { return [added] }
    if let id = old.id, id != new.id { return [.removed(document.path), added] }
    // The revision is unknown if the document has never been read.
    let reported = old.revision ?? -1
    if reported < revision { return [.resync(document.path, revision: revision)] }
    let isSame = reported == revision && (old.head == nil || old.head == new.head)
    guard !isSame || old.trouble != nil else { return [] }
    let change = DocumentChange(edits: [], texts: [:], revision: revision, isComplete: isSame)
    return [.changed(document.path, change, isWholeAgain: old.trouble != nil)]
  }

  /// Records that a document was read: later changes are reported relative to this state.
  mutating func read(_ document: String, _ base: DocumentBase) {
    known[FilePath(document)] = Known(revision: base.revision, head: base.head, id: base.id)
  }
}

extension ReportedDocuments.Known {
  /// A document as it is; if it is unreadable, its last known state.
  fileprivate init(_ document: FolderDocument, since old: Self? = nil) {
    if let base = document.base, document.trouble == nil {
      self.init(revision: base.revision, head: base.head, id: base.id)
    } else {
      self.init(revision: old?.revision, head: old?.head, id: old?.id, trouble: document.trouble)
    }
  }
}
