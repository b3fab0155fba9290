// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace

/// Notices about a completed drawing.
enum DrawingNotes {
  /// The maximum number of texts named in one line.
  private static let named = 10

  /// Prints a line for each thing that is drawn differently. Returns the exit status.
  static func printNotes(_ drawn: Drawn, of name: String) -> ExitStatus {
    if let line = lacking(drawn) { Output.printError("\(name): \(line)") }
    guard let fault = drawn.pictureFault else { return .done }
    Output.printError("\(name): its background cannot be drawn: \(fault)")
    return .badData
  }

  /// Says why a picture that was to be transparent is not: an opaque fill is behind everything.
  static func printOpaqueFill(_ fill: Color?, _ options: RenderOptions, of name: String) {
    guard options.isTransparent, let fill, fill.isOpaque else { return }
    let word = ArtError.Remedy.documentWord(name)
    Output.printError(
      "\(name): --transparent leaves the fill \(fill), which is opaque; `emojiart canvas \(word) --fill none` removes it"
    )
  }

  /// Reports that the bytes of a background are lost.
  static func printLostPicture(in name: String) { Output.printError("\(name): \(lostPicture)") }

  static let lostPicture = "the bytes of its background are lost; it is drawn without"

  /// Says once that glyphs are enlarged, for the one that is enlarged most, and what helps.
  static func printEnlarged(_ drawings: [(name: String, drawn: Drawn)]) {
    let all = drawings.compactMap { drawing in drawing.drawn.enlarged.map { (drawing.name, $0) } }
    guard let (name, most) = all.max(by: { $0.1.times < $1.1.times }) else { return }
    // Outlines of the same design would have been used.
    let cure =
      EmojiFont.sharpDesigns().first.map { "`--font \($0.rawValue)` is sharp at any size" }
      ?? "a smaller emoji, scale or resolution is sharper, and so are fonts of outlines: `emojiart help fonts`"
    Output.printError(
      "\(name): \(most.text) is \(numberText(most.times)) times as large as the font has it, and looks soft; \(cure)"
    )
  }

  /// `the fonts lack a glyph of 🐝, 🐛 and 3 more; what they lack is drawn as a box`.
  static func lacking(_ drawn: Drawn) -> String? {
    guard !drawn.lacking.isEmpty else { return nil }
    let shown = drawn.lacking.prefix(named)
    let more = max(drawn.lackingCount, drawn.lacking.count) - shown.count
    let texts = shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    return "the fonts lack a glyph of \(texts); what they lack is drawn as a box"
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

extension DocumentView {
  /// Reports that the document does not contain the background's bytes any more. Returns the exit status.
  func printLostPicture(in name: String) -> ExitStatus {
    guard isPictureLost else { return .done }
    DrawingNotes.printLostPicture(in: name)
    return .badData
  }
}
