// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem

/// The last known and reported state of a document.
struct KnownDocument: Sendable, Equatable {
  /// The last state that could be read; nil if there was none, or, without trouble, if it was not read yet.
  var base: DocumentBase?
  /// The names of its versions by their ids, nil for one that was removed; nil if it could never be read.
  var versions: [String: String?]?
  /// Why it is unreadable; nil if it is readable.
  var trouble: ArtError?
  /// The newest edits; nil if only the document's own row was read.
  var edits: KnownEdits?
  /// The identity of its file.
  var identity: FileIdentity
  /// The file's stamp before it was read; nil to force the next refresh to read it.
  var stamp: FileStamp?
  /// The end of the grace period of a missing file; nil if the file was there at the last refresh.
  var missingUntil: Duration?
  /// The background that is still to be fetched.
  var pending: PendingBackground?
  /// Whether the background became pending while the document was known.
  var becamePending = false

  /// Whether versions were added or removed since this state of the document. `found` has the current names by their ids.
  func hasOtherVersions(than found: [String: String?], in document: DocumentID) -> Bool {
    guard trouble == nil, base?.id == document else { return false }
    return versions.map { $0 != found } ?? false
  }

  /// Records what is pending in `content`, which follows the known state `before`.
  mutating func adoptPending(_ content: DocumentContent, after before: KnownDocument?) {
    pending = content.pending
    guard pending != nil, let before, before.base?.id == content.id else { return }
    becamePending = before.pending == pending ? before.becamePending : true
  }
}

/// The documents of a folder, by their paths.
struct KnownDocuments: Sendable {
  private var documents: [FilePath: KnownDocument] = [:]
  private var paths: [FileIdentity: Set<FilePath>] = [:]
  /// The documents with a pending background.
  private var pending: Set<FilePath> = []
  /// The number of changes of documents with a pending background.
  private(set) var pendingChanges = 0

  subscript(path: FilePath) -> KnownDocument? {
    get { documents[path] }
    set {
      let old = documents[path]
      if let old, old.identity != newValue?.identity {
        paths[old.identity]?.remove(path)
        if paths[old.identity]?.isEmpty ?? false { paths[old.identity] = nil }
      }
      if let newValue, old?.identity != newValue.identity {
        paths[newValue.identity, default: []].insert(path)
      }
      if old?.pending != nil || newValue?.pending != nil {
        pendingChanges &+= 1
        if newValue?.pending == nil { pending.remove(path) } else { pending.insert(path) }
      }
      documents[path] = newValue
    }
  }

  /// The known paths of a file, sorted.
  func paths(of identity: FileIdentity) -> [FilePath] { paths[identity].map { $0.sorted() } ?? [] }

  /// The documents in a folder and below it, sorted.
  func paths(below folder: String) -> [FilePath] {
    documents.keys.filter { $0.isWithin(FilePath(folder)) }.sorted()
  }

  /// The readable documents with a pending background.
  var withPending: [(path: FilePath, document: KnownDocument)] {
    pending.compactMap { path in
      guard let document = documents[path], document.trouble == nil else { return nil }
      return (path, document)
    }
  }

  /// All documents, sorted by path.
  var list: [FolderDocument] {
    documents.sorted { $0.key < $1.key }.map { folderDocument($0.key, $0.value) }
  }

  /// The documents directly in a folder, in no order.
  func documents(in folder: FilePath) -> [FolderDocument] {
    documents.filter { $0.key.parent == folder }.map { folderDocument($0.key, $0.value) }
  }

  /// The document at a path; nil if there is none.
  func document(_ path: FilePath) -> FolderDocument? { documents[path].map { folderDocument(path, $0) } }

  private func folderDocument(_ path: FilePath, _ known: KnownDocument) -> FolderDocument {
    FolderDocument(path, known, conflictOf: conflict(path, known.base?.id))
  }

  /// The document of which a file with that id is a conflict copy; nil if it is none.
  private func conflict(_ path: FilePath, _ id: DocumentID?) -> String? {
    guard let document = ConflictCopy.document(of: path.string), id != nil,
      documents[FilePath(document)]?.base?.id == id
    else { return nil }
    return document
  }
}

extension FolderDocument {
  fileprivate init(_ path: FilePath, _ known: KnownDocument, conflictOf: String?) {
    self.init(
      path: path.string, base: known.trouble == nil ? known.base : nil, trouble: known.trouble,
      file: known.stamp.map { File(size: $0.size, modified: $0.modified / 1_000_000) },
      conflictOf: conflictOf)
  }
}

/// Why a path is refreshed, which decides what may be reported of it.
enum RefreshReason: Sendable, Comparable {
  /// The file is being written; a quiet refresh follows.
  case forced
  /// The file may be being written: an unreadable file is refreshed again.
  case unsettled
  /// Nothing has happened to the file for a while.
  case quiet
  /// The folder was scanned: a missing file was removed.
  case listed
}

/// The paths that are refreshed together, ordered so that a renamed document is refreshed before the one that took its path:
///
///     mv b c; mv a b      c first (it was b), then b (it was a)
struct RefreshBatch {
  private var waiting: [FilePath]
  private var reasons: [FilePath: RefreshReason]
  private var refreshed: Set<FilePath> = []

  /// `now` is the file at each path, if any; `known` is the file at the last refresh.
  init(
    _ reasons: [FilePath: RefreshReason], now: [FilePath: FileIdentity],
    known: (FilePath) -> FileIdentity?
  ) {
    self.reasons = reasons
    var newPaths: [FileIdentity: FilePath] = [:]
    let present = now.sorted { $0.key < $1.key }
    for (path, identity) in present { newPaths[identity] = path }
    waiting = []
    var placed: Set<FilePath> = []
    for (path, _) in present {
      var chain = [path]
      var inChain: Set<FilePath> = [path]
      // The new path of the file that was at the last path of the chain.
      while let last = chain.last, let old = known(last), old != now[last], let next = newPaths[old],
        !placed.contains(next), inChain.insert(next).inserted
      { chain.append(next) }
      for path in chain.reversed() where placed.insert(path).inserted { waiting.append(path) }
    }
    // Missing paths come last, so that renames are found first.
    waiting += reasons.keys.filter { now[$0] == nil }.sorted()
    waiting.reverse()
  }

  /// The next path to refresh, and why; nil at the end.
  mutating func next() -> (FilePath, RefreshReason)? {
    while let path = waiting.popLast() {
      if refreshed.insert(path).inserted { return (path, reasons[path] ?? .unsettled) }
    }
    return nil
  }

  /// Adds a path, unless it is in the batch or was refreshed.
  mutating func add(_ path: FilePath, _ reason: RefreshReason) {
    guard !refreshed.contains(path), reasons[path] == nil else { return }
    reasons[path] = reason
    waiting.insert(path, at: 0)
  }
}

/// The events for a document, by its known state and the state that was found.
///
///     known          found                         events
///     nothing        whole                         added
///     never whole    whole                         added
///     not read yet   whole                         nothing: it was there when the folder was opened
///     whole          in that state                 nothing; after trouble changed, without edits
///                    later, the log holds all      changed, for each save
///                    beyond its log                movedOn
///                    another state of itself       changed, not complete
///                    another document              removed, added
///     any            unreadable                    damaged, once for each kind of trouble
struct Comparison {
  let path: String
  let known: KnownDocument?

  /// The events for a document that was read.
  func events(finding content: DocumentContent) -> [FolderEvent] {
    guard let base = known?.base else {
      if let known, known.trouble == nil { return [] }
      return [.added(path, revision: content.revision)]
    }
    guard base.id == content.id else { return [.removed(path), .added(path, revision: content.revision)] }
    guard let change = ExternalChange(in: content, since: base, knowing: known?.edits, besides: nil) else {
      return known?.trouble == nil ? [] : [changed([], to: content, isComplete: true)]
    }
    guard change.isComplete else {
      let isFurther = content.revision > base.revision
      let isForgotten = content.log.first.map { $0.revision > base.revision } ?? true
      if isFurther, isForgotten { return [.movedOn(path, revision: content.revision)] }
      return [changed([], to: content, isComplete: false)]
    }
    // The edits of a merge are among older ones.
    let saves = change.isMerge || change.edits.isEmpty ? [change.edits] : Self.saves(change.edits)
    return saves.enumerated().map { index, edits in
      changed(edits, to: content, isComplete: true, isLast: index == saves.count - 1)
    }
  }

  /// The events for an unreadable document.
  func events(findingTrouble error: ArtError) -> [FolderEvent] {
    known?.trouble?.code == error.code ? [] : [.damaged(path, reason: error)]
  }

  private func changed(
    _ edits: [LoggedEdit], to content: DocumentContent, isComplete: Bool, isLast: Bool = true
  ) -> FolderEvent {
    let revision = isLast ? content.revision : edits.last?.revision ?? content.revision
    return .changed(
      path,
      DocumentChange(
        edits: edits, texts: EditTexts.of(edits, in: content), revision: revision, isComplete: isComplete))
  }

  /// The edits of each save, in order.
  static func saves(_ edits: [LoggedEdit]) -> [[LoggedEdit]] {
    var saves: [[LoggedEdit]] = []
    for edit in edits {
      if let last = saves.last?.last, last.save == edit.save {
        saves[saves.count - 1].append(edit)
      } else {
        saves.append([edit])
      }
    }
    return saves
  }
}
