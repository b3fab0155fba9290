// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace

/// What is wrong with a completed drawing.
enum DrawingNotes {
  /// The maximum number of texts named in one line.
  fileprivate static let named = 10

  /// Prints why the background is not drawn. Returns the exit status.
  static func printFault(_ drawn: Drawn, of name: String) -> ExitStatus {
    guard let fault = drawn.pictureFault else { return .done }
    Output.printError("\(name): its background cannot be drawn: \(fault)")
    return .badData
  }

  /// Reports that the bytes of a background are lost.
  static func printLostPicture(in name: String) { Output.printError("\(name): \(lostPicture)") }

  static let lostPicture = "the bytes of its background are lost; it is drawn without"

  /// `the fonts lack a glyph of 🐝, 🐛 and 3 more; what they lack is drawn as a box`.
  static func lacking(_ drawn: Drawn) -> String? { lacking([drawn]) }

  fileprivate static func lacking(_ drawings: [Drawn]) -> String? {
    var texts: [String] = []
    for text in drawings.flatMap(\.lacking) where !texts.contains(text) { texts.append(text) }
    guard !texts.isEmpty else { return nil }
    // Those without a name in the report may be the same in several drawings.
    let nameless = drawings.map { max(0, $0.lackingCount - $0.lacking.count) }.max() ?? 0
    let shown = texts.prefix(named)
    let more = texts.count - shown.count + nameless
    let list = shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    return "the fonts lack a glyph of \(list); what they lack is drawn as a box"
  }

  /// The same as JSON.
  static func json(_ drawn: Drawn) -> [String: JSON] {
    [
      "enlarged": drawn.enlarged.map {
        .object(["text": .string($0.text), "times": .number($0.times)])
      } ?? .null,
      "lacking": .array(drawn.lacking.map { .string($0) }),
      "lackingCount": .integer(max(drawn.lackingCount, drawn.lacking.count)),
      "pictureFault": .optional(drawn.pictureFault),
    ]
  }
}

/// What a command tells of all its drawings that is no failure, but may not be what was wanted: one line of each kind, however many drawings
/// there are.
struct DrawingAdvice {
  /// The most drawings named in one line.
  private static let named = 3

  private var drawings: [(name: String, drawn: Drawn)] = []
  private var filled: [(name: String, fill: Color)] = []
  private var reduced: [(name: String, found: BoundedDrawing)] = []

  /// Adds a drawing.
  mutating func add(_ drawn: Drawn, of name: String) { drawings.append((name, drawn)) }

  /// Adds a drawing that was to be transparent, and is not: an opaque fill is behind everything.
  mutating func add(fill: Color?, _ options: RenderOptions, of name: String) {
    guard options.isTransparent, let fill, fill.isOpaque else { return }
    filled.append((name, fill))
  }

  /// Adds a file that was made to have fewer bytes.
  mutating func add(_ found: BoundedDrawing, of name: String) {
    if found.isReduced { reduced.append((name, found)) }
  }

  /// Prints all lines.
  func print() {
    for line in [lacking, opaque, smaller, enlarged] { line.map { Output.printError($0) } }
  }

  private var lacking: String? {
    let some = drawings.filter { !$0.drawn.lacking.isEmpty }
    return DrawingNotes.lacking(some.map(\.drawn)).map { "\(Self.names(some.map(\.name))): \($0)" }
  }

  private var opaque: String? {
    guard let first = filled.first else { return nil }
    let what = filled.count == 1 ? "the fill \(first.fill)" : "their fills"
    let word = ArtError.Remedy.documentWord(filled.count == 1 ? first.name : "DOC")
    return
      "\(Self.names(filled.map(\.name))): --transparent leaves \(what), which \(filled.count == 1 ? "is" : "are") opaque; `emojiart canvas \(word) --fill none` removes it"
  }

  private var smaller: String? {
    guard let first = reduced.first else { return nil }
    func what(_ found: BoundedDrawing) -> String {
      let size = found.drawing.format.raster.map { "\($0.width) x \($0.height) pixels" } ?? ""
      let quality = found.drawing.format.quality.map { "quality \($0), " } ?? ""
      return "\(quality)\(size), \(found.bytes.count) bytes"
    }
    guard reduced.count > 1 else { return "\(first.name): made smaller to fit: \(what(first.found))" }
    let worst = reduced.min {
      ($0.found.drawing.format.quality ?? 0) < ($1.found.drawing.format.quality ?? 0)
    }
    return
      "\(Self.names(reduced.map(\.name))): made smaller to fit; the least is \((worst ?? first).name): \(what((worst ?? first).found))"
  }

  /// The one glyph that is enlarged most, and what helps.
  private var enlarged: String? {
    let all = drawings.compactMap { drawing in drawing.drawn.enlarged.map { (drawing.name, $0) } }
    guard let (name, most) = all.max(by: { $0.1.times < $1.1.times }) else { return nil }
    // Outlines of the same design would have been used.
    let cure =
      EmojiFont.sharpDesigns().first.map { "`--font \($0.rawValue)` is sharp at any size" }
      ?? "a smaller emoji, scale or resolution is sharper, and so are fonts of outlines: `emojiart help fonts`"
    return
      "\(name): \(most.text) is \(numberText(most.times)) times as large as the font has it, and looks soft; \(cure)"
  }

  /// `a.emojiart, b.emojiart, c.emojiart and 37 more`.
  private static func names(_ names: [String]) -> String {
    let more = names.count - named
    return names.prefix(named).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}

extension DocumentView {
  /// Reports that the document does not contain the background's bytes any more. Returns the exit status.
  func printLostPicture(in name: String) -> ExitStatus {
    guard isPictureLost else { return .done }
    DrawingNotes.printLostPicture(in: name)
    return .badData
  }
}
