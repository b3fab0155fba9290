// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace

/// Notices as lines of JSON.
enum WatchJSON {
  /// The lines of a notice; `name` is what its document is called, `folder` the folder.
  static func lines(
    _ notice: FolderNotice, _ name: String?, folder: String, called: (String) -> String
  ) -> [UInt8] {
    if case .changed(_, let change, _) = notice, change.isComplete, !change.edits.isEmpty {
      return EventWriter.runs(of: change.edits).flatMap { run in
        line(notice, name, folder) { json in
          json.key("origin")
          json.string((run.first?.id.origin.description) ?? "")
          json.key("revision")
          json.integer(run.last?.revision ?? change.revision)
        } edits: { json in
          EventWriter.write(run, to: &json)
        }
      }
    }
    if case .rejected(_, let refusal, let url) = notice { return line(refusal, name, url) }
    return line(notice, name, folder) { json in
      switch notice {
      case .unfetched(_, let reason, let url):
        json.key("reason")
        json.string(reason)
        json.urlMember(url)
      case .renamed(_, let from, _):
        json.key("from")
        json.string(called(from))
      case .damaged(_, let reason):
        json.key("reason")
        json.string(reason)
      case .rescanned(let reason), .degraded(let reason):
        json.key("folder")
        json.string(folder)
        json.key("reason")
        json.string(reason)
      case .ready:
        json.key("folder")
        json.string(folder)
      case .added(_, let revision), .resync(_, let revision), .behind(_, let revision, _):
        json.key("revision")
        json.integer(revision)
      case .changed(_, let change, _):
        json.key("revision")
        json.integer(change.revision)
      case .removed, .rejected: break
      }
    } edits: { json in
      json.array { _ in }
    }
  }

  private static func line(_ refusal: Refusal, _ name: String?, _ url: String) -> [UInt8] {
    var json = JSONWriter(urls: .shown)
    json.object { json in
      json.key("detail")
      json.string(refusal.detail)
      if let name {
        json.key("document")
        json.string(name)
      }
      json.key("event")
      json.string("rejected")
      json.key("reason")
      json.string(refusal.reason.rawValue)
      json.key("transient")
      json.boolean(refusal.isTransient)
      json.urlMember(url)
    }
    json.endLine()
    return json.bytes
  }

  /// A line, its keys sorted: what stands before `event`, the event, and what stands behind it.
  private static func line(
    _ notice: FolderNotice, _ name: String?, _ folder: String, behind: (inout JSONWriter) -> Void,
    edits: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var json = JSONWriter(urls: .shown)
    json.object { json in
      if notice.isAll {
        json.key("all")
        json.boolean(true)
      }
      if let name {
        json.key("document")
        json.string(name)
      }
      if case .ready(let count) = notice {
        json.key("documents")
        json.integer(count)
      }
      if case .changed(_, let change, _) = notice, change.isComplete {
        json.key("edits")
        edits(&json)
      }
      json.key("event")
      json.string(notice.name)
      behind(&json)
    }
    json.endLine()
    return json.bytes
  }
}

extension FolderNotice {
  /// Whether all of the document is to be looked at.
  fileprivate var isAll: Bool {
    switch self {
    case .changed(_, let change, _): !change.isComplete
    case .behind: true
    default: false
    }
  }
}
