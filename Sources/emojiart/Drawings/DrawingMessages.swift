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

  /// Reports that the bytes of a background are lost.
  static func printLostPicture(in name: String) {
    Output.printError("\(name): the bytes of its background are lost; it is drawn without")
  }

  /// `the font has no colour glyph for 🐝, 🐛 and 3 more; what it lacks is drawn as a box`.
  static func lacking(_ drawn: Drawn) -> String? {
    guard !drawn.lacking.isEmpty else { return nil }
    let shown = drawn.lacking.prefix(named)
    let more = max(drawn.lackingCount, drawn.lacking.count) - shown.count
    let texts = shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    return "the font has no colour glyph for \(texts); what it lacks is drawn as a box"
  }

  /// The same as JSON.
  static func json(_ drawn: Drawn) -> [String: JSON] {
    [
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
