// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem

/// What is known of a document, and has been told.
struct KnownDocument: Sendable, Equatable {
  /// The last whole state that it was in; nil when it never was, or, without trouble, when it was not read yet.
  var base: DocumentBase?
  /// Why it cannot be read; nil when it can.
  var trouble: ArtError?
  /// Which file it is.
  var identity: FileIdentity
  /// The file's stamp before it was read; nil when it is to be read again whatever its stamp says.
  var stamp: FileStamp?
  /// Until when it is waited for, since nothing stood at its path at the last look; nil when it was there.
  var missingUntil: Duration?
  /// The background that is still to be fetched.
  var pending: PendingBackground?
  /// Whether it has become pending while the document was known.
  var isPendingNews = false

  /// What is pending in the state that was found, after this one was known.
  mutating func adoptPending(_ content: DocumentContent, after before: KnownDocument?) {
    pending = content.pending
    guard pending != nil, let before, before.base?.id == content.id else { return }
    isPendingNews = before.pending == pending ? before.isPendingNews : true
  }
}

/// The documents of a folder, by their paths.
struct KnownDocuments: Sendable {
  private var documents: [FilePath: KnownDocument] = [:]
  private var paths: [FileIdentity: Set<FilePath>] = [:]
  /// Those with something pending.
  private var pending: Set<FilePath> = []
  /// Grows whenever one of those, or something about it, is another.
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

  /// All that are known to be that file, sorted.
  func paths(of identity: FileIdentity) -> [FilePath] { paths[identity].map { $0.sorted() } ?? [] }

  /// Those in a folder and below it, sorted.
  func paths(below folder: String) -> [FilePath] {
    documents.keys.filter { $0.isWithin(FilePath(folder)) }.sorted()
  }

  /// Those that can be read and have something pending.
  var withPending: [(path: FilePath, document: KnownDocument)] {
    pending.compactMap { path in
      guard let document = documents[path], document.trouble == nil else { return nil }
      return (path, document)
    }
  }

  /// All, sorted.
  var list: [FolderDocument] {
    documents.sorted { $0.key < $1.key }.map {
      FolderDocument(
        path: $0.key.string, base: $0.value.trouble == nil ? $0.value.base : nil,
        trouble: $0.value.trouble)
    }
  }
}

/// Why a path is refreshed, which decides what may be reported of it.
enum RefreshReason: Sendable, Comparable {
  /// It is being written, and a quiet refresh follows.
  case forced
  /// It may be being written: an unreadable file is refreshed again.
  case unsettled
  /// Nothing has happened to it for a while.
  case quiet
  /// Everything was listed: what is gone is gone.
  case listed
}

/// The paths that are refreshed together, in an order in which documents that changed their names are met before others
/// that took their places:
///
///     mv b c; mv a b      c first (it was b), then b (it was a)
struct RefreshBatch {
  private var waiting: [FilePath]
  private var reasons: [FilePath: RefreshReason]
  private var refreshed: Set<FilePath> = []

  /// `now` is what stands at each path, where anything does; `known` what stood there at the last look.
  init(
    _ reasons: [FilePath: RefreshReason], now: [FilePath: FileIdentity],
    known: (FilePath) -> FileIdentity?
  ) {
    self.reasons = reasons
    var places: [FileIdentity: FilePath] = [:]
    let present = now.sorted { $0.key < $1.key }
    for (path, identity) in present { places[identity] = path }
    waiting = []
    var placed: Set<FilePath> = []
    for (path, _) in present {
      var chain = [path]
      var inChain: Set<FilePath> = [path]
      // Where what stood here is now.
      while let last = chain.last, let old = known(last), old != now[last], let next = places[old],
        !placed.contains(next), inChain.insert(next).inserted
      { chain.append(next) }
      for path in chain.reversed() where placed.insert(path).inserted { waiting.append(path) }
    }
    // Missing paths come last, so that renames are seen first.
    waiting += reasons.keys.filter { now[$0] == nil }.sorted()
    waiting.reverse()
  }

  /// The next path to look at, and why; nil when all were.
  mutating func next() -> (FilePath, RefreshReason)? {
    while let path = waiting.popLast() {
      if refreshed.insert(path).inserted { return (path, reasons[path] ?? .unsettled) }
    }
    return nil
  }

  /// Adds a path, unless it was refreshed or is in the batch.
  mutating func add(_ path: FilePath, _ reason: RefreshReason) {
    guard !refreshed.contains(path), reasons[path] == nil else { return }
    reasons[path] = reason
    waiting.insert(path, at: 0)
  }
}

/// What is to be told when a document that was known so is found so.
///
///     known          found                         told
///     nothing        whole                         added
///     never whole    whole                         added
///     not read yet   whole                         nothing: it was there when the folder was opened
///     whole          in that state                 nothing; after trouble changed, without edits
///                    further, the log holds all    changed, for each save
///                    further than the log goes     movedOn
///                    another state of itself       changed, not complete
///                    another document              removed, added
///     whatever       unreadable                    damaged, once for each kind of trouble
struct Comparison {
  let path: String
  let known: KnownDocument?

  /// The document is whole.
  func events(finding content: DocumentContent) -> [FolderEvent] {
    guard let base = known?.base else {
      if let known, known.trouble == nil { return [] }
      return [.added(path, revision: content.revision)]
    }
    guard base.id == content.id else { return [.removed(path), .added(path, revision: content.revision)] }
    guard let change = ExternalChange(in: content, since: base, besides: nil) else {
      return known?.trouble == nil ? [] : [changed([], to: content, isComplete: true)]
    }
    guard change.isComplete else {
      let isFurther = content.revision > base.revision
      let isForgotten = content.log.first.map { $0.revision > base.revision } ?? true
      if isFurther, isForgotten { return [.movedOn(path, revision: content.revision)] }
      return [changed([], to: content, isComplete: false)]
    }
    return Self.saves(change.edits).map { changed($0, to: content, isComplete: true) }
  }

  /// The document cannot be read.
  func events(findingTrouble error: ArtError) -> [FolderEvent] {
    known?.trouble?.code == error.code ? [] : [.damaged(path, reason: error)]
  }

  private func changed(_ edits: [LoggedEdit], to content: DocumentContent, isComplete: Bool) -> FolderEvent {
    let revision = edits.last?.revision ?? content.revision
    return .changed(
      path,
      DocumentChange(
        edits: edits, texts: EditTexts.of(edits, in: content), revision: revision, isComplete: isComplete))
  }

  /// The edits of each save, in their order.
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
