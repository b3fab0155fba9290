// SPDX-License-Identifier: Apache-2.0

import ArtWorkspace
import ArtModel

/// What `emojiart watch` tells of a folder. Documents are called by their paths in it.
enum WatchNotice: Sendable, Equatable {
  /// From here on changes are told. How many documents there are.
  case ready(Int)
  case added(String, revision: Int)
  /// A save; `isWholeAgain` when the document could not be read before.
  case changed(String, DocumentChange, isWholeAgain: Bool)
  /// The document has moved on further than can be told edit by edit.
  case resync(String, revision: Int)
  /// The document is at a lower revision than one that somebody has seen.
  case behind(String, revision: Int, since: Int)
  case removed(String)
  case renamed(String, from: String, revision: Int?)
  case damaged(String, reason: String)
  /// A background that was pending was refused, for good or for now.
  case rejected(String, Refusal, url: String)
  /// Something was in the way of fetching what is pending.
  case unfetched(String, reason: String, url: String)
  case rescanned(String)
  case degraded(String)

  /// The document that it is about; nil for one about the folder.
  var document: String? {
    switch self {
    case .ready, .rescanned, .degraded: nil
    case .added(let document, _), .changed(let document, _, _), .resync(let document, _),
      .behind(let document, _, _), .removed(let document), .renamed(let document, _, _),
      .damaged(let document, _), .rejected(let document, _, _), .unfetched(let document, _, _):
      document
    }
  }

  /// Its name in JSON, and in the environment of a COMMAND.
  var name: String {
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
  var revision: Int? {
    switch self {
    case .added(_, let revision), .resync(_, let revision), .behind(_, let revision, _): revision
    case .changed(_, let change, _): change.revision
    case .renamed(_, _, let revision): revision
    case .ready, .removed, .damaged, .rejected, .unfetched, .rescanned, .degraded: nil
    }
  }
}
