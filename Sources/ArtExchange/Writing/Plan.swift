// SPDX-License-Identifier: Apache-2.0

import ArtModel

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
