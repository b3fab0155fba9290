// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace

/// An event in a folder, one line of JSON. Documents and folders have the names that the front end gives them.
///
///     {"documents":12,"event":"ready","folder":"."}  {"document":"…","event":"added","revision":1}
///     {"document":"…","edits":[…],"event":"changed","origin":"…","revision":13}
///     {"document":"…","edits":[],"event":"changed","revision":13}
///     {"all":true,"document":"…","event":"changed","revision":4}
///     {"document":"…","event":"versions","revision":13,"versions":["draft"]}
///     {"document":"…","event":"resync","revision":2000}  {"document":"…","event":"removed"}
///     {"document":"…","event":"renamed","from":"…"}  {"document":"…","event":"damaged","reason":"…"}
///     {"detail":"…","document":"…","event":"rejected","reason":"status","transient":true,"url":"…"}
///     {"document":"…","event":"unfetched","reason":"…","url":"…"}
///     {"event":"rescanned","folder":"…","reason":"…"}  {"event":"degraded","folder":"…","reason":"…"}
public enum ProtocolNotice: Sendable, Equatable {
  /// The initial scan is complete; changes are reported from now on. `documents` is their number.
  case ready(folder: String, documents: Int)
  /// A document was added.
  case added(String, revision: Int)
  /// Edits of one program. Without edits and origin: the document is readable again.
  case changed(String, [ProtocolEdit], origin: Origin?, revision: Int)
  /// The document was replaced by another state of itself. The client should read all of it.
  case replaced(String, revision: Int)
  /// The document has had more edits than its log keeps.
  case resync(String, revision: Int)
  /// Versions of a document were named or removed; the names of those that it has now.
  case versions(String, names: [String], revision: Int)
  /// A document was removed.
  case removed(String)
  /// A conflict copy of a document came beside it.
  case conflict(String, of: String, revision: Int)
  /// A document has another name.
  case renamed(String, from: String)
  /// A document cannot be read, for the given reason.
  case damaged(String, reason: String)
  /// A pending background was refused; with its URL, if it can be displayed.
  case rejected(String, Refusal, url: String?)
  /// A pending background could not be fetched, for the given reason.
  case unfetched(String, reason: String, url: String?)
  /// The folder was scanned again, for the given reason.
  case rescanned(folder: String, reason: String)
  /// The folder is watched by periodic scans from now on, for the given reason.
  case degraded(folder: String, reason: String)

  /// The lines of a notice about a folder of that name: one for each program whose edits are in it. `name` makes what a document is
  /// called of its path in the folder, `message` the front end's line of an error.
  public static func notices(
    _ notice: FolderNotice, folder: String, name: (String) -> String,
    message: (ArtError) -> String = \.cause
  ) -> [ProtocolNotice] {
    switch notice {
    case .ready(let count): [.ready(folder: folder, documents: count)]
    case .added(let document, let revision): [.added(name(document), revision: revision)]
    case .conflict(let document, let other, let revision):
      [.conflict(name(document), of: name(other), revision: revision)]
    case .changed(let document, let change, isWholeAgain: _): changes(change, name(document))
    case .resync(let document, let revision): [.resync(name(document), revision: revision)]
    case .versions(let document, let names, let revision):
      [.versions(name(document), names: names, revision: revision)]
    case .behind(let document, let revision, since: _): [.replaced(name(document), revision: revision)]
    case .removed(let document): [.removed(name(document))]
    case .renamed(let document, let old, revision: _): [.renamed(name(document), from: name(old))]
    case .damaged(let document, let reason): [.damaged(name(document), reason: message(reason))]
    case .rejected(let document, let refusal, let url): [.rejected(name(document), refusal, url: url)]
    case .unfetched(let document, let reason, let url):
      [.unfetched(name(document), reason: message(reason), url: url)]
    case .rescanned(let reason): [.rescanned(folder: folder, reason: reason)]
    case .degraded(let reason): [.degraded(folder: folder, reason: reason)]
    }
  }

  private static func changes(_ change: DocumentChange, _ name: String) -> [ProtocolNotice] {
    guard change.isComplete else { return [.replaced(name, revision: change.revision)] }
    guard !change.edits.isEmpty else { return [.changed(name, [], origin: nil, revision: change.revision)] }
    return change.runs.map { run in
      .changed(
        name, run.map(ProtocolEdit.init), origin: run.first?.id.origin,
        revision: run.last?.revision ?? change.revision)
    }
  }

  private var event: String {
    switch self {
    case .ready: "ready"
    case .added: "added"
    case .conflict: "conflict"
    case .changed, .replaced: "changed"
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
}

extension DocumentChange {
  /// Adjacent edits of the same program, grouped.
  package var runs: [ArraySlice<LoggedEdit>] {
    var runs: [ArraySlice<LoggedEdit>] = []
    var rest = edits[...]
    while let origin = rest.first?.id.origin {
      let run = rest.prefix { $0.id.origin == origin }
      rest = rest.dropFirst(run.count)
      runs.append(run)
    }
    return runs
  }
}

// MARK: - Writing

extension ProtocolNotice {
  /// The line, with its line break. URLs are redacted.
  public var line: [UInt8] {
    var json = JSONWriter(urls: .redacted)
    write(to: &json)
    json.endLine()
    return json.bytes
  }

  /// Writes the notice without a line break.
  public func write(to json: inout JSONWriter) {
    json.object { json in
      switch self {
      case .ready(let folder, let documents):
        json.key("documents")
        json.integer(documents)
        json.text("event", event)
        json.text("folder", folder)
      case .added(let document, let revision), .resync(let document, let revision):
        json.text("document", document)
        json.text("event", event)
        json.revision(revision)
      case .conflict(let document, let other, let revision):
        json.text("document", document)
        json.text("event", event)
        json.text("of", other)
        json.revision(revision)
      case .changed(let document, let edits, let origin, let revision):
        json.text("document", document)
        json.key("edits")
        json.edits(edits)
        json.text("event", event)
        if let origin { json.text("origin", origin.description) }
        json.revision(revision)
      case .replaced(let document, let revision):
        json.key("all")
        json.boolean(true)
        json.text("document", document)
        json.text("event", event)
        json.revision(revision)
      case .versions(let document, let names, let revision):
        json.text("document", document)
        json.text("event", event)
        json.revision(revision)
        json.key("versions")
        json.array { json in for name in names { json.string(name) } }
      case .removed(let document):
        json.text("document", document)
        json.text("event", event)
      case .renamed(let document, let old):
        json.text("document", document)
        json.text("event", event)
        json.text("from", old)
      case .damaged(let document, let reason):
        json.text("document", document)
        json.text("event", event)
        json.text("reason", reason)
      case .rejected(let document, let refusal, let url):
        json.text("detail", refusal.detail)
        json.text("document", document)
        json.text("event", event)
        json.text("reason", refusal.reason.rawValue)
        json.key("transient")
        json.boolean(refusal.isTransient)
        json.urlMember(url)
      case .unfetched(let document, let reason, let url):
        json.text("document", document)
        json.text("event", event)
        json.text("reason", reason)
        json.urlMember(url)
      case .rescanned(let folder, let reason), .degraded(let folder, let reason):
        json.text("event", event)
        json.text("folder", folder)
        json.text("reason", reason)
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func text(_ name: String, _ text: String) {
    key(name)
    string(text)
  }

  fileprivate mutating func revision(_ revision: Int) {
    key("revision")
    integer(revision)
  }
}

// MARK: - Reading

extension ProtocolNotice {
  /// Reads what `write` writes. Throws `badJSON`, and what the initializers of the values throw.
  public init(from reader: inout JSONReader) throws(ArtError) {
    var members = NoticeMembers()
    try reader.object { (key, reader) throws(ArtError) in try members.read(key, &reader) }
    self = try members.notice(&reader)
  }
}

/// The members of a notice. Each kind removes its own members; a remaining one is an error.
private struct NoticeMembers {
  private var strings: [String: String] = [:]
  private var numbers: [String: Int] = [:]
  private var flags: [String: Bool] = [:]
  private var edits: [ProtocolEdit]?
  private var versions: [String]?

  mutating func read(_ key: String, _ reader: inout JSONReader) throws(ArtError) {
    switch key {
    case "detail", "document", "event", "folder", "from", "of", "origin", "reason", "url":
      strings[key] = try reader.string()
    case "documents", "revision": numbers[key] = try reader.integer()
    case "all", "transient": flags[key] = try reader.boolean()
    case "edits": edits = try reader.edits()
    case "versions":
      var names: [String] = []
      try reader.array { (reader) throws(ArtError) in names.append(try reader.string()) }
      versions = names
    default: throw reader.error("a notice with the key \"\(key.prefix(40))\"")
    }
  }

  mutating func notice(_ reader: inout JSONReader) throws(ArtError) -> ProtocolNotice {
    let event = try text("event", &reader)
    let notice: ProtocolNotice
    switch event {
    case "ready":
      notice = .ready(
        folder: try text("folder", &reader), documents: try number("documents", &reader))
    case "added":
      notice = .added(try text("document", &reader), revision: try number("revision", &reader))
    case "conflict":
      notice = .conflict(
        try text("document", &reader), of: try text("of", &reader), revision: try number("revision", &reader))
    case "changed": notice = try changed(&reader)
    case "resync":
      notice = .resync(try text("document", &reader), revision: try number("revision", &reader))
    case "versions":
      guard let names = versions else { throw reader.error("no versions") }
      versions = nil
      notice = .versions(
        try text("document", &reader), names: names, revision: try number("revision", &reader))
    case "removed": notice = .removed(try text("document", &reader))
    case "renamed":
      notice = .renamed(try text("document", &reader), from: try text("from", &reader))
    case "damaged":
      notice = .damaged(try text("document", &reader), reason: try text("reason", &reader))
    case "rejected": notice = try rejected(&reader)
    case "unfetched":
      notice = .unfetched(
        try text("document", &reader), reason: try text("reason", &reader),
        url: strings.removeValue(forKey: "url"))
    case "rescanned":
      notice = .rescanned(folder: try text("folder", &reader), reason: try text("reason", &reader))
    case "degraded":
      notice = .degraded(folder: try text("folder", &reader), reason: try text("reason", &reader))
    default: throw reader.error("no event \"\(event.prefix(40))\"")
    }
    guard strings.isEmpty, numbers.isEmpty, flags.isEmpty, edits == nil, versions == nil else {
      throw reader.error("\(event) with members of another event")
    }
    return notice
  }

  private mutating func changed(_ reader: inout JSONReader) throws(ArtError) -> ProtocolNotice {
    let (document, revision) = (try text("document", &reader), try number("revision", &reader))
    if let isAll = flags.removeValue(forKey: "all") {
      guard isAll else { throw reader.error("all that is not true") }
      return .replaced(document, revision: revision)
    }
    guard let edits else { throw reader.error("changed without edits") }
    self.edits = nil
    var origin: Origin?
    if let name = strings.removeValue(forKey: "origin") {
      origin = Origin(name)
      guard origin != nil else { throw reader.error("an origin that is none") }
    }
    guard edits.isEmpty == (origin == nil) else { throw reader.error("edits without origin, or it alone") }
    return .changed(document, edits, origin: origin, revision: revision)
  }

  private mutating func rejected(_ reader: inout JSONReader) throws(ArtError) -> ProtocolNotice {
    let document = try text("document", &reader)
    let name = try text("reason", &reader)
    guard let reason = Refusal.Reason(rawValue: name) else {
      throw reader.error("no reason \"\(name.prefix(40))\"")
    }
    guard let isTransient = flags.removeValue(forKey: "transient") else {
      throw reader.error("no transient")
    }
    let refusal = Refusal(reason, try text("detail", &reader), isTransient: isTransient)
    return .rejected(document, refusal, url: strings.removeValue(forKey: "url"))
  }

  private mutating func text(_ name: String, _ reader: inout JSONReader) throws(ArtError) -> String {
    guard let text = strings.removeValue(forKey: name) else { throw reader.error("no \(name)") }
    return text
  }

  private mutating func number(_ name: String, _ reader: inout JSONReader) throws(ArtError) -> Int {
    guard let number = numbers.removeValue(forKey: name) else { throw reader.error("no \(name)") }
    return number
  }
}
