// SPDX-License-Identifier: Apache-2.0

/// Characters of a layout with what shows them, for files that have text.
enum TextRun {
  /// Letters of one font.
  case letters(LetterRun)
  /// The emoji, or the box for a missing one, with that index in the layout; and its characters.
  case emoji(Int, String)

  /// The memory that it takes, in points of outlines.
  var size: Int {
    switch self {
    case .letters(let run): 2 * run.glyphs.count
    case .emoji: 4
    }
  }

  /// Moves the letters; emoji are moved in the layout.
  mutating func move(x: Double, y: Double) {
    guard case .letters(var run) = self else { return }
    run.move(x: x, y: y)
    self = .letters(run)
  }
}

extension GlyphLayout {
  /// The memory that its letters take as text, in glyphs that are pictures: a font in one size takes as much as two, and sixteen letters as one.
  var textPieces: Int {
    runs.reduce(0) { count, run in
      guard case .letters(let letters) = run else { return count }
      return count + 2 + letters.glyphs.count / 16
    }
  }
}

/// Letters of one font, with their characters. Lengths are in ems.
struct LetterRun {
  /// A letter, with its origin.
  struct Letter {
    var number: UInt32
    var x: Double
    var y: Double
  }

  /// Characters that belong to some glyphs as a whole.
  struct Cluster {
    /// The bytes of its characters in the text.
    var bytes: Int
    var glyphs: Int
  }

  /// The file of the font.
  let font: FontFile
  /// From left to right.
  private(set) var glyphs: [Letter] = []
  /// From left to right.
  private(set) var clusters: [Cluster] = []
  /// The characters of the clusters.
  private(set) var text = ""

  fileprivate init(_ font: FontFile) { self.font = font }

  /// Appends a glyph; without text it belongs to the last cluster.
  fileprivate mutating func append(_ letter: Letter, _ text: String?) {
    glyphs.append(letter)
    if let text {
      clusters.append(Cluster(bytes: text.utf8.count, glyphs: 1))
      self.text += text
    } else if let last = clusters.indices.last {
      clusters[last].glyphs += 1
    }
  }

  fileprivate mutating func move(x: Double, y: Double) {
    for index in glyphs.indices {
      glyphs[index].x += x
      glyphs[index].y += y
    }
  }
}

// MARK: - The runs of a line

/// Makes runs of the glyphs of a line, which come from left to right.
///
/// Letters that are read from right to left stay in this order, as in most files: Chromium's reader turns them round, and finds no such word in a file
/// that has them in the order of the text, as Cairo would write them. Poppler finds them in both.
struct TextRuns {
  private let text: String
  private var made: [TextRun] = []
  private var letters: LetterRun?
  /// The bytes of the last letter.
  private var last: Range<Int>?

  /// Runs of a line with this text.
  init(_ text: String) { self.text = text }

  /// Adds a letter that shows these bytes of the text, alone or with other letters.
  mutating func add(_ letter: LetterRun.Letter, of font: FontFile, _ bytes: Range<Int>) {
    if letters?.font !== font { end() }
    var run = letters ?? LetterRun(font)
    run.append(letter, bytes == last ? nil : string(bytes))
    (letters, last) = (run, bytes)
  }

  /// Adds an emoji with that index in the layout.
  mutating func add(emoji index: Int, _ bytes: Range<Int>) {
    end()
    made.append(.emoji(index, string(bytes)))
  }

  /// The runs, from left to right.
  mutating func finish() -> [TextRun] {
    end()
    return made
  }

  private mutating func end() {
    if let letters { made.append(.letters(letters)) }
    (letters, last) = (nil, nil)
  }

  private func string(_ bytes: Range<Int>) -> String {
    String(decoding: text.utf8.dropFirst(bytes.lowerBound).prefix(bytes.count), as: UTF8.self)
  }
}
