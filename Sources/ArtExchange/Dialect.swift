// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A format of documents besides our own file: our JSON, and the formats of the EmojiArt apps of Stanford's
/// course CS193p.
public enum Dialect: String, Sendable, CaseIterable {
  /// The output of `show --json`; exports add the bytes of the picture.
  case json
  /// Coordinates from the top left of the picture; a URL or a picture at the top level.
  case emojiart2017 = "emojiart-2017"
  /// Coordinates from the centre; `backgroundURL`.
  case emojiart2020 = "emojiart-2020"
  /// Coordinates from the centre; `background` with `url` or `imageData`.
  case emojiart2021a = "emojiart-2021a"
  /// The same, encoded as Swift encodes enumerations: `{"url":{"_0":…}}`.
  case emojiart2021b = "emojiart-2021b"
  /// Coordinates from the centre, with y upwards; `background` is a URL.
  case emojiart2023 = "emojiart-2023"
}

// MARK: - Writing

extension Dialect {
  /// The losses of an export, computed before anything is written. Ids and the log of edits, which only our own
  /// file keeps, are not reported. `isPictureLost` is true where the bytes of the document's picture are
  /// missing.
  public func report(on content: DocumentContent, isPictureLost: Bool = false) -> ExchangeReport {
    let plan = ExportPlan(content, as: self, isPictureLost: isPictureLost)
    guard self == .json else { return plan.report }
    var report = ExchangeReport()
    if isPictureLost { report.note(plan.lostPicture) }
    return report
  }

  /// Writes a document with the bytes of its picture, in pieces of some 64 KiB and without a final newline.
  /// `report(on:)` has the losses. Throws the errors of the sink.
  public func write(
    _ content: DocumentContent, picture: [UInt8]?, to sink: ([UInt8]) throws(ArtError) -> Void
  ) throws(ArtError) {
    guard self != .json else { return try content.writeJSON(picture: picture, to: sink) }
    try ExportPlan(content, as: self, isPictureLost: picture == nil).write(content, picture: picture) {
      (piece) throws(ArtError) in
      try sink(Self.escapingSlashes(piece))
    }
  }

  /// The apps escape slashes. A slash occurs only within strings, where our writer does not escape it.
  private static func escapingSlashes(_ json: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    guard json.contains(slash) else { return json }
    var escaped: [UInt8] = []
    escaped.reserveCapacity(json.count + json.count / 32)
    for byte in json {
      if byte == slash { escaped.append(UInt8(ascii: "\\")) }
      escaped.append(byte)
    }
    return escaped
  }
}

extension ExportPlan {
  fileprivate func write(
    _ content: DocumentContent, picture: [UInt8]?, to sink: ([UInt8]) throws(ArtError) -> Void
  ) throws(ArtError) {
    let picture = writesPicture ? picture : nil
    var writer = JSONWriter(reserving: 1 << 17)
    try writer.object { (writer) throws(ArtError) in
      try writeBackground(picture, to: &writer, sink)
      try writeEmojis(content.emojisInOrder(), to: &writer, sink)
      if dialect == .emojiart2017 {
        try writeMembers("imageData", picture, "url", to: &writer, sink)
      } else {
        writer.key("uniqueEmojiId")
        writer.integer(content.emojiCount)
      }
    }
    try sink(writer.bytes)
  }

  /// The background, for formats that have it before the emoji.
  private func writeBackground(
    _ picture: [UInt8]?, to writer: inout JSONWriter, _ sink: ([UInt8]) throws(ArtError) -> Void
  ) throws(ArtError) {
    switch dialect {
    case .json, .emojiart2017: return
    case .emojiart2020: try writeMembers("backgroundImageData", picture, "backgroundURL", to: &writer, sink)
    case .emojiart2021a:
      writer.key("background")
      try writer.object { (writer) throws(ArtError) in
        try writeMembers("imageData", picture, "url", to: &writer, sink)
      }
    case .emojiart2021b:
      writer.key("background")
      try writer.object { (writer) throws(ArtError) in
        writer.key(picture != nil ? "imageData" : url != nil ? "url" : "blank")
        try writer.object { (writer) throws(ArtError) in
          try writeMembers("_0", picture, "_0", to: &writer, sink)
        }
      }
    case .emojiart2023: try writeMembers("background", nil, "background", to: &writer, sink)
    }
  }

  private func writeMembers(
    _ nameOfPicture: String, _ picture: [UInt8]?, _ nameOfURL: String, to writer: inout JSONWriter,
    _ sink: ([UInt8]) throws(ArtError) -> Void
  ) throws(ArtError) {
    if let picture {
      writer.key(nameOfPicture)
      try writer.base64(picture, emptying: sink)
    }
    if let url {
      writer.key(nameOfURL)
      writer.string(url)
    }
  }

  private func writeEmojis(
    _ emojis: [Emoji], to writer: inout JSONWriter, _ sink: ([UInt8]) throws(ArtError) -> Void
  ) throws(ArtError) {
    writer.key("emojis")
    try writer.array { (writer) throws(ArtError) in
      for (index, emoji) in emojis.enumerated() {
        write(emoji, number: index + 1, to: &writer)
        guard writer.bytes.count >= 1 << 16 else { continue }
        try sink(writer.bytes)
        writer.removeAll()
      }
    }
  }

  private func write(_ emoji: Emoji, number: Int, to writer: inout JSONWriter) {
    let place = place(emoji.position)
    writer.object { writer in
      if dialect != .emojiart2017 {
        writer.key("id")
        writer.integer(number)
      }
      if dialect == .emojiart2023 {
        writer.key("position")
        writer.object { Self.write(place, to: &$0) }
      }
      writer.key("size")
      writer.integer(size(emoji.size))
      writer.key(dialect == .emojiart2023 ? "string" : "text")
      writer.string(emoji.text.string)
      if dialect != .emojiart2023 { Self.write(place, to: &writer) }
    }
  }

  /// All apps truncate coordinates; the values fit into an `Int`.
  private static func write(_ place: (x: Double, y: Double), to writer: inout JSONWriter) {
    writer.key("x")
    writer.integer(Int(place.x))
    writer.key("y")
    writer.integer(Int(place.y))
  }
}

// MARK: - Conversion

/// How a document is converted to the format of one of the apps.
struct ExportPlan {
  let dialect: Dialect
  private let content: DocumentContent
  /// The URL to write, if any.
  let url: String?
  /// Whether the bytes of the picture are written.
  let writesPicture: Bool
  /// Whether the document has a picture whose bytes are missing.
  private let isPictureLost: Bool

  init(_ content: DocumentContent, as dialect: Dialect, isPictureLost: Bool = false) {
    self.content = content
    self.dialect = dialect
    self.isPictureLost = isPictureLost && content.background != nil
    let known = content.background == nil ? content.pending?.url : content.background?.url
    let hasPicture = content.background != nil && !isPictureLost
    writesPicture = hasPicture && dialect != .emojiart2023
    switch dialect {
    case .emojiart2021a, .emojiart2021b: url = hasPicture ? nil : known
    case .json, .emojiart2017, .emojiart2020, .emojiart2023: url = known
    }
  }

  /// The origin of the coordinates on our canvas. The picture is at the top left of the canvas, whatever their
  /// sizes.
  private var origin: (x: Double, y: Double) {
    guard dialect.anchor == .center else { return (0, 0) }
    let size = content.background?.size ?? content.canvas
    return (Double(size.width) / 2, Double(size.height) / 2)
  }

  /// The coordinates in the app's system, before rounding.
  func place(_ position: Point) -> (x: Double, y: Double) {
    let (x, y) = (position.x - origin.x, position.y - origin.y)
    return (x, dialect.yPointsUp ? 0 - y : y)
  }

  /// The size, rounded as the app of that year does it; at least 1, because a label of size 0 is invalid.
  func size(_ size: FontSize) -> Int {
    let whole =
      switch dialect {
      case .json, .emojiart2017, .emojiart2023: size.pixels.rounded(.towardZero)
      case .emojiart2020: size.pixels.rounded(.toNearestOrEven)
      case .emojiart2021a, .emojiart2021b: size.pixels.rounded(.toNearestOrAwayFromZero)
      }
    return max(1, Int(whole))
  }

  /// The canvas after importing the output: that of the picture, if there is one.
  private var canvasAfterwards: Canvas {
    if let background = content.background, writesPicture || url != nil { return background.size }
    var extent = Canvas.Extent()
    for emoji in content.emojisInOrder() where Self.isLabel(emoji.text) {
      let (x, y) = place(emoji.position)
      extent.include(x.rounded(.towardZero), y.rounded(.towardZero), size: Double(size(emoji.size)))
    }
    return .holding(extent, from: dialect.anchor)
  }

  /// Whether a text can be imported as an emoji label. The words of most captions cannot.
  private static func isLabel(_ text: EmojiText) -> Bool {
    guard text.isCaption else { return true }
    do throws(ArtError.TextFault) { _ = try EmojiText(checking: text.string) } catch { return false }
    return true
  }
}

// MARK: - Losses

extension ExportPlan {
  /// All losses of the export.
  var report: ExchangeReport {
    var report = ExchangeReport()
    for note in backgroundNotes + canvasNotes + styleNotes + roundingNotes { report.note(note) }
    return report
  }

  private var backgroundNotes: [ExchangeReport.Note] {
    var notes: [ExchangeReport.Note] = []
    if let background = content.background {
      if isPictureLost {
        notes.append(lostPicture)
      } else if !writesPicture {
        let instead = url == nil ? ", and no URL says where it came from" : ": its URL is written"
        notes.append(
          .init(
            .leftOut, code: "picture", text: "the picture itself, which this form does not hold\(instead)"))
      }
      if background.url != nil, url == nil {
        notes.append(
          .init(
            .leftOut, code: "pictureURL",
            text: "the URL that the picture came from, for its bytes are written"))
      }
      if content.pending != nil {
        notes.append(.init(.leftOut, code: "pending", text: "the URL of a picture that is still to come"))
      }
    } else if let pending = content.pending, pending.anchor != dialect.anchor {
      let there = dialect.anchor == .center ? "centre" : "top left corner"
      let text =
        "places are measured from the \(there) of the canvas, for the size of the picture is not known"
      notes.append(.init(.changed, code: "origin", emojis: content.emojiCount, text: text))
    }
    return notes
  }

  /// The same in every format.
  var lostPicture: ExchangeReport.Note {
    let instead = url == nil ? "" : "; its URL is written"
    return .init(
      .leftOut, code: "lostPicture",
      text: "the picture, whose bytes are lost in the document itself\(instead)")
  }

  private var canvasNotes: [ExchangeReport.Note] {
    var notes: [ExchangeReport.Note] = []
    if let fill = content.fill {
      notes.append(.init(.leftOut, code: "fill", text: "the colour of the canvas, \(fill)"))
    }
    let after = canvasAfterwards
    guard after != content.canvas else { return notes }
    let text =
      "the canvas of \(content.canvas.width)x\(content.canvas.height), which becomes \(after.width)x\(after.height)"
    return notes + [.init(.changed, code: "canvas", text: text)]
  }

  /// What the apps' labels do not have. The labels themselves are written.
  private var styleNotes: [ExchangeReport.Note] {
    var (captions, colors, mirrored, turned) = (0, 0, 0, 0)
    for emoji in content.emojisInOrder() {
      if emoji.text.isCaption { captions += 1 }
      if emoji.color != .black { colors += 1 }
      if emoji.isMirrored { mirrored += 1 }
      if emoji.rotation != .zero { turned += 1 }
    }
    return [
      Self.counted(
        "captions", captions, "caption", "becomes", "become", "plain text as in this format's labels"),
      Self.counted("colors", colors, "colour", "is", "are", "left out"),
      Self.counted("mirrored", mirrored, "mirrored emoji", "is", "are", "written as not mirrored"),
      Self.counted("rotations", turned, "rotated emoji", "is", "are", "written as not rotated"),
    ].compactMap { $0 }
  }

  private var roundingNotes: [ExchangeReport.Note] {
    var places = 0
    var sizes = 0
    var raised = 0
    for emoji in content.emojisInOrder() {
      let (x, y) = place(emoji.position)
      if x != x.rounded() || y != y.rounded() { places += 1 }
      let size = Double(size(emoji.size))
      if size > emoji.size.pixels, emoji.size.pixels < 1 {
        raised += 1
      } else if size != emoji.size.pixels {
        sizes += 1
      }
    }
    return [
      Self.counted("places", places, "place", "is", "are", "made whole by cutting the fraction off"),
      Self.counted("sizes", sizes, "size", "is", "are", "made whole as this format does"),
      Self.counted("smallSizes", raised, "size below 1", "becomes", "become", "1"),
    ].compactMap { $0 }
  }

  private static func counted(
    _ code: String, _ count: Int, _ noun: String, _ one: String, _ many: String, _ rest: String
  ) -> ExchangeReport.Note? {
    guard count > 0 else { return nil }
    let text = count == 1 ? "1 \(noun) \(one) \(rest)" : "\(count) \(Self.plural(noun)) \(many) \(rest)"
    return .init(.changed, code: code, emojis: count, text: text)
  }

  private static func plural(_ noun: String) -> String {
    noun == "size below 1" ? "sizes below 1" : noun.hasSuffix("emoji") ? noun : noun + "s"
  }
}

// MARK: - Reports

/// What an import or export leaves out or changes.
public struct ExchangeReport: Sendable, Equatable {
  /// One loss.
  public struct Note: Sendable, Equatable {
    /// The kind of a loss.
    public enum Kind: String, Sendable {
      case leftOut
      case changed
    }

    /// Whether something is left out or changed.
    public let kind: Kind
    /// A stable code for programs, such as `noEmojiInText`.
    public let code: String
    /// The number of emoji concerned; 0 where the loss is not about emoji.
    public let emojis: Int
    /// The message, without the document's name: `2 texts without an emoji: "Hello", "Bob"`. It may contain
    /// text of the document, which must be made safe for a terminal.
    public let text: String

    /// Creates a note.
    public init(_ kind: Kind, code: String, emojis: Int = 0, text: String) {
      self.kind = kind
      self.code = code
      self.emojis = emojis
      self.text = text
    }
  }

  /// All notes; what is left out comes first.
  public private(set) var notes: [Note] = []

  /// An empty report.
  public init() {}

  /// The number of emoji that are left out.
  public var emojisLeftOut: Int {
    notes.reduce(0) { $0 + ($1.kind == .leftOut ? $1.emojis : 0) }
  }

  /// Adds a note.
  public mutating func note(_ note: Note) {
    let firstChanged = notes.firstIndex { $0.kind == .changed } ?? notes.endIndex
    notes.insert(note, at: note.kind == .leftOut ? firstChanged : notes.endIndex)
  }
}
