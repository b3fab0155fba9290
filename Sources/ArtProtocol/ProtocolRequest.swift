// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel

/// A request of a client, one line of JSON:
///
///     {"add":{"size":40,"text":"🐝","x":10,"y":"50%"},"since":"k3m9abcd0f2z:17","tag":7}
///     {"move":{"ref":REF,"to":[x,y]}}  {"resize":{"by":1.5,"ref":REF}}  {"remove":{"ref":REF}}
///     {"order":{"front":true,"ref":REF}}  {"setText":{"ref":"🐝","text":"🌸"}}  {"undo":1}  {"redo":1}
///     {"background":"URL"}  {"background":{"keepCanvas":true,"url":"URL"}}  {"background":null}
///     {"save":true}  {"show":true}
///
/// REF is a string or an array of strings; `"all":true` may replace `ref`. The session belongs to the connection and
/// is not part of a line.
public struct ProtocolRequest: Hashable, Sendable {
  /// The length of a line in bytes, at most.
  public static let limit = 1 << 20

  /// The kinds of requests.
  public enum Body: Hashable, Sendable {
    /// An edit.
    case action(Action)
    /// Undo up to that many of the client's edits, 1 to 1,000.
    case undo(Int)
    /// Redo up to that many of the client's edits, 1 to 1,000.
    case redo(Int)
    /// Save at once.
    case save
    /// Send the whole document.
    case show
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
    case .save, .show, .background: nil
    }
  }
}

extension ProtocolRequest.Body {
  /// Whether the request is written in its form for several emoji, which decides between `ids` and `id` in the answer; nil if both
  /// forms are possible: `text` or `texts`, `ref` as a string or as an array.
  fileprivate var needsSeveral: Bool? {
    switch self {
    case .action(.add(let texts, at: _, size: _)): texts.count == 1 ? nil : true
    case .action(.setText): false
    case .action(.move(let which, _)), .action(.resize(let which, _)), .action(.remove(let which)),
      .action(.order(let which, _)):
      if case .references(let references) = which, references.count == 1 { nil } else { true }
    case .undo(let count), .redo(let count): count > 1
    case .save, .show, .background: false
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
      if key == "since" { return since = try Self.since(from: &reader) }
      if let verb { throw ArtError(.usage, "a line with \(verb) and \(key); ask for one thing a line") }
      verb = key
      body = try read(key, &reader)
    }
    if verb == nil { throw ArtError(.usage, "a line that asks for nothing; such as {\"undo\":1}") }
  }

  private mutating func read(_ verb: String, _ reader: inout JSONReader) throws(ArtError) -> Body {
    switch verb {
    case "add": return try .action(add(&reader))
    case "move": return try .action(move(&reader))
    case "resize": return try .action(resize(&reader))
    case "remove": return try .action(remove(&reader))
    case "order": return try .action(order(&reader))
    case "setText": return try .action(setText(&reader))
    case "undo": return try .undo(steps(&reader))
    case "redo": return try .redo(steps(&reader))
    case "background": return .background(try Background(from: &reader))
    case "save":
      try reader.yes(of: verb)
      return .save
    case "show":
      try reader.yes(of: verb)
      return .show
    default: throw .unknown("no request", verb, among: Self.verbs)
    }
  }

  /// Reads an edit's id, or `null` for a document without edits.
  private static func since(from reader: inout JSONReader) throws(ArtError) -> KnownHead {
    if reader.null() { return .beginning }
    let text = try reader.string()
    guard let id = EditID(text) else {
      let typed = text.isEmpty ? "\"\"" : String(text.prefix(40))
      throw ArtError(.badValue, "since \(typed); give the head of what was saved, or null", about: typed)
    }
    return .edit(id)
  }

  /// The verbs of all requests.
  package static let verbs = [
    "add", "background", "move", "order", "redo", "remove", "resize", "save", "setText", "show", "undo",
  ]

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

// MARK: - Reading actions

extension ProtocolRequest {
  /// Reads `{"size":40,"text":"🐝","x":10,"y":"50%"}`, or `texts` with an array.
  private mutating func add(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var texts: [EmojiText]?
    var place = Coordinates.center
    var size = FontSize.standard
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "text" where texts == nil: texts = [try EmojiText(reader.string())]
      case "texts" where texts == nil:
        var several: [EmojiText] = []
        try reader.array { (reader) throws(ArtError) in several.append(try EmojiText(reader.string())) }
        texts = several
        isAboutSeveral = true
      case "x": place.x = try reader.length()
      case "y": place.y = try reader.length()
      case "size": size = try FontSize(reader.number())
      case "text", "texts": throw ArtError(.usage, "add with text and texts; give one of them")
      default: throw .unknown("add has no key", key, among: ["size", "text", "texts", "x", "y"])
      }
    }
    guard let texts, !texts.isEmpty else { throw ArtError(.usage, "add what? give text, such as \"🐝\"") }
    return .add(texts, at: place, size: size)
  }

  /// Reads `{"ref":"🐝","to":[x,y]}`, or `by`.
  private mutating func move(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var which: EmojiSelection?
    var how: Action.Displacement?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "to" where how == nil: how = .to(try reader.coordinates())
      case "by" where how == nil: how = .by(try reader.coordinates())
      case "to", "by": throw ArtError(.usage, "move with to and by; give one of them")
      default: try select(&which, of: "move", key, &reader, besides: ["by", "to"])
      }
    }
    guard let how else { throw ArtError(.usage, "where to? give to or by, such as \"by\":[1,1]") }
    return .move(try selected(which), how)
  }

  /// Reads `{"ref":"🐝","to":48}`, or `by`.
  private mutating func resize(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var which: EmojiSelection?
    var how: Action.Resizing?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "to" where how == nil: how = .to(try FontSize(reader.number()))
      case "by" where how == nil:
        let factor = try reader.number()
        guard factor > 0 else { throw .badFactor(numberText(factor)) }
        how = .by(factor)
      case "to", "by": throw ArtError(.usage, "resize with to and by; give one of them")
      default: try select(&which, of: "resize", key, &reader, besides: ["by", "to"])
      }
    }
    guard let how else { throw ArtError(.usage, "to what size? give to or by, such as \"to\":48") }
    return .resize(try selected(which), how)
  }

  /// Reads `{"ref":"🐝"}`.
  private mutating func remove(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var which: EmojiSelection?
    try reader.object { (key, reader) throws(ArtError) in try select(&which, of: "remove", key, &reader) }
    return .remove(try selected(which))
  }

  /// Reads `{"front":true,"ref":"🐝"}`, or `back`, or `above`.
  private mutating func order(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var which: EmojiSelection?
    var place: Action.Ordering?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "front" where place == nil:
        try reader.yes(of: key)
        place = .front
      case "back" where place == nil:
        try reader.yes(of: key)
        place = .back
      case "above" where place == nil: place = .above(try Reference(reader.string()))
      case "front", "back", "above":
        throw ArtError(.usage, "order with several places; give one of front, back and above")
      default: try select(&which, of: "order", key, &reader, besides: ["above", "back", "front"])
      }
    }
    guard let place else { throw ArtError(.usage, "to which place? give one of front, back and above") }
    return .order(try selected(which), place)
  }

  /// Reads `{"ref":"🐝","text":"🌸"}`.
  private mutating func setText(_ reader: inout JSONReader) throws(ArtError) -> Action {
    var which: Reference?
    var text: EmojiText?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "ref": which = try Reference(reader.string())
      case "text": text = try EmojiText(reader.string())
      default: throw .unknown("setText has no key", key, among: ["ref", "text"])
      }
    }
    guard let which, let text else { throw ArtError(.usage, "setText needs a ref and a text") }
    return .setText(which, text)
  }

  /// Reads a number of steps.
  private mutating func steps(_ reader: inout JSONReader) throws(ArtError) -> Int {
    let count = try reader.integer()
    guard (1...1_000).contains(count) else {
      throw ArtError(.badValue, "\(count) is no count; give a number from 1 to 1,000")
    }
    isAboutSeveral = count > 1
    return count
  }

  /// Reads `ref`, a string or an array of strings, or `all`.
  private mutating func select(
    _ selection: inout EmojiSelection?, of verb: String, _ key: String, _ reader: inout JSONReader,
    besides others: [String] = []
  ) throws(ArtError) {
    guard key == "ref" || key == "all" else {
      throw .unknown("\(verb) has no key", key, among: (["all", "ref"] + others).sorted())
    }
    guard selection == nil else { throw ArtError(.usage, "all stands for every emoji; leave out ref") }
    if key == "all" {
      try reader.yes(of: key)
      selection = .all
      isAboutSeveral = true
    } else if reader.kind() == .array {
      var references: [Reference] = []
      try reader.array { (reader) throws(ArtError) in references.append(try Reference(reader.string())) }
      selection = references.isEmpty ? nil : .references(references)
      isAboutSeveral = true
    } else {
      selection = .references([try Reference(reader.string())])
    }
  }

  private func selected(_ selection: EmojiSelection?) throws(ArtError) -> EmojiSelection {
    guard let selection else {
      throw ArtError(.usage, "which emoji? give ref, such as \"🐝\", or \"all\":true")
    }
    return selection
  }
}

// MARK: - Reading backgrounds

extension ProtocolRequest.Background {
  /// Reads `"https://example.org/meadow.jpg"`, `null`, or `{"keepCanvas":true,"url":"…"}`.
  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    switch reader.kind() {
    case .string: self = .fetch(try reader.string(), keepsCanvas: false, allowsPrivate: false)
    case .object: self = try Self.object(&reader)
    default:
      guard reader.null() else {
        throw ArtError(.usage, "background is a URL, an object with one, or null; such as \"https://…\"")
      }
      self = .clear
    }
  }

  private static func object(_ reader: inout JSONReader) throws(ArtError) -> Self {
    var url: String?
    var (keepsCanvas, isLater, allowsPrivate) = (false, false, false)
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "url": url = try reader.string()
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
  /// Reads a number of pixels, or a string such as `50%`.
  fileprivate mutating func length() throws(ArtError) -> Length {
    guard kind() == .string else { return .pixels(try number()) }
    let typed = try string()
    guard let length = Length(typed) else { throw .badPlace(typed) }
    return length
  }

  /// Reads `[x,y]`.
  fileprivate mutating func coordinates() throws(ArtError) -> Coordinates {
    try open()
    let x = try length()
    try comma()
    let y = try length()
    try close()
    return Coordinates(x: x, y: y)
  }

  /// Reads `true`. Throws `usage` for `false`.
  fileprivate mutating func yes(of key: String) throws(ArtError) {
    guard try boolean() else { throw ArtError(.usage, "\(key) can only be true; leave it out otherwise") }
  }
}

// MARK: - Writing

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
      case .action(let action): json.object { write(action, &$0) }
      case .undo(let count), .redo(let count): json.integer(count)
      case .save, .show: json.boolean(true)
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
    case .action(.add): "add"
    case .action(.move): "move"
    case .action(.resize): "resize"
    case .action(.remove): "remove"
    case .action(.order): "order"
    case .action(.setText): "setText"
    case .undo: "undo"
    case .redo: "redo"
    case .save: "save"
    case .show: "show"
    case .background: "background"
    }
  }

  private func write(_ action: Action, _ json: inout JSONWriter) {
    switch action {
    case .add(let texts, let place, let size):
      json.key("size")
      json.number(size.pixels)
      if let text = texts.first, !isAboutSeveral {
        json.key("text")
        json.string(text.string)
      } else {
        json.key("texts")
        json.array { for text in texts { $0.string(text.string) } }
      }
      json.key("x")
      json.length(place.x)
      json.key("y")
      json.length(place.y)
    case .move(let which, let how):
      switch how {
      case .by(let distance):
        write(all: which, &json)
        json.key("by")
        json.coordinates(distance)
        write(references: which, &json)
      case .to(let place):
        write(all: which, &json)
        write(references: which, &json)
        json.key("to")
        json.coordinates(place)
      }
    case .resize(let which, let how):
      switch how {
      case .by(let factor):
        write(all: which, &json)
        json.key("by")
        json.number(factor)
        write(references: which, &json)
      case .to(let size):
        write(all: which, &json)
        write(references: which, &json)
        json.key("to")
        json.number(size.pixels)
      }
    case .remove(let which):
      write(all: which, &json)
      write(references: which, &json)
    case .order(let which, let place):
      if case .above(let reference) = place {
        json.key("above")
        json.string(reference.description)
      }
      write(all: which, &json)
      if place == .back {
        json.key("back")
        json.boolean(true)
      }
      if place == .front {
        json.key("front")
        json.boolean(true)
      }
      write(references: which, &json)
    case .setText(let reference, let text):
      json.key("ref")
      json.string(reference.description)
      json.key("text")
      json.string(text.string)
    }
  }

  private func write(all which: EmojiSelection, _ json: inout JSONWriter) {
    guard which == .all else { return }
    json.key("all")
    json.boolean(true)
  }

  private func write(references which: EmojiSelection, _ json: inout JSONWriter) {
    guard case .references(let references) = which else { return }
    json.key("ref")
    if let reference = references.first, !isAboutSeveral {
      json.string(reference.description)
    } else {
      json.array { for reference in references { $0.string(reference.description) } }
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

extension JSONWriter {
  fileprivate mutating func length(_ length: Length) {
    switch length {
    case .pixels(let value): number(value)
    case .percent(let value): string("\(numberText(value))%")
    }
  }

  fileprivate mutating func coordinates(_ coordinates: Coordinates) {
    array {
      $0.length(coordinates.x)
      $0.length(coordinates.y)
    }
  }
}
