// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtWorkspace

/// An event of an open document, one line of JSON between the answers:
///
///     {"state":"saving"}  {"state":"open"}  {"state":"closed"}  {"code":"…","reason":"…","state":"error"}
///     {"reason":"…","state":"editingDisabled"}  {"saved":{"revision":12}}  {"changed":{…}}
///     {"dropped":{"changes":[…],"edit":"…"}}  {"setAside":{"edits":2,"files":["…"]}}
///     {"renamed":{"id":"…","to":"…"}}  {"repeated":{"as":"…","edit":"…"}}  {"resync":{"version":9}}
///     {"background":{…},"revision":12,"tag":7}  {"line":3,"rejected":{…},"tag":7}  {"error":{…},"line":3,"tag":7}
///     {"degraded":{"reason":"…"}}  {"watching":true}  {"lifecycle":"background"}
public enum ProtocolEvent: Sendable, Equatable {
  /// The document has another state.
  case state(DocumentState)
  /// Everything up to that revision is durably in the file.
  case saved(revision: Int)
  /// The content has changed.
  case changed(ProtocolChange)
  /// Changes of an own edit were dropped.
  case dropped(EditID, [Change])
  /// See `DocumentEvent.setAside`.
  case setAside(edits: Int, files: [String])
  /// An emoji that this program added has another id.
  case renamed(EmojiID, to: EmojiID)
  /// An own edit was left out, because the document has another program's of the same request.
  case repeated(EditID, as: EditID)
  /// The client has missed events up to that version and should ask for the document.
  case resync(version: Int)
  /// A fetched background was set. The tag is the request's; nil for one that was pending.
  case background(Background, revision: Int, tag: ProtocolTag?)
  /// A background was refused; with its URL, if known. The line is that of the request in the input; nil for one that was pending, and
  /// where the input has no lines.
  case rejected(Refusal, url: String?, tag: ProtocolTag?, line: Int? = nil)
  /// A background could not be fetched or set. A client reads this line as an answer with that error.
  case failed(ArtError, tag: ProtocolTag?, line: Int? = nil)
  /// Edits of other programs are noticed late from now on, for the given reason.
  case degraded(String)
  /// Edits of other programs are noticed at once again.
  case watching
  /// An event in the program's life cycle.
  case lifeCycle(LifeCycleEvent)

  /// An event of a document.
  public init(_ event: DocumentEvent) {
    self =
      switch event {
      case .state(let state): .state(state)
      case .changed(let change): .changed(ProtocolChange(change))
      case .saved(let revision): .saved(revision: revision)
      case .dropped(let edit, let changes): .dropped(edit, changes)
      case .setAside(let edits, let files): .setAside(edits: edits, files: files)
      case .renamed(let old, let new): .renamed(old, to: new)
      case .repeated(let edit, let other): .repeated(edit, as: other)
      case .resync(let version): .resync(version: version)
      }
  }

  /// The result of fetching a background.
  public init(_ event: DocumentBackgrounds.Event) {
    let tag = event.tag.flatMap { ProtocolTag($0) }
    self =
      switch event.outcome {
      case .set(let background, let revision): .background(background, revision: revision, tag: tag)
      case .rejected(let refusal): .rejected(refusal, url: event.url, tag: tag, line: event.line)
      case .failed(let error): .failed(error, tag: tag, line: event.line)
      }
  }

  /// The line of a session's event; nil for an event without one.
  public init?(_ event: SessionEvent) {
    switch event {
    case .document(let event): self.init(event)
    case .background(let event): self.init(event)
    case .degraded(let reason): self = .degraded(reason)
    case .watching: self = .watching
    case .warning, .rescanned, .moved, .removed: return nil
    }
  }
}

// MARK: - Writing

extension ProtocolEvent {
  /// The line, with its line break. URLs are redacted; `message` makes the front end's line of an error.
  public func line(message: (ArtError) -> String = \.cause) -> [UInt8] {
    var json = JSONWriter(urls: .redacted)
    write(to: &json, message: message)
    json.endLine()
    return json.bytes
  }

  /// Writes the event, without a line break. `message` makes the front end's line of an error.
  public func write(to json: inout JSONWriter, message: (ArtError) -> String = \.cause) {
    json.object { json in
      switch self {
      case .state(let state): state.write(to: &json, message: message)
      case .saved(let revision):
        json.member("saved") {
          $0.key("revision")
          $0.integer(revision)
        }
      case .changed(let change): json.member("changed") { change.write(to: &$0) }
      case .dropped(let edit, let changes):
        json.member("dropped") {
          $0.key("changes")
          changes.write(to: &$0)
          $0.key("edit")
          $0.string(edit.description)
        }
      case .setAside(let edits, let files):
        json.member("setAside") {
          $0.key("edits")
          $0.integer(edits)
          $0.key("files")
          $0.array { json in for file in files { json.string(file) } }
        }
      case .renamed(let old, let new):
        json.member("renamed") {
          $0.key("id")
          $0.string(old.description)
          $0.key("to")
          $0.string(new.description)
        }
      case .repeated(let edit, let other):
        json.member("repeated") {
          $0.key("as")
          $0.string(other.description)
          $0.key("edit")
          $0.string(edit.description)
        }
      case .resync(let version):
        json.member("resync") {
          $0.key("version")
          $0.integer(version)
        }
      case .background(let background, let revision, let tag):
        json.key("background")
        background.write(to: &json)
        json.key("revision")
        json.integer(revision)
        json.member(tag)
      case .rejected(let refusal, let url, let tag, let line):
        json.member(line: line)
        json.member("rejected") {
          $0.key("detail")
          $0.string(refusal.detail)
          $0.key("reason")
          $0.string(refusal.reason.rawValue)
          $0.key("transient")
          $0.boolean(refusal.isTransient)
          $0.urlMember(url)
        }
        json.member(tag)
      case .failed(let error, let tag, let line):
        json.key("error")
        error.write(to: &json, message: message)
        json.member(line: line)
        json.member(tag)
      case .degraded(let reason):
        json.member("degraded") {
          $0.key("reason")
          $0.string(reason)
        }
      case .watching:
        json.key("watching")
        json.boolean(true)
      case .lifeCycle(let event):
        json.key("lifecycle")
        json.string(event.rawValue)
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, _ members: (inout JSONWriter) -> Void) {
    key(name)
    object(members)
  }
}

extension DocumentState {
  fileprivate func write(to json: inout JSONWriter, message: (ArtError) -> String) {
    let name: String
    switch self {
    case .closed: name = "closed"
    case .open: name = "open"
    case .saving: name = "saving"
    case .error(let error):
      name = "error"
      error.writeAccount(to: &json, as: "reason", message(error))
    case .editingDisabled(let reason):
      name = "editingDisabled"
      json.key("reason")
      json.string(reason)
    }
    json.key("state")
    json.string(name)
    if case .error(let error) = self { error.writeSubject(to: &json) }
  }
}

// MARK: - Reading

extension ProtocolEvent {
  /// Reads what `write` writes, except for an `error`, which is read as an answer. Throws `badJSON`, and what the
  /// initializers of the values throw.
  public init(from reader: inout JSONReader) throws(ArtError) {
    var members = EventMembers()
    try reader.object { (key, reader) throws(ArtError) in try members.read(key, &reader) }
    self = try members.event(&reader)
  }
}

/// The members of an event's line. Their combination determines the kind of event.
private struct EventMembers {
  private var event: ProtocolEvent?
  private var state: String?
  private var code: ArtError.Code?
  private var remedy: ArtError.Remedy?
  private var subject: String?
  private var reason: String?
  private var background: Background?
  private var rejected: (refusal: Refusal, url: String?)?
  private var revision: Int?
  private var line: Int?
  private var tag: ProtocolTag?

  mutating func read(_ key: String, _ reader: inout JSONReader) throws(ArtError) {
    switch key {
    case "state": state = try reader.string()
    case "code": code = try reader.errorCode()
    case "reason": reason = try reader.string()
    case "remedy": remedy = try reader.remedy()
    case "subject": subject = try reader.string()
    case "background": background = try Background(from: &reader)
    case "rejected": rejected = try reader.rejected()
    case "revision": revision = try reader.integer()
    case "line": line = try reader.integer()
    case "tag": tag = try ProtocolTag(answered: &reader)
    default:
      guard event == nil else { throw reader.error("two events in one") }
      event = try Self.event(key, &reader)
    }
  }

  /// An object with two members.
  private static func pair<Value>(
    _ first: String, _ second: String, of event: String, _ reader: inout JSONReader,
    _ read: (inout JSONReader) throws(ArtError) -> Value
  ) throws(ArtError) -> (Value, Value) {
    var (one, other): (Value?, Value?) = (nil, nil)
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case first: one = try read(&reader)
      case second: other = try read(&reader)
      default: throw reader.error("\(event) with the key \"\(key.prefix(40))\"")
      }
    }
    guard let one, let other else { throw reader.error("\(event) without \(first) or \(second)") }
    return (one, other)
  }

  private static func event(_ key: String, _ reader: inout JSONReader) throws(ArtError) -> ProtocolEvent {
    switch key {
    case "changed": return .changed(try ProtocolChange(from: &reader))
    case "degraded": return .degraded(try reader.only("reason") { (r) throws(ArtError) in try r.string() })
    case "dropped":
      var (edit, changes): (EditID?, [Change]?) = (nil, nil)
      try reader.object { (key, reader) throws(ArtError) in
        switch key {
        case "changes": changes = try [Change](from: &reader)
        case "edit": edit = try reader.editID()
        default: throw reader.error("dropped with the key \"\(key.prefix(40))\"")
        }
      }
      guard let edit, let changes else { throw reader.error("dropped without changes or edit") }
      return .dropped(edit, changes)
    case "lifecycle":
      let name = try reader.string()
      guard let event = LifeCycleEvent(rawValue: name) else {
        throw reader.error("no turn \"\(name.prefix(40))\"")
      }
      return .lifeCycle(event)
    case "renamed":
      let (old, new) = try pair("id", "to", of: key, &reader) { (r) throws(ArtError) in try r.emojiID() }
      return .renamed(old, to: new)
    case "repeated":
      let (edit, other) = try pair("edit", "as", of: key, &reader) { (r) throws(ArtError) in try r.editID() }
      return .repeated(edit, as: other)
    case "resync":
      return .resync(version: try reader.only("version") { (r) throws(ArtError) in try r.integer() })
    case "setAside":
      var (edits, files): (Int?, [String]?) = (nil, nil)
      try reader.object { (key, reader) throws(ArtError) in
        switch key {
        case "edits": edits = try reader.integer()
        case "files":
          var found: [String] = []
          try reader.array { (reader) throws(ArtError) in found.append(try reader.string()) }
          files = found
        default: throw reader.error("setAside with the key \"\(key.prefix(40))\"")
        }
      }
      guard let edits, let files else { throw reader.error("setAside without edits or files") }
      return .setAside(edits: edits, files: files)
    case "saved":
      return .saved(revision: try reader.only("revision") { (r) throws(ArtError) in try r.integer() })
    case "watching":
      guard try reader.boolean() else { throw reader.error("watching that is not true") }
      return .watching
    default: throw reader.error("an event with the key \"\(key.prefix(40))\"")
    }
  }

  /// Whether there is a member that only a state of error has.
  private var isOfError: Bool { code != nil || remedy != nil || subject != nil }

  func event(_ reader: inout JSONReader) throws(ArtError) -> ProtocolEvent {
    let isOfState = isOfError || reason != nil
    switch (event, state, background, rejected) {
    case (let event?, nil, nil, nil) where !isOfState && revision == nil && line == nil && tag == nil:
      return event
    case (nil, let state?, nil, nil) where revision == nil && line == nil && tag == nil:
      return .state(try documentState(state, &reader))
    case (nil, nil, let background?, nil) where !isOfState && line == nil:
      guard let revision else { throw reader.error("a background without revision") }
      return .background(background, revision: revision, tag: tag)
    case (nil, nil, nil, let rejected?) where !isOfState && revision == nil:
      return .rejected(rejected.refusal, url: rejected.url, tag: tag, line: line)
    default: throw reader.error("members of several events, or of none")
    }
  }

  private func documentState(
    _ name: String, _ reader: inout JSONReader
  ) throws(ArtError) -> DocumentState {
    if name == "error", let code, let reason {
      return .error(ArtError(code, reason, about: subject, remedy: remedy))
    }
    switch (name, reason) {
    case ("closed", nil) where !isOfError: return .closed
    case ("open", nil) where !isOfError: return .open
    case ("saving", nil) where !isOfError: return .saving
    case ("editingDisabled", let reason?) where !isOfError: return .editingDisabled(reason)
    default: throw reader.error("no state \"\(name.prefix(40))\", or not with these members")
    }
  }
}

extension JSONReader {
  /// Reads an object with exactly one member.
  fileprivate mutating func only<Value>(
    _ name: String, _ read: (inout JSONReader) throws(ArtError) -> Value
  ) throws(ArtError) -> Value {
    var value: Value?
    try object { (key, reader) throws(ArtError) in
      guard key == name else { throw reader.error("the key \"\(key.prefix(40))\"") }
      value = try read(&reader)
    }
    guard let value else { throw error("no \(name)") }
    return value
  }

  /// Reads `{"detail":"…","reason":"dns","transient":true,"url":"…"}`.
  fileprivate mutating func rejected() throws(ArtError) -> (refusal: Refusal, url: String?) {
    var (detail, url): (String?, String?) = (nil, nil)
    var reason: Refusal.Reason?
    var isTransient: Bool?
    try object { (key, reader) throws(ArtError) in
      switch key {
      case "detail": detail = try reader.string()
      case "reason": reason = try reader.refusalReason()
      case "transient": isTransient = try reader.boolean()
      case "url": url = try reader.string()
      default: throw reader.error("rejected with the key \"\(key.prefix(40))\"")
      }
    }
    guard let detail, let reason, let isTransient else {
      throw error("rejected without detail, reason or transient")
    }
    return (Refusal(reason, detail, isTransient: isTransient), url)
  }
}

// MARK: - Lines of either kind

/// A line of a stream, read by a client.
public enum ProtocolLine: Sendable, Equatable {
  /// An answer to a request. An `error` with the tag of a background that is being fetched is the result of that
  /// fetch.
  case answer(ProtocolAnswer)
  /// An event.
  case event(ProtocolEvent)

  /// Reads a line. `id` becomes the id of a document in an answer. Throws `badJSON`, and what the initializers of the
  /// values throw.
  public init(_ line: UnsafeBufferPointer<UInt8>, of id: DocumentID) throws(ArtError) {
    let isAnswer = try JSONReader.read(line) { (reader) throws(ArtError) in
      var isAnswer = false
      try reader.object { (key, reader) throws(ArtError) in
        isAnswer = isAnswer || ["error", "fetching", "ok"].contains(key)
        try reader.skip()
      }
      return isAnswer
    }
    self = try JSONReader.read(line) { (reader) throws(ArtError) in
      isAnswer
        ? .answer(try ProtocolAnswer(from: &reader, of: id)) : .event(try ProtocolEvent(from: &reader))
    }
  }
}
