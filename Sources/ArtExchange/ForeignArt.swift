// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A document of another program, or our own JSON, as read; its picture is not decoded yet.
public struct ForeignArt: Sendable, Equatable {
  /// The picture or its URL; both where the document has the bytes and their source.
  public struct Background: Sendable, Equatable {
    /// A URL, not empty and not validated.
    public var url: String?
    /// The bytes of a picture, not empty and not decoded.
    public var bytes: [UInt8]?

    /// Creates a background.
    public init(url: String? = nil, bytes: [UInt8]? = nil) {
      self.url = url
      self.bytes = bytes
    }
  }

  /// The size limit of a source in bytes; readers must enforce it.
  public static let byteLimit = 256 << 20

  /// The format.
  public let dialect: Dialect
  /// The picture, if any. Set it to nil after decoding to release the bytes.
  public var background: Background?
  /// The pending picture of our own JSON, which stays pending.
  public let pending: PendingBackground?
  /// The number of emoji that are imported.
  public var emojiCount: Int { emojis.count }
  /// The number of emoji in the source: `emojiCount` and those that the report has as left out.
  public let emojisFound: Int
  /// The losses of reading.
  public let report: ExchangeReport

  /// The canvas of our own JSON.
  let canvas: Canvas?
  /// The colour of its canvas.
  let fill: Color?
  let emojis: [ForeignEmoji]

  init(
    dialect: Dialect, background: Background?, pending: PendingBackground?, canvas: Canvas?,
    fill: Color? = nil, emojis: [ForeignEmoji], found: Int, report: ExchangeReport
  ) {
    self.dialect = dialect
    self.background = background
    self.pending = pending
    self.canvas = canvas
    self.fill = fill
    self.emojis = emojis
    emojisFound = found
    self.report = report
  }

  /// Reads a document of any format. Throws `badJSON` with the position, `notADocument` for other JSON,
  /// `tooLarge`.
  public init(reading bytes: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    guard bytes.count <= Self.byteLimit else {
      throw ArtError(
        .tooLarge, "\(bytes.count) bytes, more than the \(Self.byteLimit >> 20) MiB that are read")
    }
    guard !bytes.isEmpty else {
      // The app of 2017 creates empty files.
      self.init(
        dialect: .emojiart2017, background: nil, pending: nil, canvas: nil, emojis: [], found: 0,
        report: ExchangeReport())
      return
    }
    var foreign = ForeignReader()
    try JSONReader.read(bytes.withoutByteOrderMark) { (reader) throws(ArtError) in try foreign.read(&reader) }
    self = try foreign.finish()
  }
}

// MARK: - Conversion

extension ForeignArt {
  /// Converts to a document. The canvas gets the size of the picture; without one it is the standard canvas,
  /// enlarged to hold all emoji, and a remaining URL becomes `pending` with `reason` and the anchor of the
  /// format. Our own JSON keeps its canvas, its pending picture and its ids, and rotations, mirroring, colours and captions; all other emoji get ids from the
  /// generator. The report includes the losses of reading.
  ///
  /// `picture` is the decoded background, `digest` the digest of its bytes, `url` the source to store. Throws
  /// `badValue`, and `damaged` where two emoji have one id.
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
    var placement = EmojiPlacement(self, picture: background?.size)
    try placement.place(emojis, using: &generator)
    var report = report
    for note in placement.notes { report.note(note) }
    let later = try pendingBackground(pending, &report)
    let content = DocumentContent(
      id: DocumentID(using: &generator), canvas: placement.canvas, fill: fill, background: background,
      pending: later,
      emojis: placement.emojis, pictures: background.map { [$0.digest] } ?? [])
    guard let content else { throw ArtError(.damaged, "two emoji got one id") }
    return (content, report)
  }

  private func pendingBackground(
    _ requested: (url: String, since: Int, reason: String)?, _ report: inout ExchangeReport
  ) throws(ArtError) -> PendingBackground? {
    guard let requested else { return pending }
    guard pending == nil else {
      report.note(
        .init(
          .leftOut, code: "unfetched",
          text: "the background's URL, for its picture is not there and another one is still to come"))
      return pending
    }
    return try PendingBackground(
      url: requested.url, since: requested.since, reason: requested.reason, anchor: dialect.anchor)
  }
}

extension Dialect {
  /// The origin of the coordinates.
  var anchor: PendingBackground.Anchor {
    switch self {
    case .json, .emojiart2017: .topLeft
    case .emojiart2020, .emojiart2021a, .emojiart2021b, .emojiart2023: .center
    }
  }

  /// Whether y points upwards.
  var yPointsUp: Bool { self == .emojiart2023 }
}

// MARK: - Placement

/// Places emoji of a document on a canvas.
private struct EmojiPlacement {
  let canvas: Canvas
  private(set) var emojis: [Emoji] = []
  private let dialect: Dialect
  private var usedIDs: Set<EmojiID> = []
  private var duplicateIDs = 0
  private var clampedCount = 0

  init(_ art: ForeignArt, picture: Canvas?) {
    dialect = art.dialect
    canvas = art.canvas ?? picture ?? .holding(art.emojis, of: art.dialect)
  }

  mutating func place(
    _ foreign: [ForeignEmoji], using generator: inout some RandomNumberGenerator
  ) throws(ArtError) {
    emojis.reserveCapacity(foreign.count)
    usedIDs.reserveCapacity(foreign.count)
    // Emoji that keep their ids come before those that get new ones.
    for emoji in foreign { if dialect == .json, let id = emoji.id { usedIDs.insert(id) } }
    var kept: Set<EmojiID> = []
    for emoji in foreign {
      let position = try position(of: emoji)
      var id = dialect == .json ? emoji.id : nil
      if let own = id, !kept.insert(own).inserted {
        duplicateIDs += 1
        id = nil
      }
      emojis.append(
        Emoji(
          id: id ?? newID(using: &generator), text: emoji.text, position: position, size: emoji.size,
          z: emojis.count * Limits.zStep, rotation: emoji.rotation, isMirrored: emoji.isMirrored,
          color: emoji.color))
    }
  }

  var notes: [ExchangeReport.Note] {
    var notes: [ExchangeReport.Note] = []
    if clampedCount > 0 {
      let text =
        "\(clampedCount) \(clampedCount == 1 ? "place is" : "places are") held back at 1,000,000 pixels"
      notes.append(.init(.changed, code: "placeHeldBack", emojis: clampedCount, text: text))
    }
    if duplicateIDs > 0 {
      let text =
        duplicateIDs == 1
        ? "1 id that occurred before: its emoji gets a new one"
        : "\(duplicateIDs) ids that occurred before: their emoji get new ones"
      notes.append(.init(.changed, code: "idTwice", emojis: duplicateIDs, text: text))
    }
    return notes
  }

  /// Coordinates that the shift to the centre moves out of bounds are clamped, as they are when a picture
  /// arrives later.
  private mutating func position(of emoji: ForeignEmoji) throws(ArtError) -> Point {
    guard dialect.anchor == .center else { return try Point(x: emoji.x, y: emoji.y) }
    let x = emoji.x + Double(canvas.width) / 2
    let y = (dialect.yPointsUp ? -emoji.y : emoji.y) + Double(canvas.height) / 2
    let bound = Limits.coordinate
    if abs(x) > bound || abs(y) > bound { clampedCount += 1 }
    return try Point(x: min(max(x, -bound), bound), y: min(max(y, -bound), bound))
  }

  private mutating func newID(using generator: inout some RandomNumberGenerator) -> EmojiID {
    while true {
      let id = EmojiID.random(using: &generator)
      if usedIDs.insert(id).inserted { return id }
    }
  }
}

// MARK: - The canvas

extension Canvas {
  /// The standard canvas, enlarged to hold all emoji: to both sides for coordinates from the centre, which so
  /// stays in place, otherwise to the right and downwards. Emoji beyond the largest canvas lie outside.
  static func holding(_ emojis: [ForeignEmoji], of dialect: Dialect) -> Canvas {
    var extent = Extent()
    for emoji in emojis { extent.include(emoji.x, emoji.y, size: emoji.size.pixels) }
    return holding(extent, from: dialect.anchor)
  }

  /// The same for an extent.
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

  /// The extent of all emoji from the origin, in each direction.
  struct Extent {
    fileprivate var left = 0.0
    fileprivate var right = 0.0
    fileprivate var up = 0.0
    fileprivate var down = 0.0

    /// Includes an emoji, which is at most 1.25 times its size wide and high.
    mutating func include(_ x: Double, _ y: Double, size: Double) {
      let half = size * 0.625
      left = max(left, half - x)
      right = max(right, half + x)
      up = max(up, half - y)
      down = max(down, half + y)
    }
  }

  private static func whole(_ length: Double) -> Int { Int(length.rounded(.up)) }
}
