// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A form in which documents are written outside our own file: our JSON, and those of the EmojiArt apps of Stanford's
/// course CS193p.
public enum Dialect: String, Sendable, CaseIterable {
  /// What `show --json` prints, with the picture's bytes beside it where it is exported.
  case json
  /// Places from the picture's top left; a URL or a picture at the top.
  case emojiart2017 = "emojiart-2017"
  /// Places from the centre; `backgroundURL`.
  case emojiart2020 = "emojiart-2020"
  /// Places from the centre; `background` with `url` or `imageData`.
  case emojiart2021a = "emojiart-2021a"
  /// The same, as Swift's own coding of enumerations writes it: `{"url":{"_0":…}}`.
  case emojiart2021b = "emojiart-2021b"
  /// Places from the centre, y upwards; `background` is a URL.
  case emojiart2023 = "emojiart-2023"
}

extension Dialect {
  /// What could not be carried, found before a byte is written: for who would rather have nothing. Of what only our own file keeps,
  /// ids and the log of edits, nothing is said. `isPictureLost` where the document has a picture and nobody has its bytes.
  public func report(on content: DocumentContent, isPictureLost: Bool = false) -> ExchangeReport {
    let plan = Plan(content, as: self, isPictureLost: isPictureLost)
    guard self == .json else { return plan.report }
    var report = ExchangeReport()
    if isPictureLost { report.note(plan.lostPicture) }
    return report
  }

  /// Writes a document, with the bytes of its picture, in pieces of some 64 KiB, without a line's end. What cannot be carried is in
  /// `report(on:)`. Throws what the sink throws.
  public func write(
    _ content: DocumentContent, picture: [UInt8]?, to sink: ([UInt8]) throws(ArtError) -> Void
  ) throws(ArtError) {
    guard self != .json else { return try content.writeJSON(picture: picture, to: sink) }
    try Plan(content, as: self, isPictureLost: picture == nil).write(content, picture: picture) {
      (piece) throws(ArtError) in
      try sink(Self.escapingSlashes(piece))
    }
  }

  /// As those apps write: a slash stands in strings only, and our writer leaves it as it is.
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

extension Plan {
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

  /// What stands before the emoji.
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

  /// Places are cut off in every year; they are within bounds that an Int holds.
  private static func write(_ place: (x: Double, y: Double), to writer: inout JSONWriter) {
    writer.key("x")
    writer.integer(Int(place.x))
    writer.key("y")
    writer.integer(Int(place.y))
  }
}

/// How a document is told in the form of one of the apps: what is written, and what each value becomes.
struct Plan {
  let dialect: Dialect
  private let content: DocumentContent
  /// The URL that is written, if any.
  let url: String?
  /// Whether the picture's bytes are written.
  let writesPicture: Bool
  /// Whether the document has a picture, and its bytes are gone.
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

  /// What places are measured from, on our canvas: the picture lies in its top left corner, whatever their sizes.
  private var origin: (x: Double, y: Double) {
    guard dialect.anchor == .center else { return (0, 0) }
    let size = content.background?.size ?? content.canvas
    return (Double(size.width) / 2, Double(size.height) / 2)
  }

  /// A place in the app's own terms, before it is made whole.
  func place(_ position: Point) -> (x: Double, y: Double) {
    let (x, y) = (position.x - origin.x, position.y - origin.y)
    return (x, dialect.isUpwards ? 0 - y : y)
  }

  /// A size as its year makes it whole; 1 at least, for a label of size 0 is none.
  func size(_ size: FontSize) -> Int {
    let whole =
      switch dialect {
      case .json, .emojiart2017, .emojiart2023: size.pixels.rounded(.towardZero)
      case .emojiart2020: size.pixels.rounded(.toNearestOrEven)
      case .emojiart2021a, .emojiart2021b: size.pixels.rounded(.toNearestOrAwayFromZero)
      }
    return max(1, Int(whole))
  }

  /// The canvas that an import of what is written will have: that of the picture, when it is there.
  private var canvasAfterwards: Canvas {
    if let background = content.background, writesPicture || url != nil { return background.size }
    var extent = Canvas.Extent()
    for emoji in content.emojisInOrder() {
      let (x, y) = place(emoji.position)
      extent.take(x.rounded(.towardZero), y.rounded(.towardZero), size: Double(size(emoji.size)))
    }
    return .holding(extent, from: dialect.anchor)
  }
}

extension Plan {
  /// What cannot be carried.
  var report: ExchangeReport {
    var report = ExchangeReport()
    for note in backgroundNotes + canvasNotes + roundingNotes { report.note(note) }
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
            .leftOut, code: "picture", words: "the picture itself, which this form does not hold\(instead)"))
      }
      if background.url != nil, url == nil {
        notes.append(
          .init(
            .leftOut, code: "pictureURL",
            words: "the URL that the picture came from, for its bytes are written"))
      }
      if content.pending != nil {
        notes.append(.init(.leftOut, code: "pending", words: "the URL of a picture that is still to come"))
      }
    } else if let pending = content.pending, pending.anchor != dialect.anchor {
      let there = dialect.anchor == .center ? "centre" : "top left corner"
      let words =
        "places are measured from the \(there) of the canvas, for the size of the picture is not known"
      notes.append(.init(.changed, code: "origin", emojis: content.emojiCount, words: words))
    }
    return notes
  }

  /// The same in every form.
  var lostPicture: ExchangeReport.Note {
    let instead = url == nil ? "" : "; its URL is written"
    return .init(
      .leftOut, code: "lostPicture",
      words: "the picture, whose bytes are lost in the document itself\(instead)")
  }

  private var canvasNotes: [ExchangeReport.Note] {
    let after = canvasAfterwards
    guard after != content.canvas else { return [] }
    let words =
      "the canvas of \(content.canvas.width)x\(content.canvas.height), which becomes \(after.width)x\(after.height)"
    return [.init(.changed, code: "canvas", words: words)]
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
      Self.rounding("places", places, "place", "is", "are", "made whole by cutting the fraction off"),
      Self.rounding("sizes", sizes, "size", "is", "are", "made whole as this form does it"),
      Self.rounding("smallSizes", raised, "size below 1", "becomes", "become", "1"),
    ].compactMap { $0 }
  }

  private static func rounding(
    _ code: String, _ count: Int, _ noun: String, _ one: String, _ many: String, _ rest: String
  ) -> ExchangeReport.Note? {
    guard count > 0 else { return nil }
    let words = count == 1 ? "1 \(noun) \(one) \(rest)" : "\(count) \(Self.plural(noun)) \(many) \(rest)"
    return .init(.changed, code: code, emojis: count, words: words)
  }

  private static func plural(_ noun: String) -> String {
    noun == "size below 1" ? "sizes below 1" : noun + "s"
  }
}

/// What of a document could not be carried into another form: left out, or changed.
public struct ExchangeReport: Sendable, Equatable {
  /// One thing that people are told of.
  public struct Note: Sendable, Equatable {
    /// What became of it.
    public enum Kind: String, Sendable {
      case leftOut
      case changed
    }

    /// What became of it.
    public let kind: Kind
    /// A stable word for programs, such as `noEmojiInText`.
    public let code: String
    /// How many emoji it is about; 0 where it is about something else.
    public let emojis: Int
    /// For people, without the document's name: `2 labels without an emoji: "Hello", "Bob"`. May hold text of the document: it is
    /// made safe where it is printed.
    public let words: String

    /// A note of these values.
    public init(_ kind: Kind, code: String, emojis: Int = 0, words: String) {
      self.kind = kind
      self.code = code
      self.emojis = emojis
      self.words = words
    }
  }

  /// All notes, what was left out first.
  public private(set) var notes: [Note] = []

  /// Nothing to tell.
  public init() {}

  /// How many emoji are left out.
  public var emojisLeftOut: Int {
    notes.reduce(0) { $0 + ($1.kind == .leftOut ? $1.emojis : 0) }
  }

  /// Takes a note; what is left out stands before what is changed.
  public mutating func note(_ note: Note) {
    let firstChanged = notes.firstIndex { $0.kind == .changed } ?? notes.endIndex
    notes.insert(note, at: note.kind == .leftOut ? firstChanged : notes.endIndex)
  }
}
