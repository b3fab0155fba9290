// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtWorkspace

/// A message of a page: a frame with one JSON object. See docs/STUDIO.md.
public struct PageMessage: Sendable {
  /// The most bytes of a message.
  public static let limit = 8 << 20
  /// The most emoji whose names are asked for at once.
  static let names = 500

  /// What a page asks for.
  public enum Body: Sendable {
    /// The first message: which session, and a nonce for the server's proof.
    case hello(session: String, nonce: String)
    /// The page's own proof.
    case answer(proof: String, DocumentClient)
    /// Follow a document from now on, instead of the former one.
    case open(String)
    /// Close the document.
    case close
    /// An edit in the document's terms.
    case edit(Edit)
    /// A request that editing streams have, too.
    case request(ProtocolRequest)
    /// Undo that edit, whoever made it.
    case takeBack(EditID)
    /// Make the art what it was at a revision; the edit of that revision, as the page knows it.
    case backTo(revision: Int, head: EditID?)
    /// The last edits, up to that many.
    case history(Int)
    /// Emoji that fit the words, with their names in a language.
    case find(String, limit: Int, EmojiLanguage)
    /// The names of emoji in a language.
    case names([String], EmojiLanguage)
    /// The palettes.
    case palettes
    /// Stop fetching the background.
    case cancel
    /// Keep or stop warning of refused backgrounds.
    case warnings(WarningQuestion.Answer)
    /// Keep what the user has chosen.
    case preferences([String: String])
    /// What the user has selected and drags.
    case presence(Presence)
    /// List, make, move or delete documents.
    case documents(FolderRequest)
  }

  /// A selection, and how far it is dragged at the moment.
  public struct Presence: Hashable, Sendable {
    /// The most emoji that are told.
    static let limit = 500
    /// The selected emoji.
    public var ids: [EmojiID] = []
    /// The distance of a drag in canvas pixels.
    public var drag: Point?

    /// Nothing selected.
    public init() {}
  }

  /// What the page asks for.
  public internal(set) var body: Body
  /// The page's tag, which the answer repeats.
  public let tag: ProtocolTag?
  /// The last saved edit that the page knew when it first asked. A page may repeat a request after days, so one that does not say so knew nothing:
  /// its request is refused where the log does not reach back to the beginning.
  public let since: KnownHead

  /// Parses a message. Throws the error with the message's tag, wherever that stands, because a page waits for the answer with it.
  public init(_ bytes: [UInt8]) throws(ProtocolRequest.Unreadable) {
    var reading = Reading()
    do throws(ArtError) {
      guard bytes.count <= Self.limit else {
        throw ArtError(.tooLarge, "a message of more than \(Self.limit) bytes")
      }
      self = try bytes.withUnsafeBufferPointer { (buffer) throws(ArtError) in
        try JSONReader.read(buffer) { (reader) throws(ArtError) in
          try reader.object { (key, reader) throws(ArtError) in try reading.read(key, &reader) }
        }
        if let body = reading.body {
          return PageMessage(body: body, tag: reading.tag, since: reading.since ?? .beginning)
        }
        return try Self.request(buffer)
      }
    } catch {
      throw ProtocolRequest.Unreadable(error: error, tag: reading.tag ?? Self.tag(in: bytes))
    }
  }

  /// The tag of a message that cannot be read; nil for no JSON object, and for none with a tag.
  private static func tag(in bytes: [UInt8]) -> ProtocolTag? {
    guard bytes.count <= limit else { return nil }
    var reading = Reading()
    do throws(ArtError) {
      try bytes.withUnsafeBufferPointer { (buffer) throws(ArtError) in
        try JSONReader.read(buffer) { (reader) throws(ArtError) in
          try reader.object { (key, reader) throws(ArtError) in
            if key == "tag" { try reading.read(key, &reader) } else { try reader.skip() }
          }
        }
      }
    } catch {
      // What follows the tag may be no JSON.
    }
    return reading.tag
  }

  private init(body: Body, tag: ProtocolTag?, since: KnownHead) {
    (self.body, self.tag, self.since) = (body, tag, since)
  }

  /// A message with the verb of a stream's request.
  private static func request(_ buffer: UnsafeBufferPointer<UInt8>) throws(ArtError) -> PageMessage {
    do throws(ProtocolRequest.Unreadable) {
      guard let request = try ProtocolRequest(buffer) else {
        throw .init(error: .noMessage(), tag: nil)
      }
      let since = request.since ?? .beginning
      return PageMessage(body: .request(request.assuming(since)), tag: request.tag, since: since)
    } catch {
      throw error.error
    }
  }
}

// MARK: - Reading

/// The members of a message that are read so far.
private struct Reading {
  var body: PageMessage.Body?
  var tag: ProtocolTag?
  var since: KnownHead?

  /// Reads a member. One with the verb of a stream's request is passed over.
  mutating func read(_ key: String, _ reader: inout JSONReader) throws(ArtError) {
    switch key {
    case "tag": tag = try ProtocolTag(from: &reader)
    case "since": since = try KnownHead(from: &reader)
    default:
      guard let read = try Self.body(key, &reader) else { return try reader.skip() }
      guard body == nil else { throw ArtError(.usage, "a message that asks for two things") }
      body = read
    }
  }

  /// The body with that verb; nil for a verb of streams.
  private static func body(
    _ verb: String, _ reader: inout JSONReader
  ) throws(ArtError) -> PageMessage.Body? {
    switch verb {
    case "hello":
      let members = try reader.texts(of: verb, ["nonce", "session"])
      return .hello(session: members["session"] ?? "", nonce: members["nonce"] ?? "")
    case "answer": return try answer(&reader)
    case "open": return .open(try reader.string())
    case "close":
      try reader.skip()
      return .close
    case "edit": return .edit(try edit(&reader))
    case "takeBack":
      let text = try reader.string()
      guard let id = EditID(text) else { throw ArtError(.badValue, "\(text.prefix(40)) is no edit's id") }
      return .takeBack(id)
    case "backTo": return try backTo(&reader)
    case "history": return .history(max(1, min(try reader.integer(), 1_000)))
    case "find": return try find(&reader)
    case "names": return try names(&reader)
    case "palettes":
      try reader.skip()
      return .palettes
    case "cancel":
      try reader.skip()
      return .cancel
    case "warnings":
      switch try reader.string() {
      case "always": return .warnings(.keepWarning)
      case "never": return .warnings(.stopWarning)
      default: throw ArtError(.usage, "warnings is \"always\" or \"never\"")
      }
    case "preferences": return .preferences(try PagePreferences.changes(&reader))
    case "presence": return .presence(try presence(&reader))
    case "documents": return .documents(try FolderRequest(from: &reader))
    default: return nil
    }
  }

  private static func answer(_ reader: inout JSONReader) throws(ArtError) -> PageMessage.Body {
    let members = try reader.texts(of: "answer", ["client", "name", "proof"])
    guard let session = members["client"].flatMap({ SessionID($0) }) else {
      throw ArtError(.badValue, "a client that is no session")
    }
    return .answer(
      proof: members["proof"] ?? "", try DocumentClient(author: members["name"], session: session))
  }

  /// Reads `{"changes":[…],"name":"move 🐝"}`. Texts must be such as users type, and backgrounds have requests of their own.
  private static func edit(_ reader: inout JSONReader) throws(ArtError) -> Edit {
    var (changes, name): ([Change]?, String?) = (nil, nil)
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "changes": changes = try [Change](from: &reader)
      case "name": name = try reader.string()
      default: throw .unknown("edit has no key", key, among: ["changes", "name"])
      }
    }
    guard let changes, let name else { throw ArtError(.usage, "an edit has changes and a name") }
    guard (1...200).contains(name.utf8.count), !name.unicodeScalars.contains(where: { $0.value < 0x20 })
    else { throw ArtError(.badValue, "the name of an edit has 1 to 200 bytes on one line") }
    for change in changes {
      switch change {
      case .add(let emoji): _ = try emoji.text.asTyped()
      case .set(_, .text(let text)): _ = try text.asTyped()
      case .setBackground, .setPending:
        throw ArtError(.usage, "an edit of a page cannot set the background; ask for background")
      case .remove, .set, .setCanvas, .setFill: break
      }
    }
    return Edit(name: name, changes: changes)
  }

  /// Reads `{"head":"ORIGIN:SEQUENCE","revision":12}`; the head may be left out.
  private static func backTo(_ reader: inout JSONReader) throws(ArtError) -> PageMessage.Body {
    var (revision, head): (Int?, EditID?) = (nil, nil)
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "head":
        let text = try reader.string()
        guard let id = EditID(text) else { throw ArtError(.badValue, "\(text.prefix(40)) is no edit's id") }
        head = id
      case "revision": revision = try reader.integer()
      default: throw .unknown("backTo has no key", key, among: ["head", "revision"])
      }
    }
    guard let revision else { throw ArtError(.usage, "backTo has a revision") }
    return .backTo(revision: revision, head: head)
  }

  private static func find(_ reader: inout JSONReader) throws(ArtError) -> PageMessage.Body {
    var (words, limit, language) = ("", 60, EmojiLanguage.english)
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      // A page may speak a language in which emoji have no names here.
      case "language": language = EmojiLanguage(tag: String(try reader.string().prefix(35))) ?? .english
      case "words": words = String(try reader.string().prefix(200))
      case "limit": limit = max(1, min(try reader.integer(), 500))
      default: throw .unknown("find has no key", key, among: ["language", "limit", "words"])
      }
    }
    return .find(words, limit: limit, language)
  }

  /// Reads `{"language":"de","texts":["🐝"]}`.
  private static func names(_ reader: inout JSONReader) throws(ArtError) -> PageMessage.Body {
    var (texts, language): ([String], EmojiLanguage) = ([], .english)
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "language": language = EmojiLanguage(tag: String(try reader.string().prefix(35))) ?? .english
      case "texts":
        try reader.array { (reader) throws(ArtError) in
          guard texts.count < PageMessage.names else {
            throw ArtError(.tooLarge, "the names of more than \(PageMessage.names) emoji")
          }
          texts.append(try reader.string())
        }
      default: throw .unknown("names has no key", key, among: ["language", "texts"])
      }
    }
    return .names(texts, language)
  }

  private static func presence(_ reader: inout JSONReader) throws(ArtError) -> PageMessage.Presence {
    var presence = PageMessage.Presence()
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "ids":
        try reader.array { (reader) throws(ArtError) in
          let text = try reader.string()
          guard let id = EmojiID(text) else { throw ArtError(.badValue, "an id that is none") }
          if presence.ids.count < PageMessage.Presence.limit { presence.ids.append(id) }
        }
      case "drag":
        try reader.open()
        let x = try reader.number()
        try reader.comma()
        presence.drag = try Point(x: x, y: reader.number())
        try reader.close()
      default: throw .unknown("presence has no key", key, among: ["drag", "ids"])
      }
    }
    return presence
  }
}

extension JSONReader {
  /// Reads an object whose members are texts with these names.
  fileprivate mutating func texts(of verb: String, _ names: [String]) throws(ArtError) -> [String: String] {
    var members: [String: String] = [:]
    try object { (key, reader) throws(ArtError) in
      guard names.contains(key) else { throw .unknown("\(verb) has no key", key, among: names) }
      members[key] = try reader.string()
    }
    return members
  }
}

extension ArtError {
  fileprivate static func noMessage() -> ArtError { ArtError(.usage, "a message that asks for nothing") }
}
