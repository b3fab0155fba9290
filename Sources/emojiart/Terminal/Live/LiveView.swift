// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal

/// What of a document is on the screen while it is followed, as a machine: keys, sizes and documents go in, and what is to be done
/// comes out.
///
///     one title line above; the art in the middle of what is left; below it a line for what is amiss, else for the keys
///
/// What was zoomed to stays in the middle while the terminal and the document change; what fits goes on to fit.
struct LiveView {
  /// What is to be done.
  enum Effect: Equatable {
    case nothing, draw, end, suspend
  }

  /// Times that a key zooms.
  private static let step = 1.25
  /// The part of a view that an arrow scrolls by.
  private static let stride = 0.25

  private(set) var terminal: TerminalSize
  private(set) var canvas: Canvas
  private(set) var viewport: Viewport

  /// All of a canvas, or the part that was typed. Throws `badValue`.
  init(_ canvas: Canvas, on terminal: TerminalSize, _ view: ViewOptions.View) throws(ArtError) {
    self.canvas = canvas
    self.terminal = terminal
    viewport = ArtPlacement.viewport(canvas, in: Self.room(of: terminal))
    try view.apply(to: &viewport, canvas)
  }

  /// Cells for the art.
  var room: TerminalSize { Self.room(of: terminal) }

  /// How large the art is, such as `150 %`: times a canvas that fits.
  var percent: String { "\(Int((viewport.zoom / viewport.fitZoom * 100).rounded())) %" }

  mutating func press(_ key: Key) -> Effect {
    switch key {
    case .text(let text):
      // Of several keys that came at once each counts.
      return text.reduce(.nothing) { effect, character in
        let next = press(character)
        return next == .nothing || effect == .end ? effect : next
      }
    case .interrupt: return .end
    case .suspend: return .suspend
    case .left: return scroll(-1, 0)
    case .right: return scroll(1, 0)
    case .up: return scroll(0, -1)
    case .down: return scroll(0, 1)
    default: return .nothing
    }
  }

  private mutating func press(_ character: Character) -> Effect {
    switch character {
    case "q", "Q": return .end
    case "+", "=": return change { $0.zoom(by: Self.step) }
    case "-", "_": return change { $0.zoom(by: 1 / Self.step) }
    case "0": return change { $0.zoomToFit() }
    default: return .nothing
    }
  }

  private mutating func scroll(_ x: Double, _ y: Double) -> Effect {
    change { $0.scroll(byX: x * Self.stride * $0.view.width, y: y * Self.stride * $0.view.height) }
  }

  private mutating func change(_ body: (inout Viewport) -> Void) -> Effect {
    let before = viewport
    body(&viewport)
    return viewport == before ? .nothing : .draw
  }

  /// The terminal has another size.
  mutating func resize(_ new: TerminalSize) -> Effect {
    guard new != terminal else { return .nothing }
    terminal = new
    viewport.resize(view: ArtPlacement.view(of: room))
    return .draw
  }

  /// The document's canvas is that one.
  mutating func take(_ new: Canvas) {
    guard new != canvas else { return }
    canvas = new
    viewport = ArtPlacement.viewport(new, in: room)
  }

  private static func room(of terminal: TerminalSize) -> TerminalSize {
    var room = terminal
    room.rows = max(terminal.rows - 2, 1)
    return room
  }
}
