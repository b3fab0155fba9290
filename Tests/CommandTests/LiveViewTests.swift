// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal
import TestSupport
import Testing

@testable import emojiart

@Suite("A document that is followed on the screen")
struct LiveViewTests {
  private let terminal = TerminalSize(
    columns: 80, rows: 24, cell: TerminalAnswers.Cell(width: 10, height: 20))

  private func view() throws -> LiveView {
    try LiveView(try Canvas(width: 800, height: 440), on: terminal, ViewOptions.View())
  }

  @Test("the keys zoom, scroll, fit and end")
  func keys() throws {
    var view = try view()
    #expect(view.percent == "100 %")
    #expect(view.press(.text("+")) == .draw)
    #expect(view.percent == "125 %")
    #expect(view.press(.text("++")) == .draw)
    #expect(view.percent == "195 %")
    let middle = view.viewport.center
    #expect(view.press(.right) == .draw)
    #expect(view.viewport.center.x > middle.x && view.viewport.center.y == middle.y)
    #expect(view.press(.up) == .draw)
    #expect(view.viewport.center.y < middle.y)
    #expect(view.press(.text("0")) == .draw)
    #expect(view.percent == "100 %" && view.viewport.isFit)
    #expect(view.press(.text("0")) == .nothing, "a view that fits does not change")
    #expect(view.press(.left) == .nothing, "a view that fits does not scroll")
    #expect(view.press(.text("q")) == .end)
    #expect(view.press(.text("+q")) == .end)
    #expect(view.press(.text("q+")) == .end)
    #expect(view.press(.interrupt) == .end)
    #expect(view.press(.suspend) == .suspend)
    for key in [Key.text("x🐝 "), .enter, .tab, .home, .backspace] { #expect(view.press(key) == .nothing) }
  }

  @Test("a view that fits still fits after a resize, and a zoomed one keeps its zoom and centre")
  func sizes() throws {
    var view = try view()
    #expect(view.resize(terminal) == .nothing)
    #expect(view.resize(TerminalSize(columns: 40, rows: 20, cell: terminal.cell)) == .draw)
    #expect(view.viewport.isFit)
    for _ in 0..<8 { _ = view.press(.text("+")) }
    let (zoom, center) = (view.viewport.zoom, view.viewport.center)
    #expect(view.resize(TerminalSize(columns: 44, rows: 22, cell: terminal.cell)) == .draw)
    #expect(view.viewport.zoom == zoom && view.viewport.center == center)
    view.adopt(view.canvas)
    #expect(view.viewport.zoom == zoom)
    view.adopt(try Canvas(width: 10, height: 10))
    #expect(view.viewport.isFit, "another canvas is shown as a whole")
  }

  @Test("no keys and sizes move the view out of the canvas")
  func anything() throws {
    var random = SplitMix64(seed: 142)
    let keys: [Key] = [.text("+"), .text("-"), .text("0"), .left, .right, .up, .down, .text("x")]
    for _ in 0..<200 {
      var view = try view()
      for _ in 0..<100 {
        if Int.random(in: 0..<5, using: &random) == 0 {
          _ = view.resize(
            TerminalSize(
              columns: .random(in: 0...300, using: &random), rows: .random(in: 0...100, using: &random)))
        } else {
          _ = view.press(keys.randomElement(using: &random) ?? .left)
        }
        let visible = view.viewport.visible
        #expect(
          visible.x >= 0 && visible.y >= 0 && visible.x + visible.width <= 800 + 1e-6
            && visible.y + visible.height <= 440 + 1e-6)
        #expect(try ArtPlacement(view.viewport, in: view.room, .kitty).rows <= view.room.rows)
      }
    }
  }

  @Test("text beside a picture is wrapped within its columns, without loss")
  func wrapped() {
    for name in ["bees", "🐝🌸👩‍👩‍👧‍👦🐝🌸🐝", String(repeating: "long ", count: 60), ""] {
      for columns in 2...60 {
        let lines = LineView.wrapped(name, columns)
        #expect(lines.joined() == name && !lines.isEmpty)
        #expect(lines.allSatisfy { LineView.width(Array($0)[...]) <= columns || $0.count == 1 })
      }
    }
  }

  @Test("P3 the lines above and below the picture fit, whatever the document's name")
  func lines() {
    var tried = 0
    for name in [
      "bees.emojiart", "🐝🌸👩‍👩‍👧‍👦🐝🌸🐝.emojiart", "e\u{1B}[2Jvil\n", String(repeating: "long ", count: 90),
    ] {
      for columns in 1...120 {
        let text = LiveScreen.fitted(name, columns)
        #expect(LineView.width(Array(text)[...]) <= columns + 1)
        #expect(!text.unicodeScalars.contains { $0.value < 32 })
        tried += 1
      }
    }
    print("lines of a live view: \(tried) fitted")
  }

  @Test("the title keeps the state; a long path loses its beginning, and then details go")
  func title() {
    let path = "/home/ada/pictures/of/the/garden/bees.emojiart"
    let details = ["640 x 400, 2 emoji, revision 2", "100 %"]
    func title(_ state: String?, _ columns: Int) -> String {
      LiveScreen.title(path, details, state: state, columns)
    }
    #expect(title("saved", 160) == "\(path)  640 x 400, 2 emoji, revision 2  100 %  saved")
    #expect(
      title("saved", 80) == "…ures/of/the/garden/bees.emojiart  640 x 400, 2 emoji, revision 2  100 %  saved")
    #expect(title("saved", 40) == "…the/garden/bees.emojiart  100 %  saved")
    #expect(title(nil, 20) == "…rden/bees.emojiart")
    #expect(
      title("not saved: the disk is full", 60).hasSuffix("bees.emojiart  100 %  not saved: the disk is full"))
    #expect(title("not saved: the disk is full", 30) == "not saved: the disk is full")
    #expect(title("not saved: the disk is full", 20) == "not saved: the disk…")
    for columns in 1...160 {
      for state in ["saved", "12 unsaved", "read-only: it is on a medium that cannot be written", nil] {
        let text = title(state, columns)
        #expect(LineView.width(Array(text)[...]) <= columns + 1, "\(text)")
      }
    }
  }
}
