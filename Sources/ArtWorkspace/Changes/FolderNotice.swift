// SPDX-License-Identifier: Apache-2.0

import ArtModel

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
  case damaged(String, reason: String)
  /// A background that was pending was refused, for good or for now.
  case rejected(String, Refusal, url: String)
  /// Something was in the way of fetching what is pending.
  case unfetched(String, reason: String, url: String)
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
