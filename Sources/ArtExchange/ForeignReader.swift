// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Reads a document of any format in one pass. Keys may come in any order, so the format is known only at the
/// end.
struct ForeignReader {
  private enum BackgroundKind {
    case string
    case object
    case other
  }

  private var list = EmojiReader()
  private var background = BackgroundReader()
  private var of2020 = BackgroundReader()
  private var of2017 = BackgroundReader()
  private var backgroundKind: BackgroundKind?
  private var canvas: Canvas?
  private var fill: Color?
  private var canvasFault: ArtError?
  private var pending: PendingBackground?
  private var hasCounter = false
  private var nameOfList: String?
  private var nameOfBackground: String?
  /// The keys that belong to one format only.
  private var keys: [(name: String, dialect: Dialect)] = []
  private var unknown = UnknownKeys()
  private var notes: [ExchangeReport.Note] = []

  /// Reads any value. Throws as `ForeignArt(reading:)`.
  mutating func read(_ reader: inout JSONReader) throws(ArtError) {
    guard reader.kind() == .object else {
      // A syntax error is reported first.
      try reader.skip()
      throw .noForeignDocument("it is no object")
    }
    try reader.object { (key, reader) throws(ArtError) in try readMember(key, &reader) }
  }

  private mutating func readMember(_ key: String, _ reader: inout JSONReader) throws(ArtError) {
    switch key {
    case "emojis", "emoji": try readEmojis(key, &reader)
    case "background", "backGround": try readBackground(key, &reader)
    case "backgroundURL":
      keys.append((key, .emojiart2020))
      try of2020.readURL(key, &reader)
    case "backgroundImageData":
      keys.append((key, .emojiart2020))
      try of2020.readBytes(key, &reader)
    case "url":
      keys.append((key, .emojiart2017))
      try of2017.readURL(key, &reader)
    case "imageData", "image":
      keys.append((key, .emojiart2017))
      try of2017.readBytes(key, &reader)
    case "uniqueEmojiId", "uniqueEmojiID", "currentEmojiId":
      hasCounter = true
      try reader.skip()
    case "canvas": try readCanvas(key, &reader)
    case "pending": try readPending(key, &reader)
    case "revision":
      keys.append((key, .json))
      try reader.skip()
    default:
      unknown.note(key)
      try reader.skip()
    }
  }

  private mutating func readEmojis(_ key: String, _ reader: inout JSONReader) throws(ArtError) {
    try BackgroundReader.check(key, against: &nameOfList, reader)
    guard reader.kind() == .array else {
      let fault = reader.error("\"\(key)\" that is no list")
      try reader.skip()
      throw fault
    }
    try list.read(&reader)
  }

  private mutating func readBackground(_ key: String, _ reader: inout JSONReader) throws(ArtError) {
    try BackgroundReader.check(key, against: &nameOfBackground, reader)
    switch reader.kind() {
    case .object:
      backgroundKind = .object
      try background.readObject(&reader)
    case .string:
      backgroundKind = .string
      try background.readURL(key, &reader)
    case .null: try reader.skip()
    default:
      backgroundKind = .other
      try reader.skip()
    }
  }

  private mutating func readCanvas(_ key: String, _ reader: inout JSONReader) throws(ArtError) {
    keys.append((key, .json))
    let start = reader
    var width: Double?
    var height: Double?
    if reader.kind() == .object {
      try reader.object { (key, reader) throws(ArtError) in
        switch key {
        case "height": height = try reader.numberOrSkip()
        case "width": width = try reader.numberOrSkip()
        case "fill": try readFill(&reader)
        default:
          unknown.note(key, in: "canvas")
          try reader.skip()
        }
      }
    } else {
      try reader.skip()
    }
    guard let width = width.flatMap({ Int(exactly: $0) }), let height = height.flatMap({ Int(exactly: $0) })
    else {
      canvasFault = start.error("a canvas without a width and a height that are whole numbers")
      return
    }
    do throws(ArtError) {
      canvas = try Canvas(width: width, height: height)
    } catch {
      canvasFault = start.error("a canvas of \(width)x\(height), whose sides are not 1 to 100,000 pixels")
    }
  }

  private mutating func readFill(_ reader: inout JSONReader) throws(ArtError) {
    guard !reader.null() else { return }
    let typed = try reader.stringOrSkip()
    do throws(ArtError) {
      fill = try Color(typed: typed ?? "")
    } catch {
      notes.append(.init(.leftOut, code: "brokenFill", text: "a colour of the canvas that is none"))
    }
  }

  private mutating func readPending(_ key: String, _ reader: inout JSONReader) throws(ArtError) {
    keys.append((key, .json))
    let bytes = try reader.verbatim()
    do throws(ArtError) {
      let found = try JSONReader.read(bytes) { (reader) throws(ArtError) in
        try PendingBackground(from: &reader)
      }
      if found.url.isEmpty {
        notes.append(.init(.leftOut, code: "emptyURL", text: "an empty URL of a background to be fetched"))
      } else {
        pending = found
      }
    } catch {
      notes.append(.init(.leftOut, code: "brokenPending", text: "a pending background that is none"))
    }
  }
}

// MARK: - Finishing

extension ForeignReader {
  /// Returns the document. Throws `notADocument`, and `badJSON` for our own JSON with an invalid canvas or for
  /// emoji of no known format.
  func finish() throws(ArtError) -> ForeignArt {
    guard nameOfList != nil else { throw .noForeignDocument("it has no \"emojis\"") }
    guard let dialect = try detectDialect() else {
      // An unknown format is an error: importing it would lose its content silently.
      throw ArtError(
        .badJSON, "JSON with a list of emoji of which none is written as in one of the forms that are read")
    }
    var list = list
    if dialect.anchor == .topLeft { list.removeOutOfBounds() }
    if dialect == .json { list.removeBrokenCaptions() } else { list.removeStyles() }
    var unknown = unknown
    for key in keys where key.dialect != dialect { unknown.note(key.name) }
    let reader = backgroundReader(for: dialect)
    unknown.merge(reader.unknown)
    unknown.merge(list.unknown)
    if dialect != .json { unknown.merge(list.ownKeys) }
    if dialect != .json { for key in reader.ownKeys { unknown.note(key) } }
    var report = ExchangeReport()
    for note in list.faults.notes + reader.notes { report.note(note) }
    if backgroundKind == .other {
      report.note(
        .init(.leftOut, code: "brokenBackground", text: "a background that is no object and no text"))
    }
    if dialect == .json { for note in notes + missingPicture { report.note(note) } }
    if let note = unknown.note { report.note(note) }
    for note in changes(of: dialect) { report.note(note) }
    return ForeignArt(
      dialect: dialect, background: reader.background, pending: dialect == .json ? pending : nil,
      canvas: dialect == .json ? canvas : nil, fill: dialect == .json ? fill : nil, emojis: list.emojis,
      found: list.found, report: report)
  }

  /// The format, by the rules of the years; nil where nothing shows it.
  private func detectDialect() throws(ArtError) -> Dialect? {
    if canvas != nil { return .json }
    if let canvasFault, keys.contains(where: { $0.name == "revision" }) { throw canvasFault }
    switch backgroundKind {
    case .object: return background.isNested ? .emojiart2021b : .emojiart2021a
    case .string: return .emojiart2023
    case .other, nil: break
    }
    for dialect in [Dialect.emojiart2020, .emojiart2017] where keys.contains(where: { $0.dialect == dialect })
    {
      return dialect
    }
    if let dialect = list.dialect { return dialect }
    // An empty document: the formats do not differ visibly.
    guard list.found == 0 else { return nil }
    return nameOfBackground != nil ? .emojiart2023 : hasCounter ? .emojiart2020 : .emojiart2017
  }

  private func backgroundReader(for dialect: Dialect) -> BackgroundReader {
    switch dialect {
    case .json, .emojiart2021a, .emojiart2021b, .emojiart2023: background
    case .emojiart2020: of2020
    case .emojiart2017: of2017
    }
  }

  /// `show --json` describes a picture without its bytes.
  private var missingPicture: [ExchangeReport.Note] {
    guard !background.ownKeys.isEmpty, background.background == nil else { return [] }
    let text =
      "the background: its picture is not in this JSON, and no URL says where it is; an export has both"
    return [.init(.leftOut, code: "missingPicture", text: text)]
  }

  private func changes(of dialect: Dialect) -> [ExchangeReport.Note] {
    var notes: [ExchangeReport.Note] = []
    if list.styledTexts > 0 {
      let count = list.styledTexts
      let text =
        count == 1
        ? "1 text gets the sign U+FE0F, which makes an emoji of it"
        : "\(count) texts get the sign U+FE0F, which makes emoji of them"
      notes.append(.init(.changed, code: "presentation", emojis: count, text: text))
    }
    if dialect == .json, list.brokenIDs > 0 {
      let count = list.brokenIDs
      let text = "\(count) \(count == 1 ? "id is none: a new one is" : "ids are none: new ones are") made"
      notes.append(.init(.changed, code: "brokenID", emojis: count, text: text))
    }
    if dialect == .json, list.brokenStyles > 0 {
      let count = list.brokenStyles
      let text =
        "\(count) \(count == 1 ? "emoji has" : "emoji have") a rotation, mirroring, colour or kind that is none: the usual one is taken"
      notes.append(.init(.changed, code: "brokenStyle", emojis: count, text: text))
    }
    return notes
  }
}

// MARK: - Backgrounds

extension ArtError {
  /// JSON of none of the supported formats.
  static func noForeignDocument(_ why: String) -> ArtError {
    ArtError(
      .notADocument,
      "JSON that is no document of emojiart or of an EmojiArt app: \(why)")
  }
}

/// Reads a background, whatever names its members have.
struct BackgroundReader: Sendable {
  private(set) var url: String?
  private(set) var bytes: [UInt8]?
  /// Whether one of its values is an object, as in Swift's encoding of enumerations.
  private(set) var isNested = false
  private(set) var notes: [ExchangeReport.Note] = []
  /// Members of our own JSON only.
  private(set) var ownKeys: [String] = []
  private(set) var unknown = UnknownKeys()
  private var nameOfURL: String?
  private var nameOfBytes: String?

  var background: ForeignArt.Background? {
    url == nil && bytes == nil ? nil : ForeignArt.Background(url: url, bytes: bytes)
  }

  /// Reads the object of the 2021 formats and of our own JSON.
  mutating func readObject(_ reader: inout JSONReader) throws(ArtError) {
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "url", "theURL":
        try readNested(key, &reader) { (background, reader) throws(ArtError) in
          try background.readURL(key, &reader)
        }
      case "imageData", "image", "data":
        try readNested(key, &reader) { (background, reader) throws(ArtError) in
          try background.readBytes(key, &reader)
        }
      case "blank":
        try readNested(key, &reader) { (_, reader) throws(ArtError) in try reader.skip() }
      case "digest", "height", "mediaType", "width":
        ownKeys.append(key)
        try reader.skip()
      default:
        if reader.kind() == .object { isNested = true }
        unknown.note(key, in: "background")
        try reader.skip()
      }
    }
  }

  /// Reads a value, or the object with the one member `_0` of Swift's encoding of enumerations.
  private mutating func readNested(
    _ name: String, _ reader: inout JSONReader,
    _ body: (inout BackgroundReader, inout JSONReader) throws(ArtError) -> Void
  ) throws(ArtError) {
    guard reader.kind() == .object else { return try body(&self, &reader) }
    isNested = true
    try reader.object { (key, reader) throws(ArtError) in
      if key == "_0" { return try body(&self, &reader) }
      unknown.note(key, in: "background.\(name)")
      try reader.skip()
    }
  }

  /// Reads a URL.
  mutating func readURL(_ name: String, _ reader: inout JSONReader) throws(ArtError) {
    if reader.null() { return }
    try Self.check(name, against: &nameOfURL, reader)
    guard let text = try reader.stringOrSkip() else {
      return leaveOut("brokenURL", "a URL of the background that is no text")
    }
    if text.isEmpty {
      leaveOut("emptyURL", "an empty URL of the background")
    } else {
      url = text
    }
  }

  /// Reads the bytes of a picture.
  mutating func readBytes(_ name: String, _ reader: inout JSONReader) throws(ArtError) {
    if reader.null() { return }
    try Self.check(name, against: &nameOfBytes, reader)
    guard reader.kind() == .string else {
      leaveOut("brokenPicture", "an embedded picture that is no base64 text")
      return try reader.skip()
    }
    switch try reader.base64() {
    case .bytes(let picture) where picture.isEmpty:
      leaveOut("brokenPicture", "an embedded picture of 0 bytes")
    case .bytes(let picture): bytes = picture
    case .broken(let offset):
      leaveOut("brokenPicture", "an embedded picture whose base64 breaks at byte \(offset)")
    }
  }

  private mutating func leaveOut(_ code: String, _ text: String) {
    notes.append(.init(.leftOut, code: code, text: text))
  }

  /// Refuses two names of one member, because it is not known which one counts.
  static func check(_ name: String, against previous: inout String?, _ reader: JSONReader) throws(ArtError) {
    if let other = previous {
      throw reader.error("both \"\(other)\" and \"\(name)\", which mean the same; take one out")
    }
    previous = name
  }
}
