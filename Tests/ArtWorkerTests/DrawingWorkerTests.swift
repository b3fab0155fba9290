// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ArtWorker

/// What was taken of a drawing, and whether anything came after its end.
final class Taken: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var count = 0
    var isOver = false
  }

  private let state = Mutex(State())
  /// After so many pieces it is given up.
  private let limit: Int

  init(limit: Int = .max) { self.limit = limit }

  var bytes: [UInt8] { state.withLock(\.bytes) }
  var count: Int { state.withLock(\.count) }
  var isOver: Bool {
    get { state.withLock(\.isOver) }
    set { state.withLock { $0.isOver = newValue } }
  }

  func take(_ piece: [UInt8]) -> Bool {
    state.withLock { state in
      if state.isOver { Issue.record("a piece after the end") }
      state.bytes += piece
      state.count += 1
      return state.count < limit
    }
  }
}

@Suite("A drawing and its worker", .timeLimit(.minutes(10))) struct DrawingWorkerTests {
  /// A drawing of one label and a picture of two bytes.
  static func drawing() throws -> Drawing {
    let canvas = try Canvas(width: 4, height: 3)
    let label = DrawingScene.Label(
      text: try EmojiText("🐝"), position: try Point(x: 1, y: 2.5), size: try FontSize(3))
    return Drawing(
      scene: DrawingScene(canvas: canvas, labels: [label], picture: [1, 10]), region: CanvasRect(canvas),
      format: .png(try PixelSize(width: 4, height: 3)), font: "/font.ttf")
  }

  private static let part = "say '{\"part\":3}'; printf abc; "

  /// Where it is when it is given up, and a script that goes so far and no further.
  static let stages: [(String, String)] = [
    ("before it greets", "stage there; forever"),
    ("before it reads", "say '{\"hello\":3}'; stage there; forever"),
    ("while it draws", ScriptedWorker.drawingGreeting + "stage there; forever"),
    (
      "in the middle of a part",
      ScriptedWorker.drawingGreeting + "say '{\"part\":9}'; printf abc; stage there; forever"
    ),
    ("between parts", ScriptedWorker.drawingGreeting + part + "stage there; forever"),
    ("after its answer", ScriptedWorker.drawingGreeting + ScriptedWorker.drawn + "; stage there; forever"),
    (
      "while something that it started runs",
      ScriptedWorker.drawingGreeting + "sleep 1000 & stage there; wait"
    ),
  ]

  @Test("what is drawn comes in parts, in their order, and with what came of it")
  func parts() async throws {
    let worker = try ScriptedWorker(
      draw: "say '{\"part\":3}'; printf abc; say '{\"part\":2}'; printf de; \(ScriptedWorker.drawn)")
    let taken = Taken()
    let drawn = try await worker.renderer.draw(Self.drawing()) { taken.take($0) }
    #expect(taken.bytes == Array("abcde".utf8) && taken.count == 2)
    #expect(drawn == Drawn(lacking: ["🐝"], lackingCount: 1, pictureFault: "why"))
    #expect(try await worker.isGone())
  }

  @Test("the program is asked once, with all that there is to the drawing")
  func asked() async throws {
    let worker = try ScriptedWorker(draw: ScriptedWorker.drawn)
    _ = try await worker.renderer.draw(Self.drawing(), limit: 0)
    #expect(try worker.lines("arguments") == ["draw --font /font.ttf"])
    #expect(
      try worker.lines("requests") == [
        #"{"labels":{"bytes":18,"total":1}}"#, #"[["🐝",1,2.5,3]]{"picture":2}"#, "\u{1}",
        #"{"draw":{"canvas":{"height":3,"width":4},"format":{"png":{"height":3,"width":4}},"#
          + #""isTransparent":false,"region":{"height":3,"width":4,"x":0,"y":0}}}"#,
      ])
  }

  @Test("a drawing of no bytes is one, too")
  func empty() async throws {
    let worker = try ScriptedWorker(draw: ScriptedWorker.drawn)
    #expect(try await worker.renderer.draw(Self.drawing(), limit: 0).1.isEmpty)
  }

  @Test(
    "a result is held whole up to a limit; one that is larger is an error, and nothing is left running")
  func whole() async throws {
    let script = Self.part + Self.part + ScriptedWorker.drawn
    let worker = try ScriptedWorker(draw: script)
    #expect(try await worker.renderer.draw(Self.drawing(), limit: 6).1 == Array("abcabc".utf8))
    #expect(try await worker.isGone())
    let endless = try ScriptedWorker(draw: "while :; do \(Self.part) done")
    let drawing = try Self.drawing()
    do throws(DrawingFailure) {
      _ = try await endless.renderer.draw(drawing, limit: 5_000)
      Issue.record("it was drawn")
    } catch {
      guard case .failed(let error) = error else { throw error }
      #expect(error.code == .tooLarge && error.cause.contains("5000 bytes"))
    }
    #expect(try await endless.isGone())
  }

  @Test("G8 whoever does not want any more is asked no more, and nothing is left running", arguments: 1...5)
  func givenUp(_ count: Int) async throws {
    let worker = try ScriptedWorker(draw: "while :; do \(Self.part) done")
    let taken = Taken(limit: count)
    await #expect(throws: DrawingFailure.cancelled) {
      try await worker.renderer.draw(Self.drawing()) { taken.take($0) }
    }
    taken.isOver = true
    #expect(taken.count == count)
    #expect(try await worker.isGone())
  }

  @Test("G8 who does not want what was drawn to its end is told so, too")
  func givenUpAtTheEnd() async throws {
    let worker = try ScriptedWorker(draw: Self.part + ScriptedWorker.drawn)
    let taken = Taken(limit: 1)
    await #expect(throws: DrawingFailure.cancelled) {
      try await worker.renderer.draw(Self.drawing()) { taken.take($0) }
    }
    #expect(try await worker.isGone())
  }

  @Test("G8 a drawing that is cancelled leaves nothing running, wherever it is", arguments: stages)
  func cancelled(_ name: String, _ script: String) async throws {
    let worker = try ScriptedWorker(script: script)
    let taken = Taken()
    let renderer = worker.renderer
    let drawing = Task {
      await #expect(throws: DrawingFailure.cancelled) {
        try await renderer.draw(Self.drawing()) { taken.take($0) }
      }
      taken.isOver = true
    }
    try await worker.reaches("there")
    drawing.cancel()
    await drawing.value
    #expect(try await worker.isGone())
  }

  @Test("G8 a drawing that is cancelled at once starts nothing, or leaves nothing of it")
  func atOnce() async throws {
    var counts = (drawn: 0, cancelled: 0)
    for round in 0..<20 {
      let worker = try ScriptedWorker(draw: Self.part + ScriptedWorker.drawn)
      let renderer = worker.renderer
      let what = try Self.drawing()
      let drawing = Task {
        do throws(DrawingFailure) {
          return try await renderer.draw(what, limit: 3).1.count == 3
        } catch {
          #expect(error == .cancelled)
          return false
        }
      }
      for _ in 0..<round { await Task.yield() }
      drawing.cancel()
      if await drawing.value { counts.drawn += 1 } else { counts.cancelled += 1 }
      #expect(try await worker.isGone())
    }
    print("G8 cancelled at once: \(counts.cancelled) cancelled, \(counts.drawn) drawn")
  }

  @Test("G8 drawings are made beside each other, and one that is cancelled takes no other with it")
  func beside() async throws {
    let slow = try ScriptedWorker(draw: "stage there; forever")
    let good = try ScriptedWorker(draw: Self.part + ScriptedWorker.drawn)
    let (slowly, well) = (slow.renderer, good.renderer)
    let held = Task {
      await #expect(throws: DrawingFailure.cancelled) { try await slowly.draw(Self.drawing(), limit: 1) }
    }
    try await slow.reaches("there")
    let others = (0..<8).map { _ in Task { try await well.draw(Self.drawing(), limit: 3).1.count } }
    held.cancel()
    for other in others { #expect(try await other.value == 3) }
    _ = await held.value
    #expect(try await slow.isGone())
    #expect(try await good.isGone())
  }

  @Test("G7 when this program was stopped for long, what the worker has to say is heard all the same")
  func stopped() async throws {
    let worker = try ScriptedWorker(
      draw: "stage there; read -r go <\"${0%/*}/go\"; \(Self.part) \(ScriptedWorker.drawn)")
    try #require(mkfifo("\(worker.path)/go", 0o600) == 0)
    let go = open("\(worker.path)/go", O_RDWR | O_CLOEXEC)
    defer { close(go) }
    let clock = ManualClock()
    let drawing = Task {
      try await Renderer(helpers: worker.helpers, clock: clock).draw(Self.drawing(), limit: 3)
    }
    // From here on nothing is heard until it is told to go on.
    try await worker.reaches("there")
    for duration in [Duration.seconds(120), .seconds(86_400)] {
      await clock.sleepers(1)
      clock.advance(by: duration)
    }
    await clock.sleepers(1)
    try #require(write(go, "\n", 1) == 1)
    #expect(try await drawing.value.1 == Array("abc".utf8))
    #expect(try await worker.isGone())
  }
}
