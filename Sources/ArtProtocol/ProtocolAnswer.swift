// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore

/// The answer to a request, one line of JSON:
///
///     {"ok":{"id":"…","unsaved":3},"tag":7}  {"ok":{"ids":["…"],"offCanvas":1,"unsaved":3}}  {"ok":{"unsaved":3}}
///     {"ok":{"done":["Undo move 🐝"],"left":1,"lost":1,"unsaved":4}}  {"ok":{"revision":12,"unsaved":0}}
///     {"ok":{"document":{…},"saved":{"head":"…","revision":12},"state":{"state":"open"},"unsaved":3,"version":7}}
///     {"ok":{"unsaved":0,"versions":[{"by":"Ada","head":"…","id":"…","name":"draft","revision":12,"time":"2025-11-26T07:00:00.000Z"}]}}
///     {"fetching":{"url":"…"}}  {"error":{"code":"…","message":"…","remedy":"…","subject":"…"},"line":3}
public struct ProtocolAnswer: Sendable, Equatable {
  /// The result of a request.
  public enum Outcome: Sendable, Equatable {
    /// An edit was made.
    case edited(Edited)
    /// Edits were undone or redone.
    case stepped(Stepped)
    /// Everything up to that revision is durably in the file.
    case saved(revision: Int, unsaved: Int)
    /// The whole document.
    case document(ProtocolDocument)
    /// Named versions: all of the document, or the one that was kept or removed.
    case versions([NamedVersion], unsaved: Int)
    /// A background is being fetched, or a picture of the client is being checked; its name, for display.
    case fetching(String)
    /// The request failed.
    case failed(ArtError)
  }

  /// The result of an edit.
  public struct Edited: Sendable, Equatable {
    /// The emoji that the edit concerns.
    public enum Subjects: Sendable, Equatable {
      case none
      case one(EmojiID)
      /// Any number of emoji, written as an array.
      case several([EmojiID])
    }

    /// The emoji that the edit concerns.
    public var subjects: Subjects
    /// The number of emoji that lie off the canvas, or more than half of them: of those that the edit concerns, or of all where the canvas
    /// has another size.
    public var offCanvas: Int
    /// The number of unsaved changes.
    public var unsaved: Int
    /// Whether the edit is not stored before the end of the input.
    public var isPending: Bool
    /// Whether this repeats an earlier request with the same tag. Then nothing was done.
    public var isRepeated: Bool

    /// A result with these values.
    public init(
      _ subjects: Subjects = .none, offCanvas: Int = 0, unsaved: Int, isPending: Bool = false,
      isRepeated: Bool = false
    ) {
      (self.subjects, self.offCanvas, self.unsaved) = (subjects, offCanvas, unsaved)
      (self.isPending, self.isRepeated) = (isPending, isRepeated)
    }
  }

  /// The result of undo or redo.
  public struct Stepped: Sendable, Equatable {
    /// The titles of the new entries, for display.
    public var titles: [String]
    /// The number of changes that were skipped because later edits set the same fields.
    public var left: Int
    /// The number of backgrounds whose bytes are not stored any more.
    public var lost: Int
    /// The number of the entries that changed nothing, because later edits set or removed the same.
    public var unchanged: Int
    /// As in `Edited`.
    public var unsaved: Int
    /// As in `Edited`.
    public var isPending: Bool
    /// As in `Edited`.
    public var isRepeated: Bool

    /// A result with these values.
    public init(
      _ titles: [String], left: Int = 0, lost: Int = 0, unchanged: Int = 0, unsaved: Int,
      isPending: Bool = false, isRepeated: Bool = false
    ) {
      (self.titles, self.left, self.lost, self.unchanged) = (titles, left, lost, unchanged)
      (self.unsaved, self.isPending, self.isRepeated) = (unsaved, isPending, isRepeated)
    }
  }

  /// The result.
  public var outcome: Outcome
  /// The request's tag.
  public var tag: ProtocolTag?
  /// The line of the input on which the request stands, from 1; nil where requests have no lines. Only an error is written with it.
  public var inputLine: Int?

  /// The answer to a request with that tag, on that line.
  public init(_ outcome: Outcome, tag: ProtocolTag? = nil, inputLine: Int? = nil) {
    (self.outcome, self.tag, self.inputLine) = (outcome, tag, inputLine)
  }
}

/// The answer to `show`. This document, with the effect of each later version applied to it, equals the program's
/// content.
public struct ProtocolDocument: Sendable, Equatable {
  /// The document without its log. No line has the document's id, so a client that reads one passes its own.
  public var content: DocumentContent
  /// The state of the file.
  public var saved: SavedState
  /// The document's state, written as the line of its event.
  public var state: DocumentState
  /// The number of unsaved changes.
  public var unsaved: Int
  /// The version: the content includes effects up to it.
  public var version: Int
  /// Whether each emoji is written with its `z`, which a client needs to apply effects. Without it, the order of the
  /// array is the z-order.
  public var hasZ: Bool

  /// A document with these values.
  public init(
    _ content: DocumentContent, saved: SavedState, state: DocumentState, unsaved: Int, version: Int,
    hasZ: Bool
  ) {
    (self.content, self.saved, self.state, self.unsaved) = (content, saved, state, unsaved)
    (self.version, self.hasZ) = (version, hasZ)
  }

  /// The document of a snapshot.
  public init(_ snapshot: DocumentSnapshot, hasZ: Bool) {
    self.init(
      snapshot.content, saved: SavedState(snapshot.saved), state: snapshot.state, unsaved: snapshot.unsaved,
      version: snapshot.version, hasZ: hasZ)
  }
}

/// The state that is durably in the file: `{"head":"k3m9abcd0f2z:17","revision":12}`. The head of a document without
/// edits is null.
public struct SavedState: Sendable, Hashable {
  /// The last edit; nil without edits.
  public var head: EditID?
  /// The number of edits.
  public var revision: Int

  /// A state with these values.
  public init(head: EditID?, revision: Int) { (self.head, self.revision) = (head, revision) }

  /// The state of a document's file.
  public init(_ base: DocumentBase) { self.init(head: base.head, revision: base.revision) }

  /// Writes the object.
  public func write(to json: inout JSONWriter) {
    json.object {
      $0.key("head")
      if let head { $0.string(head.description) } else { $0.null() }
      $0.key("revision")
      $0.integer(revision)
    }
  }

  /// Reads what `write` writes. Throws `badJSON`.
  public init(from reader: inout JSONReader) throws(ArtError) {
    var head: EditID??
    var revision: Int?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "head": head = reader.null() ? .some(nil) : .some(try reader.editID())
      case "revision": revision = try reader.integer()
      default: throw reader.error("a saved state with the key \"\(key.prefix(40))\"")
      }
    }
    guard let head, let revision else { throw reader.error("a saved state without head or revision") }
    self.init(head: head, revision: revision)
  }
}

extension ProtocolAnswer.Outcome {
  /// The answer of an open document to a request for an edit.
  public init(_ answer: DocumentAnswer, to request: ProtocolRequest) {
    let isStep =
      switch request.body {
      case .undo, .redo: true
      default: false
      }
    self.init(answer, isStep: isStep, isAboutSeveral: request.isAboutSeveral, isPending: false)
  }

  /// The same; `isStep` means an undo or a redo, `isPending` that the edit is not stored before the end of the input.
  package init(_ answer: DocumentAnswer, isStep: Bool, isAboutSeveral: Bool, isPending: Bool) {
    guard !isStep else {
      self = .stepped(
        ProtocolAnswer.Stepped(
          answer.entries.map(\.title), left: answer.left, lost: answer.lost.count,
          unchanged: answer.entries.count(where: \.changesNothing), unsaved: answer.unsaved,
          isPending: isPending, isRepeated: answer.isRepeated))
      return
    }
    let subjects: ProtocolAnswer.Edited.Subjects =
      if isAboutSeveral {
        .several(answer.emojis.map(\.id))
      } else {
        answer.emojis.first.map { .one($0.id) } ?? .none
      }
    self = .edited(
      ProtocolAnswer.Edited(
        subjects, offCanvas: answer.offCanvas.count, unsaved: answer.unsaved, isPending: isPending,
        isRepeated: answer.isRepeated))
  }
}

extension DocumentAnswer {
  /// The number of changes that an undo or redo skipped because later edits set the same fields.
  package var left: Int { entries.reduce(0) { $0 + $1.dropped.count } }
}

// MARK: - Writing

extension ProtocolAnswer {
  /// The line, with its line break. URLs are redacted; `message` makes the front end's line of an error.
  public func line(message: (ArtError) -> String = \.cause) -> [UInt8] {
    var (line, json) = ([UInt8](), JSONWriter(urls: .redacted))
    write(to: &json, message: message) { line += $0 }
    json.endLine()
    return line + json.bytes
  }

  /// Writes the answer, without a line break. When the writer holds some 64 KiB of a document, the sink is handed them, and the writer is
  /// emptied; the last piece stays in it. `message` makes the front end's
  /// line of an error. Throws what the sink throws.
  public func write<Failure>(
    to json: inout JSONWriter, message: (ArtError) -> String = \.cause,
    emptying sink: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    try json.object { (json) throws(Failure) in
      switch outcome {
      case .edited(let edited):
        json.key("ok")
        json.object { edited.write(to: &$0) }
      case .stepped(let stepped):
        json.key("ok")
        json.object { stepped.write(to: &$0) }
      case .saved(let revision, let unsaved):
        json.key("ok")
        json.object {
          $0.key("revision")
          $0.integer(revision)
          $0.key("unsaved")
          $0.integer(unsaved)
        }
      case .document(let document):
        json.key("ok")
        try json.object { (json) throws(Failure) in
          try document.write(to: &json, message: message, emptying: sink)
        }
      case .versions(let versions, let unsaved):
        json.key("ok")
        json.object {
          $0.key("unsaved")
          $0.integer(unsaved)
          $0.key("versions")
          $0.array { json in for version in versions { version.write(to: &json) } }
        }
      case .fetching(let what):
        json.key("fetching")
        json.object {
          $0.key("url")
          $0.string(what)
        }
      case .failed(let error):
        json.key("error")
        error.write(to: &json, message: message)
        json.member(line: inputLine)
      }
      json.member(tag)
    }
  }
}

extension ProtocolAnswer.Edited {
  fileprivate func write(to json: inout JSONWriter) {
    switch subjects {
    case .none: break
    case .one(let id):
      json.key("id")
      json.string(id.description)
    case .several(let ids):
      json.key("ids")
      json.array { json in for id in ids { json.string(id.description) } }
    }
    if offCanvas > 0 {
      json.key("offCanvas")
      json.integer(offCanvas)
    }
    json.status(unsaved: unsaved, isPending: isPending, isRepeated: isRepeated)
  }
}

extension ProtocolAnswer.Stepped {
  fileprivate func write(to json: inout JSONWriter) {
    json.key("done")
    json.array { json in for title in titles { json.string(title) } }
    if left > 0 {
      json.key("left")
      json.integer(left)
    }
    if lost > 0 {
      json.key("lost")
      json.integer(lost)
    }
    json.status(unchanged: unchanged, unsaved: unsaved, isPending: isPending, isRepeated: isRepeated)
  }
}

extension ProtocolDocument {
  fileprivate func write<Failure>(
    to json: inout JSONWriter, message: (ArtError) -> String, emptying sink: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    json.key("document")
    try content.write(to: &json, withZ: hasZ, emptying: sink)
    json.key("saved")
    saved.write(to: &json)
    json.key("state")
    ProtocolEvent.state(state).write(to: &json, message: message)
    json.key("unsaved")
    json.integer(unsaved)
    json.key("version")
    json.integer(version)
  }
}

extension JSONWriter {
  fileprivate mutating func status(
    unchanged: Int = 0, unsaved: Int, isPending: Bool, isRepeated: Bool
  ) {
    if isPending {
      key("pending")
      boolean(true)
    }
    if isRepeated {
      key("repeated")
      boolean(true)
    }
    if unchanged > 0 {
      key("unchanged")
      integer(unchanged)
    }
    key("unsaved")
    integer(unsaved)
  }
}

// MARK: - Reading

extension ProtocolAnswer {
  /// Reads what `write` writes. `id` becomes the id of a document, because no line has it. Throws `badJSON`, and what
  /// the initializers of the values throw.
  public init(from reader: inout JSONReader, of id: DocumentID) throws(ArtError) {
    var outcome: Outcome?
    var tag: ProtocolTag?
    var inputLine: Int?
    try reader.object { (key, reader) throws(ArtError) in
      if key == "line" { return inputLine = try reader.integer() }
      if key == "tag" { return tag = try ProtocolTag(answered: &reader) }
      guard outcome == nil else { throw reader.error("two answers in one") }
      switch key {
      case "error": outcome = .failed(try ArtError(from: &reader))
      case "fetching": outcome = .fetching(try reader.fetched())
      case "ok":
        var members = OutcomeMembers()
        try members.read(&reader, of: id)
        outcome = try members.outcome(&reader)
      default: throw reader.error("an answer with the key \"\(key.prefix(40))\"")
      }
    }
    guard let outcome else { throw reader.error("no answer") }
    self.init(outcome, tag: tag, inputLine: inputLine)
  }
}

/// The members of `ok`. Their combination determines the kind of answer.
private struct OutcomeMembers {
  private var subjects: ProtocolAnswer.Edited.Subjects?
  private var titles: [String]?
  private var (left, lost, unchanged): (Int?, Int?, Int?) = (nil, nil, nil)
  private var offCanvas: Int?
  private var (isPending, isRepeated): (Bool?, Bool?) = (nil, nil)
  private var document: (content: DocumentContent, hasZ: Bool)?
  private var saved: SavedState?
  private var state: DocumentState?
  private var (revision, version, unsaved): (Int?, Int?, Int?) = (nil, nil, nil)
  private var versions: [NamedVersion]?

  mutating func read(_ reader: inout JSONReader, of id: DocumentID) throws(ArtError) {
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "document": document = try reader.document(of: id)
      case "done":
        var titles: [String] = []
        try reader.array { (reader) throws(ArtError) in titles.append(try reader.string()) }
        self.titles = titles
      case "id" where subjects == nil: subjects = .one(try reader.emojiID())
      case "ids" where subjects == nil:
        var ids: [EmojiID] = []
        try reader.array { (reader) throws(ArtError) in ids.append(try reader.emojiID()) }
        subjects = .several(ids)
      case "left": left = try reader.integer()
      case "lost": lost = try reader.integer()
      case "offCanvas": offCanvas = try reader.integer()
      case "pending": isPending = try reader.boolean()
      case "repeated": isRepeated = try reader.boolean()
      case "revision": revision = try reader.integer()
      case "saved": saved = try SavedState(from: &reader)
      case "state":
        guard case .state(let state) = try ProtocolEvent(from: &reader) else {
          throw reader.error("a state with the members of another event")
        }
        self.state = state
      case "unchanged": unchanged = try reader.integer()
      case "unsaved": unsaved = try reader.integer()
      case "version": version = try reader.integer()
      case "versions":
        var versions: [NamedVersion] = []
        try reader.array { (reader) throws(ArtError) in versions.append(try NamedVersion(from: &reader)) }
        self.versions = versions
      default: throw reader.error("ok with the key \"\(key.prefix(40))\"")
      }
    }
  }

  func outcome(_ reader: inout JSONReader) throws(ArtError) -> ProtocolAnswer.Outcome {
    guard let unsaved else { throw reader.error("ok without unsaved") }
    let isOfSteps = titles != nil || left != nil || lost != nil || unchanged != nil
    let isOfEdit = subjects != nil || offCanvas != nil
    let isOfLog = isPending != nil || isRepeated != nil
    let isOfDocument = document != nil || saved != nil || state != nil || version != nil
    if let versions {
      guard !isOfSteps, !isOfEdit, !isOfLog, !isOfDocument, revision == nil else {
        throw reader.error("ok with versions and members of another answer")
      }
      return .versions(versions, unsaved: unsaved)
    }
    switch (titles, revision, document) {
    case (let titles?, nil, nil) where !isOfEdit && !isOfDocument:
      return .stepped(
        ProtocolAnswer.Stepped(
          titles, left: left ?? 0, lost: lost ?? 0, unchanged: unchanged ?? 0, unsaved: unsaved,
          isPending: isPending ?? false, isRepeated: isRepeated ?? false))
    case (nil, let revision?, nil) where !isOfSteps && !isOfEdit && !isOfLog && !isOfDocument:
      return .saved(revision: revision, unsaved: unsaved)
    case (nil, nil, let document?) where !isOfSteps && !isOfEdit && !isOfLog:
      guard let saved, let state, let version else { break }
      return .document(
        ProtocolDocument(
          document.content, saved: saved, state: state, unsaved: unsaved, version: version,
          hasZ: document.hasZ))
    case (nil, nil, nil) where !isOfSteps && !isOfDocument:
      return .edited(
        ProtocolAnswer.Edited(
          subjects ?? .none, offCanvas: offCanvas ?? 0, unsaved: unsaved, isPending: isPending ?? false,
          isRepeated: isRepeated ?? false))
    default: break
    }
    throw reader.error("ok with members of several answers, or without one that belongs to it")
  }
}

extension JSONReader {
  /// Reads `{"url":"…"}`.
  fileprivate mutating func fetched() throws(ArtError) -> String {
    var url: String?
    try object { (key, reader) throws(ArtError) in
      guard key == "url" else { throw reader.error("fetching with the key \"\(key.prefix(40))\"") }
      url = try reader.string()
    }
    guard let url else { throw error("fetching without url") }
    return url
  }

  /// Reads what `DocumentContent.write` writes. `hasZ` is whether the emoji have `z`: all or none. Without it, the
  /// order of the array is the z-order.
  fileprivate mutating func document(
    of id: DocumentID
  ) throws(ArtError) -> (content: DocumentContent, hasZ: Bool) {
    var background: Background??
    var canvas: (canvas: Canvas, fill: Color?)?
    var emojis: (list: [Emoji], hasZ: Bool)?
    var pending: PendingBackground?
    var revision: Int?
    try object { (key, reader) throws(ArtError) in
      switch key {
      case "background":
        background = reader.null() ? .some(nil) : .some(try Background(from: &reader))
      case "canvas": canvas = try Canvas.filled(from: &reader)
      case "emojis": emojis = try reader.emojis()
      case "pending": pending = try PendingBackground(from: &reader)
      case "revision": revision = try reader.integer()
      default: throw reader.error("a document with the key \"\(key.prefix(40))\"")
      }
    }
    guard let background, let canvas, let emojis, let revision else {
      throw error("a document without background, canvas, emojis or revision")
    }
    guard
      let content = DocumentContent(
        id: id, canvas: canvas.canvas, fill: canvas.fill, background: background, pending: pending,
        emojis: emojis.list, revision: revision)
    else { throw error("a document with two emoji of one id") }
    return (content, emojis.hasZ)
  }

  private mutating func emojis() throws(ArtError) -> (list: [Emoji], hasZ: Bool) {
    var list: [Emoji] = []
    var hasZ: Bool?
    try array { (reader) throws(ArtError) in
      let members = try EmojiMembers(from: &reader)
      guard list.count < Limits.emojiCount else { throw reader.error("too many emoji") }
      guard hasZ == nil || hasZ == (members.z != nil) else {
        throw reader.error("emoji with z and emoji without")
      }
      hasZ = members.z != nil
      guard let id = members.id else { throw reader.error("an emoji without id") }
      list.append(try members.emoji(id, z: members.z ?? list.count, &reader))
    }
    return (list, hasZ ?? false)
  }

  /// Reads an edit's id. Throws `badJSON`.
  mutating func editID() throws(ArtError) -> EditID {
    guard let id = EditID(try string()) else { throw error("an edit's id that is none") }
    return id
  }
}
