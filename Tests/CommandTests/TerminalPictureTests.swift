// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import emojiart

@Suite("Pictures on terminals, decoded back to pixels")
struct TerminalPictureTests {
  /// 60 x 18 cells of 8 x 16 pixels are exactly as large as the canvas.
  private static let script = """
    export TERM=xterm-256color COLORTERM=truecolor
    emojiart new bees --canvas 480x288 >/dev/null
    emojiart add bees 🌸 --at 130,140 --size 220 >/dev/null
    emojiart add bees 🐝 --at 340,150 --size 200 >/dev/null
    emojiart add bees 👩‍🚀 --at 30,30 --size 60 >/dev/null
    play-terminal kitty 60x26 --cell 8x16 --out kitty -- emojiart show bees >/dev/null
    play-terminal sixel 60x26 --cell 8x16 --out sixel -- emojiart show bees >/dev/null
    emojiart resize bees 🌸 --to 100 >/dev/null
    play-terminal kitty 60x26 --cell 8x16 --out other -- emojiart show bees >/dev/null
    emojiart undo bees >/dev/null
    screen="tmux -L emojiart-$$ -f /dev/null"
    $screen new-session -d -x 60 -y 26 "emojiart show bees; tmux -L emojiart-$$ wait-for -S shown; sleep 1000"
    $screen wait-for shown
    $screen capture-pane -peN >symbols
    $screen kill-server
    """

  private struct ShownPictures {
    let kitty, sixel, symbols, other: Pixels
  }

  private func shown() async throws -> ShownPictures {
    let run = try CommandRun()
    let script = run.place.appending(path: "script")
    try Data(Self.script.utf8).write(to: script)
    let outcome = try await run.run(script: script)
    #expect(outcome == CommandCase.Outcome())
    let work = run.place.appending(path: "work")
    let read = { (name: String) in [UInt8](try Data(contentsOf: work.appending(path: name))) }
    let screen = try SymbolScreen(String(decoding: read("symbols"), as: UTF8.self))
    // The rows of the art have a background colour.
    let top = try #require(screen.rows.firstIndex { row in row.contains { $0.background != [0, 0, 0] } })
    let shown = ShownPictures(
      kitty: try Pixels(decoding: Self.picture(in: read("kitty"))),
      sixel: try Pixels(sixels: Self.sixels(in: read("sixel"))),
      symbols: try screen.pixels(columns: 60, rows: top..<top + 18),
      other: try Pixels(decoding: Self.picture(in: read("other"))))
    try run.remove()
    return shown
  }

  /// The PNG in kitty's protocol.
  private static func picture(in screen: [UInt8]) throws -> [UInt8] {
    let text = String(decoding: screen, as: UTF8.self)
    let command = try Regex(#"\x1B_G[^;]*m=[01];([A-Za-z0-9+/=]*)\x1B\\"#)
    let base64 = text.matches(of: command).compactMap { $0.output[1].substring }.joined()
    return [UInt8](try #require(Data(base64Encoded: base64)))
  }

  private static func sixels(in screen: [UInt8]) throws -> [UInt8] {
    // The cursor is saved just before the sixels, and restored just behind them.
    let begin = try #require(
      screen.indices.first { screen[$0...].starts(with: Array("\u{1B}7\u{1B}P".utf8)) })
    let rest = screen[(begin + 2)...]
    let end = try #require(rest.indices.first { rest[$0...].starts(with: [0x1B, 0x5C]) })
    return Array(rest[..<(end + 2)])
  }

  @Test("C7 kitty's picture, the sixels and tmux's symbols show the same picture")
  func same() async throws {
    let shown = try await shown()
    #expect((shown.kitty.width, shown.kitty.height) == (480, 288))
    let sixel = try #require(shown.sixel.distance(to: shown.kitty))
    let symbols = try #require(shown.symbols.distance(to: shown.kitty))
    let other = try #require(shown.other.distance(to: shown.kitty))
    let otherSymbols = try #require(shown.symbols.distance(to: shown.other))
    print("seen on terminals: sixels \(sixel.mean), symbols \(symbols.mean), another picture \(other.mean)")
    #expect(sixel.mean <= 0.012)
    #expect(symbols.mean <= 0.02)
    #expect(other.mean > 0.02 && otherSymbols.mean > 0.02, "another picture differs")
  }
}
