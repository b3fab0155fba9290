// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtWorkspace

// Requests about earlier states of a document, and their answers.

extension ProtocolRequest {
  /// Whether the request is about earlier states: `answer` answers it.
  public var isAboutEarlierStates: Bool {
    switch body {
    case .show(at: .some), .revert, .keepVersion, .removeVersion, .versions: true
    case .action, .caption, .undo, .redo, .save, .show(at: nil), .background: false
    }
  }

  /// The same request without its tag, which then is no key of it.
  public var withoutTag: ProtocolRequest {
    ProtocolRequest(body, since: since, isAboutSeveral: isAboutSeveral)
  }

  /// The same request, with what the client knew if it does not say.
  public func assuming(_ known: KnownHead) -> ProtocolRequest {
    ProtocolRequest(body, tag: tag, since: since ?? known, isAboutSeveral: isAboutSeveral)
  }

  /// Performs a request about earlier states. `hasZ` is whether emoji are written with their z-order values. Throws `noSuchRevision`,
  /// `ambiguous`, `exists`, `usage` for another request, and what saving and the file throw.
  public func answer(
    by session: Session, hasZ: Bool
  ) async throws(ArtError) -> ProtocolAnswer.Outcome {
    switch body {
    case .show(at: let state?):
      let content = try await session.content(at: state)
      var document = ProtocolDocument(await session.snapshot, hasZ: hasZ)
      document.content = content
      return .document(document)
    case .revert(let state):
      let answer = try await session.revert(to: state, tag: tag?.requestTag, since: since)
      return ProtocolAnswer.Outcome(answer, isStep: true, isAboutSeveral: false, isPending: false)
    case .keepVersion(let name):
      let version = try await session.keepVersion(named: name, tag: tag?.requestTag)
      return .versions([version], unsaved: await session.unsavedChanges)
    case .removeVersion(let name):
      // No key: of a version that was removed only its id is left.
      let version = try await session.removeVersion(name)
      return .versions([version], unsaved: await session.unsavedChanges)
    case .versions: return .versions(try await session.versions(), unsaved: await session.unsavedChanges)
    case .action, .caption, .undo, .redo, .save, .show(at: nil), .background:
      throw ArtError(.usage, "the request is not about earlier states")
    }
  }
}

extension JSONReader {
  /// Reads a time as `NamedVersion` writes it. Throws `badJSON`.
  fileprivate mutating func milliseconds() throws(ArtError) -> Int {
    guard let time = UTCTime.milliseconds(try string()) else { throw error("a time that is none") }
    return time
  }
}

extension NamedVersion {
  /// Writes `{"by":"Ada","head":"…","id":"…","name":"draft","revision":12,"time":"2025-11-26T07:00:00.000Z"}`; `by` is null without
  /// a name, `head` at revision 0, and `time` outside of the years 0 to 9999.
  public func write(to json: inout JSONWriter) {
    json.object {
      $0.key("by")
      if let author { $0.string(author) } else { $0.null() }
      $0.key("head")
      if let head { $0.string(head.description) } else { $0.null() }
      $0.key("id")
      $0.string(id.description)
      $0.key("name")
      $0.string(name)
      $0.key("revision")
      $0.integer(revision)
      $0.key("time")
      if let text = UTCTime.text(milliseconds: time) { $0.string(text) } else { $0.null() }
    }
  }

  /// Reads what `write` writes. Throws `badJSON`.
  init(from reader: inout JSONReader) throws(ArtError) {
    var (author, head): (String?, EditID?) = (nil, nil)
    var (id, name): (EditID?, String?) = (nil, nil)
    var (revision, time): (Int?, Int?) = (nil, nil)
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "by": author = reader.null() ? nil : try reader.string()
      case "head": head = reader.null() ? nil : try reader.editID()
      case "id": id = try reader.editID()
      case "name": name = try reader.string()
      case "revision": revision = try reader.integer()
      case "time": time = try reader.milliseconds()
      default: throw reader.error("a version with the key \"\(key.prefix(40))\"")
      }
    }
    guard let id, let name, let revision, let time else {
      throw reader.error("a version without id, name, revision or time")
    }
    self.init(id: id, name: name, revision: revision, head: head, author: author, time: time)
  }
}
