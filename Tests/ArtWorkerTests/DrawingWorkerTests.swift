// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ArtWorker

/// The received bytes of a drawing; a part that arrives after the end is an issue.
final class ReceivedBytes: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var count = 0
    var isOver = false
  }

  private let state = Mutex(State())
  /// The number of parts after which the receiver cancels.
  private let limit: Int

  init(limit: Int = .max) { self.limit = limit }

  var bytes: [UInt8] { state.withLock(\.bytes) }
  var count: Int { state.withLock(\.count) }
  var isOver: Bool {
    get { state.withLock(\.isOver) }
    set { state.withLock { $0.isOver = newValue } }
  }

  func receive(_ part: [UInt8]) -> Bool {
    state.withLock { state in
      if state.isOver { Issue.record("a part arrived after the end") }
      state.bytes += part
      state.count += 1
      return state.count < limit
    }
  }
}

@Suite("Drawing with a worker", .timeLimit(.minutes(10))) struct DrawingWorkerTests {
  /// A drawing of one label and a picture of two bytes.
  static func drawing() throws -> Drawing {
    let canvas = try Canvas(width: 4, height: 3)
    let label = DrawingScene.Label(
      text: try EmojiText("🐝"), position: try Point(x: 1, y: 2.5), size: try FontSize(3))
    return Drawing(
      scene: DrawingScene(canvas: canvas, labels: [label], picture: [1, 10]), region: CanvasRect(canvas),
      format: .png(try PixelSize(width: 4, height: 3)), fonts: ["/font.ttf"])
  }

  private static let part = "say '{\"part\":3}'; printf abc; "

  /// The moment of the cancellation, and a script that stops there.
  static let stages: [(String, String)] = [
    ("before it greets", "stage there; forever"),
    ("before it reads", "say '{\"hello\":7}'; stage there; forever"),
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

  @Test("a drawing arrives in parts, in their order, with its report at the end")
  func parts() async throws {
    let worker = try ScriptedWorker(
      draw: "say '{\"part\":3}'; printf abc; say '{\"part\":2}'; printf de; \(ScriptedWorker.drawn)")
    let received = ReceivedBytes()
    let drawn = try await worker.renderer.draw(Self.drawing()) { received.receive($0) }
    #expect(received.bytes == Array("abcde".utf8) && received.count == 2)
    #expect(drawn == Drawn(lacking: ["🐝"], lackingCount: 1, pictureFault: "why"))
    #expect(try await worker.hasEnded())
  }

  @Test("a worker receives one request that holds the whole drawing")
  func asked() async throws {
    let worker = try ScriptedWorker(draw: ScriptedWorker.drawn)
    _ = try await worker.renderer.draw(Self.drawing(), limit: 0)
    #expect(try worker.lines("arguments") == ["draw font=/font.ttf"])
    #expect(
      try worker.lines("requests") == [
        #"{"labels":{"bytes":18,"total":1}}"#, #"[["🐝",1,2.5,3]]{"picture":2}"#, "\u{1}",
        #"{"draw":{"canvas":{"height":3,"width":4},"format":{"png":{"height":3,"width":4}},"#
          + #""isTransparent":false,"region":{"height":3,"width":4,"x":0,"y":0}}}"#,
      ])
  }

  @Test("a drawing may have no bytes")
  func empty() async throws {
    let worker = try ScriptedWorker(draw: ScriptedWorker.drawn)
    #expect(try await worker.renderer.draw(Self.drawing(), limit: 0).1.isEmpty)
  }

  @Test(
    "a drawing within the caller's limit is returned whole, and a larger one is an error and leaves no process"
  )
  func whole() async throws {
    let script = Self.part + Self.part + ScriptedWorker.drawn
    let worker = try ScriptedWorker(draw: script)
    #expect(try await worker.renderer.draw(Self.drawing(), limit: 6).1 == Array("abcabc".utf8))
    #expect(try await worker.hasEnded())
    let endless = try ScriptedWorker(draw: "while :; do \(Self.part) done")
    let drawing = try Self.drawing()
    do throws(DrawingFailure) {
      _ = try await endless.renderer.draw(drawing, limit: 5_000)
      Issue.record("the drawing succeeded")
    } catch {
      guard case .failed(let error) = error else { throw error }
      #expect(error.code == .tooLarge && error.cause.contains("5000 bytes"))
    }
    #expect(try await endless.hasEnded())
  }

  @Test("G8 a receiver that cancels gets no further part, and no process is left", arguments: 1...5)
  func receiverCancels(_ count: Int) async throws {
    let worker = try ScriptedWorker(draw: "while :; do \(Self.part) done")
    let received = ReceivedBytes(limit: count)
    await #expect(throws: DrawingFailure.cancelled) {
      try await worker.renderer.draw(Self.drawing()) { received.receive($0) }
    }
    received.isOver = true
    #expect(received.count == count)
    #expect(try await worker.hasEnded())
  }

  @Test("G8 a receiver that cancels at the last part gets the error, too")
  func receiverCancelsAtTheEnd() async throws {
    let worker = try ScriptedWorker(draw: Self.part + ScriptedWorker.drawn)
    let received = ReceivedBytes(limit: 1)
    await #expect(throws: DrawingFailure.cancelled) {
      try await worker.renderer.draw(Self.drawing()) { received.receive($0) }
    }
    #expect(try await worker.hasEnded())
  }

  @Test("G8 a drawing that is cancelled at any stage leaves no process", arguments: stages)
  func cancelled(_ name: String, _ script: String) async throws {
    let worker = try ScriptedWorker(script: script)
    let received = ReceivedBytes()
    let renderer = worker.renderer
    let drawing = Task {
      await #expect(throws: DrawingFailure.cancelled) {
        try await renderer.draw(Self.drawing()) { received.receive($0) }
      }
      received.isOver = true
    }
    try await worker.reaches("there")
    drawing.cancel()
    await drawing.value
    #expect(try await worker.hasEnded())
  }

  @Test("G8 a drawing that is cancelled immediately leaves no process")
  func cancelledImmediately() async throws {
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
      #expect(try await worker.hasEnded())
    }
    print("G8 cancelled at once: \(counts.cancelled) cancelled, \(counts.drawn) drawn")
  }

  @Test("G8 drawings run at the same time, and cancelling one ends no other one")
  func concurrent() async throws {
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
    #expect(try await slow.hasEnded())
    #expect(try await good.hasEnded())
  }

  @Test(
    "G7 after this program was stopped for long, the replies of the worker are read and its drawing is complete"
  )
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
    // From here on the worker writes nothing until it may go on.
    try await worker.reaches("there")
    for duration in [Duration.seconds(120), .seconds(86_400)] {
      try await clock.sleepers(1)
      clock.advance(by: duration)
    }
    try await clock.sleepers(1)
    try #require(write(go, "\n", 1) == 1)
    #expect(try await drawing.value.1 == Array("abc".utf8))
    #expect(try await worker.hasEnded())
  }
}
