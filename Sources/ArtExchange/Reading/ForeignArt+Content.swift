// SPDX-License-Identifier: Apache-2.0

import ArtModel

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
