// SPDX-License-Identifier: Apache-2.0

import ArtDrawing
import ArtModel

/// A PDF file whose pages come one by one.
///
/// ```
///   closed --page, more are left--> open --page, none is left--> closed
///                                   open --page fails--> failed --page, none is left--> closed
/// ```
/// The first failure is the answer; pages after it are not answered.
final class FileInPages {
  private enum State {
    case closed
    case open(PDFFile)
    case failed
  }

  private var state = State.closed
  /// The bytes of the pages.
  private var parts: PartWriter?

  /// Whether pages were announced that have not come.
  var isOpen: Bool { if case .closed = state { false } else { true } }

  /// Draws the next page.
  func answer(_ drawing: Drawing, with fonts: OpenFonts, _ output: ReplyWriter) {
    if case .closed = state {
      parts = PartWriter(output)
      state = .open(PDFFile { [unowned self] in parts?.append($0) })
    }
    defer { if drawing.details.pagesLeft == 0 { state = .closed } }
    guard case .open(let file) = state else { return }
    do throws(DrawingRefusal) {
      let drawn = try file.add(drawing, with: fonts)
      parts?.flush()
      output.write(.drawn(drawn))
    } catch {
      state = .failed
      parts = nil
      output.write(.notDrawn(error))
    }
  }
}
