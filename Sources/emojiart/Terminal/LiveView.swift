// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal

/// The state of the live view as a state machine: keys, sizes and documents go in, effects come out.
///
///     a title line; the art, centred; a line for an error, else for the keys
///
/// The centre of a zoomed view is kept while the terminal and the document change; a view that fits keeps fitting.
struct LiveView {
  /// What the owner has to do.
  enum Effect: Equatable {
    case nothing, draw, end, suspend
  }

  /// The zoom factor of a key.
  private static let step = 1.25
  /// The part of the view that an arrow key scrolls.
  private static let stride = 0.25

  private(set) var terminal: TerminalSize
  private(set) var canvas: Canvas
  private(set) var viewport: Viewport

  /// Shows the whole canvas, or the given part. Throws `badValue`.
  init(_ canvas: Canvas, on terminal: TerminalSize, _ view: ViewOptions.View) throws(ArtError) {
    self.canvas = canvas
    self.terminal = terminal
    viewport = ArtPlacement.viewport(canvas, in: Self.room(of: terminal))
    try view.apply(to: &viewport, canvas)
  }

  /// The cells available for the art.
  var room: TerminalSize { Self.room(of: terminal) }

  /// The zoom relative to a canvas that fits, such as `150 %`.
  var percent: String { "\(Int((viewport.zoom / viewport.fitZoom * 100).rounded())) %" }

  mutating func press(_ key: Key) -> Effect {
    switch key {
    case .text(let text):
      // Several keys may arrive in one read; each one counts.
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

  /// Scrolls a point of the canvas into the view. Returns whether it had to.
  mutating func reveal(_ point: Point) -> Bool {
    let visible = viewport.visible
    let x = max(visible.x, min(point.x, visible.x + visible.width))
    let y = max(visible.y, min(point.y, visible.y + visible.height))
    guard (x, y) != (point.x, point.y) else { return false }
    return change { $0.scroll(toCenterX: point.x, y: point.y) } == .draw
  }

  /// Adapts to a new size of the terminal.
  mutating func resize(_ new: TerminalSize) -> Effect {
    guard new != terminal else { return .nothing }
    terminal = new
    viewport.resize(view: ArtPlacement.view(of: room))
    return .draw
  }

  /// Adapts to a new canvas.
  mutating func adopt(_ new: Canvas) {
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
