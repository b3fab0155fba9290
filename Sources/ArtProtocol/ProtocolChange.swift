// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel

/// One change of a document's content, the value of `changed`:
///
///     {"before":6,"cause":"rebase","edits":[…],"effect":{…},"revision":13,"saved":{"head":"…","revision":13},"version":7}
public struct ProtocolChange: Sendable, Equatable {
  /// The version before the change.
  public let before: Int
  /// The cause.
  public var cause: ContentChange.Cause
  /// The edits, for display.
  public var edits: [ProtocolEdit]
  /// Whether `edits` has all new edits. False is written as `"all":true`.
  public var isComplete: Bool
  /// The effect on the content.
  public var effect: ContentEffect
  /// The document's revision after the change, with unsaved edits.
  public var revision: Int
  /// The state of the file, if a save is the cause.
  public var saved: SavedState?
  /// The version after the change, one more than `before`.
  public let version: Int

  /// A change after that version; nil if the version would overflow.
  public init?(
    after before: Int, cause: ContentChange.Cause, edits: [ProtocolEdit] = [], isComplete: Bool = true,
    effect: ContentEffect, revision: Int, saved: SavedState? = nil
  ) {
    let (version, overflow) = before.addingReportingOverflow(1)
    guard !overflow else { return nil }
    (self.before, self.version) = (before, version)
    (self.cause, self.edits, self.isComplete) = (cause, edits, isComplete)
    (self.effect, self.revision, self.saved) = (effect, revision, saved)
  }

  /// A change of an open document.
  public init(_ change: ContentChange) {
    (before, version) = (change.before, change.after)
    (cause, edits, isComplete) = (change.cause, change.edits.map(ProtocolEdit.init), change.isComplete)
    (effect, revision, saved) = (change.effect, change.revision, change.saved.map { SavedState($0) })
  }
}

/// A log entry, for display and for comparing tags:
///
///     {"by":"Ada","changes":[…],"id":"…","session":"…","tags":["…"],"what":"move 🐝"}
public struct ProtocolEdit: Sendable, Hashable {
  /// The user's name, or the program's origin if there is none.
  public var by: String
  /// The changes that had an effect.
  public var changes: [Change]
  /// Its identity.
  public var id: EditID
  /// The session of the client, if it has one.
  public var session: SessionID?
  /// The keys of the requests that led to the edit.
  public var tags: [RequestTag]
  /// The title.
  public var what: String

  /// An edit with these values.
  public init(
    by: String, changes: [Change], id: EditID, session: SessionID? = nil, tags: [RequestTag] = [],
    what: String
  ) {
    (self.by, self.changes, self.id) = (by, changes, id)
    (self.session, self.tags, self.what) = (session, tags, what)
  }

  /// A log entry.
  public init(_ entry: LoggedEdit) {
    self.init(
      by: entry.author ?? entry.id.origin.description, changes: entry.edit.changes, id: entry.id,
      session: entry.session, tags: entry.stamp.tags, what: entry.title)
  }
}

// MARK: - Writing

extension ProtocolChange {
  /// Writes the value of `changed`.
  func write(to json: inout JSONWriter) {
    if !isComplete {
      json.key("all")
      json.boolean(true)
    }
    json.key("before")
    json.integer(before)
    json.key("cause")
    json.string(cause.rawValue)
    json.key("edits")
    json.edits(edits)
    json.key("effect")
    effect.write(to: &json)
    json.key("revision")
    json.integer(revision)
    if let saved {
      json.key("saved")
      saved.write(to: &json)
    }
    json.key("version")
    json.integer(version)
  }
}

extension JSONWriter {
  /// Writes edits as an array.
  mutating func edits(_ edits: [ProtocolEdit]) {
    array { json in for edit in edits { json.object { edit.write(to: &$0) } } }
  }
}

extension ProtocolEdit {
  fileprivate func write(to json: inout JSONWriter) {
    json.key("by")
    json.string(by)
    json.key("changes")
    changes.write(to: &json)
    json.key("id")
    json.string(id.description)
    if let session {
      json.key("session")
      json.string(session.description)
    }
    if !tags.isEmpty {
      json.key("tags")
      json.array { json in for tag in tags { json.string(tag.description) } }
    }
    json.key("what")
    json.string(what)
  }
}

// MARK: - Reading

extension ProtocolChange {
  /// Reads the value of `changed`. Throws `badJSON`, also for versions that are not consecutive.
  public init(from reader: inout JSONReader) throws(ArtError) {
    var (before, version, revision): (Int?, Int?, Int?) = (nil, nil, nil)
    var (all, cause): (Bool?, ContentChange.Cause?) = (nil, nil)
    var edits: [ProtocolEdit]?
    var effect: ContentEffect?
    var saved: SavedState?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "all": all = try reader.boolean()
      case "before": before = try reader.integer()
      case "cause":
        let name = try reader.string()
        cause = ContentChange.Cause(rawValue: name)
        guard cause != nil else { throw reader.error("no cause \"\(name.prefix(40))\"") }
      case "edits": edits = try reader.edits()
      case "effect": effect = try ContentEffect(from: &reader)
      case "revision": revision = try reader.integer()
      case "saved": saved = try SavedState(from: &reader)
      case "version": version = try reader.integer()
      default: throw reader.error("changed with the key \"\(key.prefix(40))\"")
      }
    }
    guard let before, let cause, let edits, let effect, let revision, let version else {
      throw reader.error("changed without before, cause, edits, effect, revision or version")
    }
    let change = ProtocolChange(
      after: before, cause: cause, edits: edits, isComplete: !(all ?? false), effect: effect,
      revision: revision, saved: saved)
    guard let change, change.version == version else {
      throw reader.error("changed with versions that do not follow each other")
    }
    self = change
  }
}

extension JSONReader {
  /// Reads an array of edits. Throws `badJSON`.
  mutating func edits() throws(ArtError) -> [ProtocolEdit] {
    var edits: [ProtocolEdit] = []
    try array { (reader) throws(ArtError) in edits.append(try ProtocolEdit(from: &reader)) }
    return edits
  }
}

extension ProtocolEdit {
  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    var (by, what): (String?, String?) = (nil, nil)
    var (id, changes): (EditID?, [Change]?) = (nil, nil)
    var session: SessionID?
    var tags: [RequestTag] = []
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "by": by = try reader.string()
      case "changes": changes = try [Change](from: &reader)
      case "id": id = try reader.editID()
      case "session":
        session = SessionID(try reader.string())
        guard session != nil else { throw reader.error("a session that is none") }
      case "tags":
        try reader.array { (reader) throws(ArtError) in
          guard let tag = RequestTag(try reader.string()) else { throw reader.error("a tag that is none") }
          tags.append(tag)
        }
      case "what": what = try reader.string()
      default: throw reader.error("an edit with the key \"\(key.prefix(40))\"")
      }
    }
    guard let by, let changes, let id, let what else {
      throw reader.error("an edit without by, changes, id or what")
    }
    self.init(by: by, changes: changes, id: id, session: session, tags: tags, what: what)
  }
}
