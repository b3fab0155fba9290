// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A document of another program, or our own JSON, as values: what was read, before its picture was looked at.
public struct ForeignArt: Sendable, Equatable {
  /// The picture that it names or holds; both where it holds one and says where it came from.
  public struct Background: Sendable, Equatable {
    /// A URL as it stands there, never empty; nobody has looked at it yet.
    public var url: String?
    /// The bytes of a picture, one at least; nobody has decoded them yet.
    public var bytes: [UInt8]?

    /// A background of these values.
    public init(url: String? = nil, bytes: [UInt8]? = nil) {
      self.url = url
      self.bytes = bytes
    }
  }

  /// Bytes of a source at most; whoever reads one refuses more.
  public static let byteLimit = 256 << 20

  /// The form that it is written in.
  public let dialect: Dialect
  /// The picture, if any. It may be taken out and its bytes let go of once they are decoded.
  public var background: Background?
  /// The picture that our own JSON says is still to come: it stays so.
  public let pending: PendingBackground?
  /// How many emoji come in.
  public var emojiCount: Int { emojis.count }
  /// How many emoji there were: `emojiCount` and those that the report counts as left out.
  public let emojisFound: Int
  /// What was left out of it or changed.
  public let report: ExchangeReport

  /// The canvas of our own JSON.
  let canvas: Canvas?
  let emojis: [ForeignEmoji]

  init(
    dialect: Dialect, background: Background?, pending: PendingBackground?, canvas: Canvas?,
    emojis: [ForeignEmoji], found: Int, report: ExchangeReport
  ) {
    self.dialect = dialect
    self.background = background
    self.pending = pending
    self.canvas = canvas
    self.emojis = emojis
    emojisFound = found
    self.report = report
  }

  /// Reads a document's bytes; the form is told by what is in them. Throws `badJSON` with the place, `notADocument` for JSON that is
  /// no document of these, `tooLarge`.
  public init(reading bytes: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    guard bytes.count <= Self.byteLimit else {
      throw ArtError(
        .tooLarge, "\(bytes.count) bytes, more than the \(Self.byteLimit >> 20) MiB that are read")
    }
    guard !bytes.isEmpty else {
      // 2017's app makes a file before there is anything in it.
      self.init(
        dialect: .emojiart2017, background: nil, pending: nil, canvas: nil, emojis: [], found: 0,
        report: ExchangeReport())
      return
    }
    guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
      throw .badJSON("a byte order mark before it; take these 3 bytes away", atByte: 0)
    }
    var foreign = ForeignReader()
    try JSONReader.read(bytes) { (reader) throws(ArtError) in try foreign.read(&reader) }
    self = try foreign.finish()
  }
}

extension ForeignArt {
  /// The document that it becomes. With a picture the canvas takes its size; without one it is the standard one, grown to hold all
  /// emoji, and a URL that is left stays `pending` with `reason`, anchored as the form measures. Our own JSON keeps its canvas, its
  /// own pending picture and its ids; every other emoji gets an id from the generator. The report is of all that was left out or
  /// changed.
  ///
  /// `picture` is what the background became, `digest` that of its bytes; `url` where it came from, to be kept. Throws `badValue`,
  /// and `damaged` where two emoji got one id.
  public func content(
    picture: CheckedPicture?, digest: String?, url: String?,
    pending: (url: String, since: Int, reason: String)?,
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> (content: DocumentContent, report: ExchangeReport) {
    var background: ArtModel.Background?
    if let picture, let digest {
      background = try ArtModel.Background(
        digest: digest, mediaType: picture.mediaType, size: picture.size, url: url)
    }
    var placing = Placing(self, picture: background?.size)
    try placing.place(emojis, using: &generator)
    var report = report
    for note in placing.notes { report.note(note) }
    let later = try toCome(pending, &report)
    let content = DocumentContent(
      id: DocumentID(using: &generator), canvas: placing.canvas, background: background, pending: later,
      emojis: placing.emojis, pictures: background.map { [$0.digest] } ?? [])
    guard let content else { throw ArtError(.damaged, "two emoji got one id") }
    return (content, report)
  }

  private func toCome(
    _ asked: (url: String, since: Int, reason: String)?, _ report: inout ExchangeReport
  ) throws(ArtError) -> PendingBackground? {
    guard let asked else { return pending }
    guard pending == nil else {
      report.note(
        .init(
          .leftOut, code: "unfetched",
          words: "the background's URL, for its picture is not there and another one is still to come"))
      return pending
    }
    return try PendingBackground(
      url: asked.url, since: asked.since, reason: asked.reason, anchor: dialect.anchor)
  }
}

extension Dialect {
  /// What places are measured from.
  var anchor: PendingBackground.Anchor {
    switch self {
    case .json, .emojiart2017: .topLeft
    case .emojiart2020, .emojiart2021a, .emojiart2021b, .emojiart2023: .center
    }
  }

  /// Whether y grows upwards.
  var isUpwards: Bool { self == .emojiart2023 }
}

/// Puts emoji as a document measures them onto a canvas.
private struct Placing {
  let canvas: Canvas
  private(set) var emojis: [Emoji] = []
  private let dialect: Dialect
  private var taken: Set<EmojiID> = []
  private var idsTwice = 0
  private var heldBack = 0

  init(_ art: ForeignArt, picture: Canvas?) {
    dialect = art.dialect
    canvas = art.canvas ?? picture ?? .holding(art.emojis, of: art.dialect)
  }

  mutating func place(
    _ foreign: [ForeignEmoji], using generator: inout some RandomNumberGenerator
  ) throws(ArtError) {
    emojis.reserveCapacity(foreign.count)
    taken.reserveCapacity(foreign.count)
    // What keeps its id comes before what gets a new one.
    for emoji in foreign { if dialect == .json, let id = emoji.id { taken.insert(id) } }
    var kept: Set<EmojiID> = []
    for emoji in foreign {
      let position = try position(of: emoji)
      var id = dialect == .json ? emoji.id : nil
      if let own = id, !kept.insert(own).inserted {
        idsTwice += 1
        id = nil
      }
      emojis.append(
        Emoji(
          id: id ?? newID(using: &generator), text: emoji.text, position: position, size: emoji.size,
          z: emojis.count * Limits.zStep))
    }
  }

  var notes: [ExchangeReport.Note] {
    var notes: [ExchangeReport.Note] = []
    if heldBack > 0 {
      let words = "\(heldBack) \(heldBack == 1 ? "place is" : "places are") held back at 1,000,000 pixels"
      notes.append(.init(.changed, code: "placeHeldBack", emojis: heldBack, words: words))
    }
    if idsTwice > 0 {
      let words =
        idsTwice == 1
        ? "1 id that occurred before: its emoji gets a new one"
        : "\(idsTwice) ids that occurred before: their emoji get new ones"
      notes.append(.init(.changed, code: "idTwice", emojis: idsTwice, words: words))
    }
    return notes
  }

  /// Where the middle of the canvas leads out of bounds, the place stays at them, as it does when a picture comes later.
  private mutating func position(of emoji: ForeignEmoji) throws(ArtError) -> Point {
    guard dialect.anchor == .center else { return try Point(x: emoji.x, y: emoji.y) }
    let x = emoji.x + Double(canvas.width) / 2
    let y = (dialect.isUpwards ? -emoji.y : emoji.y) + Double(canvas.height) / 2
    let bound = Limits.coordinate
    if abs(x) > bound || abs(y) > bound { heldBack += 1 }
    return try Point(x: min(max(x, -bound), bound), y: min(max(y, -bound), bound))
  }

  private mutating func newID(using generator: inout some RandomNumberGenerator) -> EmojiID {
    while true {
      let id = EmojiID.random(using: &generator)
      if taken.insert(id).inserted { return id }
    }
  }
}

extension Canvas {
  /// The standard canvas, grown to hold all emoji: to both sides alike where they are measured from the centre, so that it stays
  /// whole, and else to the right and down. What would take more than a canvas may have lies outside it.
  static func holding(_ emojis: [ForeignEmoji], of dialect: Dialect) -> Canvas {
    var extent = Extent()
    for emoji in emojis { extent.take(emoji.x, emoji.y, size: emoji.size.pixels) }
    return holding(extent, from: dialect.anchor)
  }

  /// The same for places that are measured from there.
  static func holding(_ extent: Extent, from anchor: PendingBackground.Anchor) -> Canvas {
    let width: Int
    let height: Int
    switch anchor {
    case .topLeft: (width, height) = (whole(extent.right), whole(extent.down))
    case .center:
      width = 2 * whole(max(extent.left, extent.right))
      height = 2 * whole(max(extent.up, extent.down))
    }
    let standard = Canvas.standard
    do throws(ArtError) {
      return try Canvas(
        width: min(max(width, standard.width), Limits.canvasSide),
        height: min(max(height, standard.height), Limits.canvasSide))
    } catch {
      assertionFailure(error.cause)
      return standard
    }
  }

  /// How far emoji reach from where they are measured, in each direction.
  struct Extent {
    fileprivate var left = 0.0
    fileprivate var right = 0.0
    fileprivate var up = 0.0
    fileprivate var down = 0.0

    /// Takes an emoji: it is at most 1.25 times its size wide and high.
    mutating func take(_ x: Double, _ y: Double, size: Double) {
      let half = size * 0.625
      left = max(left, half - x)
      right = max(right, half + x)
      up = max(up, half - y)
      down = max(down, half + y)
    }
  }

  private static func whole(_ length: Double) -> Int { Int(length.rounded(.up)) }
}
