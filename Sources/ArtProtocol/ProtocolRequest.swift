// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel

/// A request of a client, one line of JSON:
///
///     {"add":{"size":40,"text":"🐝","x":10,"y":"50%"},"since":"k3m9abcd0f2z:17","tag":7}
///     {"move":{"ref":REF,"to":[x,y]}}  {"resize":{"by":1.5,"ref":REF}}  {"remove":{"ref":REF}}
///     {"order":{"front":true,"ref":REF}}  {"setText":{"ref":REF,"text":"🌸"}}  {"undo":1}  {"redo":1}
///     {"caption":{"at":"top","color":"#cc0000","size":96,"text":"Happy birthday"}}  {"setText":{"ref":REF,"words":"Hi"}}
///     {"rotate":{"ref":REF,"to":30}}  {"mirror":{"ref":REF}}  {"color":{"ref":REF,"to":"#cc0000"}}
///     {"duplicate":{"by":[20,20],"ref":REF}}  {"align":{"ref":REF,"to":"left"}}
///     {"distribute":{"along":"horizontally","ref":REF}}  {"grid":{"columns":4,"gap":10,"ref":REF}}
///     {"canvas":{"anchor":"center","size":"1080x1350"}}  {"canvas":{"fit":"5%"}}  {"canvas":{"fill":"#ffcc00"}}
///     {"background":"URL"}  {"background":{"keepCanvas":true,"url":"URL"}}  {"background":null}
///     {"save":true}  {"show":true}  {"show":{"at":12}}  {"revert":{"to":"draft"}}
///     {"version":"draft"}  {"version":{"remove":"draft"}}  {"versions":true}
///
/// REF is a string or an array of strings; `"all":true` may replace `ref`, and `"in":"X,Y,WxH"` chooses among them by place. The session belongs to the connection and
/// is not part of a line.
public struct ProtocolRequest: Hashable, Sendable {
  /// The length of a line in bytes, at most.
  public static let limit = 1 << 20

  /// The kinds of requests.
  public enum Body: Hashable, Sendable {
    /// An edit.
    case action(Action)
    /// An edit that makes a caption, whose words are measured first.
    case caption(CaptionAction)
    /// Undo up to that many of the client's edits, 1 to 1,000.
    case undo(Int)
    /// Redo up to that many of the client's edits, 1 to 1,000.
    case redo(Int)
    /// Save at once.
    case save
    /// Send the whole document, or what it was in an earlier state.
    case show(at: RevisionReference?)
    /// Make the art what it was in an earlier state, as one edit.
    case revert(to: RevisionReference)
    /// Save, and keep the state under that name.
    case keepVersion(String)
    /// Remove the version of that name or id.
    case removeVersion(String)
    /// Send the list of named versions.
    case versions
    /// Change the background.
    case background(Background)
  }

  /// A change of the background.
  public enum Background: Hashable, Sendable {
    /// Fetch a picture and set it.
    case fetch(String, keepsCanvas: Bool, allowsPrivate: Bool)
    /// Make a URL pending, to be fetched later.
    case later(String)
    /// Remove the background and the pending one.
    case clear

    /// A background from that URL. Throws `usage` for options together with `isLater`.
    public init(
      url: String, keepsCanvas: Bool, allowsPrivate: Bool, isLater: Bool
    ) throws(ArtError) {
      guard isLater else {
        self = .fetch(url, keepsCanvas: keepsCanvas, allowsPrivate: allowsPrivate)
        return
      }
      guard !keepsCanvas, !allowsPrivate else {
        throw ArtError(
          .usage, "what is fetched later takes the canvas and no private address; leave those out")
      }
      self = .later(url)
    }
  }

  /// The error of a malformed line, with its tag if that precedes the error.
  public struct Unreadable: Error {
    /// The error.
    public let error: ArtError
    /// The client's tag.
    public let tag: ProtocolTag?

    /// An error with the tag that precedes it.
    package init(error: ArtError, tag: ProtocolTag?) { (self.error, self.tag) = (error, tag) }
  }

  /// The kind of request.
  public private(set) var body: Body
  /// The client's tag.
  public private(set) var tag: ProtocolTag?
  /// The last saved edit that the client knew when it first made the request; nil if it does not say.
  public private(set) var since: KnownHead?
  /// Whether the request may concern any number of emoji. The answer then has them in an array.
  public private(set) var isAboutSeveral: Bool

  /// A request. `isAboutSeveral` matters only for a body that allows both forms.
  public init(
    _ body: Body, tag: ProtocolTag? = nil, since: KnownHead? = nil, isAboutSeveral: Bool = false
  ) {
    self.body = body
    self.tag = tag
    self.since = since
    self.isAboutSeveral = body.needsSeveral ?? isAboutSeveral
  }

  /// The request to an open document; nil for a request that a document does not perform by itself.
  public var documentRequest: DocumentRequest? {
    switch body {
    case .action(let action): .action(action)
    case .undo(let count): .undo(count)
    case .redo(let count): .redo(count)
    case .caption, .save, .show, .background, .revert, .keepVersion, .removeVersion, .versions: nil
    }
  }
}

extension ProtocolRequest.Body {
  /// Whether the request is written in its form for several emoji, which decides between `ids` and `id` in the answer; nil if both
  /// forms are possible: `text` or `texts`, `ref` as a string or as an array.
  fileprivate var needsSeveral: Bool? {
    switch self {
    case .action(let action): action.needsSeveral
    case .caption(let caption): caption.needsSeveral
    case .undo(let count), .redo(let count): count > 1
    case .save, .show, .background, .revert, .keepVersion, .removeVersion, .versions: false
    }
  }
}

// MARK: - Reading

extension ProtocolRequest {
  /// Parses a line without its line break; nil for a blank line. Throws the error of a malformed line: `usage`,
  /// `badJSON`, `badValue` or `badText`.
  public init?(_ line: UnsafeBufferPointer<UInt8>) throws(Unreadable) {
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
    self.init(.save)
    do throws(ArtError) {
      try JSONReader.read(line) { (reader) throws(ArtError) in try read(&reader) }
    } catch {
      throw Unreadable(error: error, tag: Self.tag(in: line))
    }
  }

  private mutating func read(_ reader: inout JSONReader) throws(ArtError) {
    var verb: String?
    try reader.object { (key, reader) throws(ArtError) in
      if key == "tag" { return tag = try ProtocolTag(from: &reader) }
      if key == "since" { return since = try KnownHead(from: &reader) }
      if let verb { throw ArtError(.usage, "a line with \(verb) and \(key); ask for one thing a line") }
      verb = key
      body = try read(key, &reader)
    }
    if verb == nil { throw ArtError(.usage, "a line that asks for nothing; such as {\"undo\":1}") }
  }

  private mutating func read(_ verb: String, _ reader: inout JSONReader) throws(ArtError) -> Body {
    switch verb {
    case "undo": return try .undo(steps(&reader))
    case "redo": return try .redo(steps(&reader))
    case "background": return .background(try Background(from: &reader))
    case "save":
      try reader.yes(of: verb)
      return .save
    case "show":
      if reader.kind() == .object { return .show(at: try reader.state(of: verb, as: "at")) }
      try reader.yes(of: verb)
      return .show(at: nil)
    case "revert": return .revert(to: try reader.state(of: verb, as: "to"))
    case "version": return try reader.version()
    case "versions":
      try reader.yes(of: verb)
      return .versions
    default:
      guard var object = ActionReader(verb) else { throw .unknown("no request", verb, among: Self.verbs) }
      let body = try object.read(&reader)
      isAboutSeveral = object.isAboutSeveral
      return body
    }
  }

  /// The verbs of all requests.
  package static let verbs =
    (ActionReader.verbs + ["background", "redo", "revert", "save", "show", "undo", "version", "versions"])
    .sorted()

  /// The tag of a malformed line, if it precedes the error.
  private static func tag(in json: UnsafeBufferPointer<UInt8>) -> ProtocolTag? {
    var tag: ProtocolTag?
    do throws(ArtError) {
      try JSONReader.read(json) { (reader) throws(ArtError) in
        try reader.object { (key, reader) throws(ArtError) in
          if key == "tag" { tag = try ProtocolTag(from: &reader) } else { try reader.skip() }
        }
      }
    } catch {
      // The line's error is already known.
    }
    return tag
  }
}

extension ProtocolRequest {
  /// Reads a number of steps.
  private mutating func steps(_ reader: inout JSONReader) throws(ArtError) -> Int {
    let count = try reader.integer()
    guard (1...1_000).contains(count) else {
      throw ArtError(.badValue, "\(count) is no count; give a number from 1 to 1,000")
    }
    isAboutSeveral = count > 1
    return count
  }
}

extension KnownHead {
  /// Reads an edit's id, or `null` for a document without edits. Throws `badValue`.
  package init(from reader: inout JSONReader) throws(ArtError) {
    if reader.null() {
      self = .beginning
      return
    }
    let text = try reader.string()
    guard let id = EditID(text) else {
      let typed = text.isEmpty ? "\"\"" : String(text.prefix(40))
      throw ArtError(.badValue, "since \(typed); give the head of what was saved, or null", about: typed)
    }
    self = .edit(id)
  }
}

// MARK: - Reading backgrounds

extension ProtocolRequest.Background {
  /// Reads `"https://example.org/meadow.jpg"`, `null`, or `{"keepCanvas":true,"url":"…"}`.
  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    switch reader.kind() {
    case .string: self = .fetch(try Self.url(&reader), keepsCanvas: false, allowsPrivate: false)
    case .object: self = try Self.object(&reader)
    default:
      guard reader.null() else {
        throw ArtError(.usage, "background is a URL, an object with one, or null; such as \"https://…\"")
      }
      self = .clear
    }
  }

  /// Reads a URL. Throws `usage` for the path of a file.
  private static func url(_ reader: inout JSONReader) throws(ArtError) -> String {
    let url = try reader.string()
    let isPath = ["/", "./", "../", "~/", "file:"].contains { url.lowercased().hasPrefix($0) }
    guard !isPath else { throw localPicture() }
    return url
  }

  /// The error of a request with the path of a picture: who connects to a session may have no right to read its files.
  private static func localPicture() -> ArtError {
    ArtError(
      .usage,
      "a request takes no file; give its bytes as a URL such as \"data:image/png;base64,…\", in a line of at most 1 MiB, or set it beside the stream"
    )
  }

  private static func object(_ reader: inout JSONReader) throws(ArtError) -> Self {
    var url: String?
    var (keepsCanvas, isLater, allowsPrivate) = (false, false, false)
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "url": url = try Self.url(&reader)
      case "path": throw Self.localPicture()
      case "keepCanvas": keepsCanvas = try reader.boolean()
      case "later": isLater = try reader.boolean()
      case "allowPrivate": allowsPrivate = try reader.boolean()
      default:
        throw .unknown("background has no key", key, among: ["allowPrivate", "keepCanvas", "later", "url"])
      }
    }
    guard let url else { throw ArtError(.usage, "which background? give url, or null for none") }
    return try Self(url: url, keepsCanvas: keepsCanvas, allowsPrivate: allowsPrivate, isLater: isLater)
  }
}

extension JSONReader {
  /// Reads `true`. Throws `usage` for `false`.
  mutating func yes(of key: String) throws(ArtError) {
    guard try boolean() else { throw ArtError(.usage, "\(key) can only be true; leave it out otherwise") }
  }
}

// MARK: - Reading earlier states

extension JSONReader {
  /// Reads `{"at":12}` or `{"at":"draft"}`, where `name` is the key. Throws `usage` without it.
  fileprivate mutating func state(of verb: String, as name: String) throws(ArtError) -> RevisionReference {
    var state: RevisionReference?
    try object { (key, reader) throws(ArtError) in
      guard key == name else { throw .unknown("\(verb) has no key", key, among: [name]) }
      state =
        reader.kind() == .string
        ? try RevisionReference(typed: reader.string()) : .number(try reader.integer())
    }
    guard let state else {
      guard verb != "show" else { throw ArtError(.usage, "show takes true, or at, such as {\"at\":12}") }
      throw ArtError(
        .usage, "\(verb) what? give \(name), a revision or the name of a version, such as 12 or \"draft\"")
    }
    return state
  }

  /// Reads `"draft"` or `{"remove":"draft"}`.
  fileprivate mutating func version() throws(ArtError) -> ProtocolRequest.Body {
    guard kind() == .object else { return .keepVersion(try string()) }
    var removed: String?
    try object { (key, reader) throws(ArtError) in
      guard key == "remove" else { throw .unknown("version has no key", key, among: ["remove"]) }
      removed = try reader.string()
    }
    guard let removed else {
      throw ArtError(.usage, "which version? give a name, or remove, such as {\"remove\":\"draft\"}")
    }
    return .removeVersion(removed)
  }
}

// MARK: - Writing

extension JSONWriter {
  /// Writes what `JSONReader.state` reads.
  fileprivate mutating func state(_ state: RevisionReference, as name: String) {
    object {
      $0.key(name)
      switch state {
      case .number(let revision): $0.integer(revision)
      case .version(let name): $0.string(name)
      }
    }
  }
}

extension ProtocolRequest {
  /// The line, with its line break.
  public var line: [UInt8] {
    var json = JSONWriter()
    write(to: &json)
    json.endLine()
    return json.bytes
  }

  /// Writes what `init` reads. URLs are complete.
  public func write(to json: inout JSONWriter) {
    json.object { json in
      json.key(verb)
      switch body {
      case .action(let action): action.write(to: &json, isAboutSeveral: isAboutSeveral)
      case .caption(let caption): caption.write(to: &json, isAboutSeveral: isAboutSeveral)
      case .undo(let count), .redo(let count): json.integer(count)
      case .save, .versions, .show(nil): json.boolean(true)
      case .show(let state?): json.state(state, as: "at")
      case .revert(let state): json.state(state, as: "to")
      case .keepVersion(let name): json.string(name)
      case .removeVersion(let name):
        json.object {
          $0.key("remove")
          $0.string(name)
        }
      case .background(let background): background.write(to: &json)
      }
      switch since {
      case .beginning:
        json.key("since")
        json.null()
      case .edit(let id):
        json.key("since")
        json.string(id.description)
      case nil: break
      }
      json.member(tag)
    }
  }

  private var verb: String {
    switch body {
    case .action(let action): action.verb
    case .caption(let caption): caption.verb
    case .undo: "undo"
    case .redo: "redo"
    case .save: "save"
    case .show: "show"
    case .revert: "revert"
    case .keepVersion, .removeVersion: "version"
    case .versions: "versions"
    case .background: "background"
    }
  }
}

extension ProtocolRequest.Background {
  fileprivate func write(to json: inout JSONWriter) {
    switch self {
    case .clear: json.null()
    case .later(let url):
      json.object {
        $0.key("later")
        $0.boolean(true)
        $0.key("url")
        $0.string(url)
      }
    case .fetch(let url, keepsCanvas: false, allowsPrivate: false): json.string(url)
    case .fetch(let url, let keepsCanvas, let allowsPrivate):
      json.object {
        $0.key("allowPrivate")
        $0.boolean(allowsPrivate)
        $0.key("keepCanvas")
        $0.boolean(keepsCanvas)
        $0.key("url")
        $0.string(url)
      }
    }
  }
}
