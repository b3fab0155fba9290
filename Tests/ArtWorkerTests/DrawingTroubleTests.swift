// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Foundation
import TestSupport
import Testing

@testable import ArtWorker

@Suite("A failing worker that draws", .timeLimit(.minutes(10))) struct DrawingTroubleTests {
  /// A script, and a part of the error that it causes.
  typealias Case = (String, String)

  /// Checks that the error is one line: the program's path, this part, and what to do next.
  private func check(
    _ failure: DrawingFailure?, _ worker: ScriptedWorker, _ part: String,
    _ location: SourceLocation = #_sourceLocation
  ) {
    guard case .failed(let error) = failure else {
      Issue.record("\(failure as Any)", sourceLocation: location)
      return
    }
    let message = error.cause
    #expect(error.code == .unavailable, sourceLocation: location)
    #expect(
      message.hasPrefix("\(worker.program.path) ") && message.contains(part), "\(message)",
      sourceLocation: location)
    #expect(!message.contains("\n"), sourceLocation: location)
    #expect(
      message.hasSuffix("; install emojiart again") || message.hasSuffix("; try again"),
      sourceLocation: location)
  }

  @Test("B15 a worker that is missing or cannot be executed is one error that names it")
  func missing() async throws {
    let (none, _) = try await Renderer(helpers: HelperPrograms(folders: [])).failure()
    guard case .failed(let error) = none else { throw ArtError(.badJSON, "\(none as Any)") }
    #expect(error.code == .unavailable && error.cause.hasPrefix("no emojiart-worker beside this program"))
    let worker = try ScriptedWorker(draw: "")
    for path in ["\(worker.path)/script", "\(worker.path)/nothing", worker.path] {
      let (failure, _) = try await Renderer(helpers: .worker(at: path)).failure()
      guard case .failed(let error) = failure else { throw ArtError(.badJSON, "\(failure as Any)") }
      #expect(error.code == .unavailable && error.cause.hasPrefix("cannot start \(path): "))
      #expect(error.cause.hasSuffix("install emojiart again"))
    }
  }

  private static let greetings: [Case] = [
    ("say '{\"hello\":1}'; read -r request", "speaks version 1, this one \(WorkerRequest.version)"),
    ("exit 0", "ended with status 0"),
    ("echo 'libcairo.so.2 is missing' >&2; exit 127", "ended with status 127: libcairo.so.2 is missing"),
    ("kill -SEGV $$", "signal 11"),
    ("kill -XCPU $$", "signal 24"),
    ("kill -STOP $$; forever", "had been stopped"),
    ("say ''; forever", "no object"),
    ("say '{\"part\":3}'; printf abc; forever", "a part out of turn"),
    (
      "say '{\"notDrawn\":{\"detail\":\"\",\"reason\":\"noFont\"}}'; forever", "a refusal to draw out of turn"
    ),
    ("say '{\"hello\":7}'; say '{\"hello\":7}'; forever", "a hello that was not asked for"),
  ]

  @Test(
    "B15 a worker of another version, or one without a valid greeting, is one error that names it",
    arguments: greetings)
  func greeting(_ script: String, _ part: String) async throws {
    let worker = try ScriptedWorker(script: script)
    let (failure, received) = try await worker.renderer.failure()
    check(failure, worker, part)
    #expect(received.isEmpty)
    #expect(try await worker.hasEnded())
  }

  private static let part = "say '{\"part\":3}'; printf abc; "
  private static let refusal = "say '{\"notDrawn\":{\"detail\":\"why\",\"reason\":\"badFont\"}}'"

  /// A script, a part of the error that it causes, and the bytes that were received before.
  private static let drawings: [(String, String, String)] = [
    ("exit 3", "ended with status 3", ""),
    ("exit 0", "ended with status 0", ""),
    (part + "exit 0", "ended with status 0", "abc"),
    (part + part, "ended with status 0", "abcabc"),
    ("kill -KILL $$", "signal 9", ""),
    (part + "kill -KILL $$", "signal 9", "abc"),
    (part + "say '{\"part\":3}'; printf ab; kill -KILL $$", "signal 9 (Killed) in the middle", "abc"),
    ("say '{\"part\":3}'; printf ab", "in the middle of what it said", ""),
    (part + "kill -SEGV $$", "signal 11", "abc"),
    (part + "kill -STOP $$; forever", "had been stopped", "abc"),
    ("say nonsense; forever", "no object", ""),
    ("say '{}'; forever", "no reply", ""),
    ("say '{\"part\":0}'; forever", "0 bytes are out of bounds", ""),
    ("say '{\"part\":-1}'; forever", "-1 bytes are out of bounds", ""),
    ("say '{\"part\":1048577}'; forever", "1048577 bytes are out of bounds", ""),
    ("say '{\"part\":9999999999}'; forever", "out of bounds", ""),
    ("say '{\"part\":3}'; say abcd; forever", "no object", "abc"),
    ("printf %070000d 0; forever", "wrote more than it may", ""),
    ("say '{\"body\":3}'; printf abc; forever", "a body that was not asked for", ""),
    ("say '{\"progress\":{\"received\":3}}'; forever", "a progress that was not asked for", ""),
    ("say '\(ScriptedWorker.picture)'; forever", "a picture that was not asked for", ""),
    (
      "say '{\"refused\":{\"detail\":\"\",\"isTransient\":true,\"reason\":\"dns\"}}'; forever",
      "a refusal that was not asked for", ""
    ),
    ("say '{\"drawn\":{\"lacking\":[\"a\"],\"lackingCount\":0}}'; forever", "1 texts are out of bounds", ""),
    (part + ScriptedWorker.drawn + "; " + part + "forever", "a part out of turn", "abc"),
    (ScriptedWorker.drawn + "; " + ScriptedWorker.drawn + "; forever", "a drawn out of turn", ""),
    (refusal + "; " + ScriptedWorker.drawn + "; forever", "a drawn out of turn", ""),
    (part + ScriptedWorker.drawn + "; exit 1", "ended with status 1", "abc"),
    (part + ScriptedWorker.drawn + "; kill -SEGV $$", "signal 11", "abc"),
    (part + ScriptedWorker.drawn + "; kill -STOP $$", "had been stopped", "abc"),
    (part + ScriptedWorker.drawn + "; printf '{'", "in the middle of what it said", "abc"),
    (refusal + "; exit 1", "ended with status 1", ""),
  ]

  @Test(
    "B15 a worker that ends, is killed or stopped, or writes invalid lines while it draws is one error, and leaves no process",
    arguments: drawings)
  func drawing(_ script: String, _ part: String, _ received: String) async throws {
    let worker = try ScriptedWorker(draw: script)
    let (failure, bytes) = try await worker.renderer.failure()
    check(failure, worker, part)
    // Nothing that follows an invalid line is used, even if it arrived with that line.
    #expect(bytes == Array(received.utf8))
    #expect(try await worker.hasEnded())
  }

  @Test("B15 a worker that does not read the drawing is one error")
  func inputNotRead() async throws {
    let worker = try ScriptedWorker(script: "say '{\"hello\":7}'; exec <&-; forever")
    var drawing = try DrawingWorkerTests.drawing()
    drawing.scene.picture = [UInt8](repeating: 0, count: 10 << 20)
    let (failure, _) = try await worker.renderer.failure(drawing)
    check(failure, worker, "signal 9")
    #expect(try await worker.hasEnded())
  }

  @Test("V8 a refusal of the worker is the result, with its reason and text, also after parts")
  func refused() async throws {
    for reason in DrawingRefusal.Reason.allCases {
      let line = "say '{\"notDrawn\":{\"detail\":\"why\",\"reason\":\"\(reason.rawValue)\"}}'"
      for (before, received) in [("", ""), (Self.part, "abc")] {
        let worker = try ScriptedWorker(draw: before + line)
        let (failure, bytes) = try await worker.renderer.failure()
        #expect(failure == .refused(DrawingRefusal(reason, "why")) && bytes == Array(received.utf8))
        #expect(try await worker.hasEnded())
      }
    }
  }

  @Test("V8 a drawing that needs too much processor time or memory is refused, with the limit and what to do")
  func costly() async throws {
    for before in ["", Self.part, "say '{\"part\":3}'; printf ab; "] {
      let burner = try ScriptedWorker(draw: before + "kill -XCPU $$")
      guard case .refused(let time) = try await burner.renderer.failure().0 else {
        throw ArtError(.badJSON, "another failure")
      }
      #expect(
        time.reason == .tooLarge && time.detail.contains("60 s") && time.detail.contains("smaller scale"))
      for words in [
        "GLib-ERROR: gmem.c:170: failed to allocate 800000000 bytes",
        "Fatal error: failed to allocate 132 bytes of memory with alignment 8",
        "terminate called after throwing an instance of 'std::bad_alloc'",
      ] {
        let eater = try ScriptedWorker(draw: before + "echo \"\(words)\" >&2; kill -TRAP $$")
        guard case .refused(let memory) = try await eater.renderer.failure().0 else {
          throw ArtError(.badJSON, "another failure")
        }
        #expect(memory.reason == .noMemory && memory.detail.contains("384 MB"))
        #expect(try await eater.hasEnded())
      }
      #expect(try await burner.hasEnded())
    }
  }

  @Test("V8 a drawing over the limits is refused before a worker is started")
  func tooLarge() async throws {
    var drawing = try DrawingWorkerTests.drawing()
    for (columns, rows) in [(0, 1), (1, 0), (-1, 5), (10_001, 1), (1, .max)] {
      drawing.format = .symbols(columns: columns, rows: rows, .direct)
      let (failure, _) = try await Renderer(helpers: .worker(at: "/nothing")).failure(drawing)
      guard case .refused(let refusal) = failure else { throw ArtError(.badJSON, "\(failure as Any)") }
      #expect(refusal.reason == .tooLarge)
    }
    drawing.format = .symbols(columns: 10_000, rows: 1, .direct)
    var crowd = drawing
    crowd.scene.labels = Array(repeating: try #require(drawing.scene.labels.first), count: 1_000_001)
    guard
      case .refused(let refusal) = try await Renderer(helpers: .worker(at: "/nothing")).failure(crowd)
        .0
    else {
      throw ArtError(.badJSON, "another failure")
    }
    #expect(refusal.reason == .tooLarge && refusal.detail.contains("at most 1000000 are drawn"))
    guard case .failed = try await Renderer(helpers: .worker(at: "/nothing")).failure(drawing).0
    else {
      throw ArtError(.badJSON, "an allowed drawing did not reach the worker")
    }
  }

  @Test("G7 a drawing has 384 MB of address space and 60 s of processor time")
  func limits() async throws {
    let worker = try ScriptedWorker(
      draw: "(ulimit -v; ulimit -t) >>\"${0%/*}/limits\"; \(ScriptedWorker.drawn)")
    _ = try await worker.renderer.draw(DrawingWorkerTests.drawing(), limit: 0)
    #expect(try worker.lines("limits") == ["393216", "60"])
  }

  @Test("G7 a worker that is silent for two minutes is killed", arguments: DrawingWorkerTests.stages)
  func silent(_ name: String, _ script: String) async throws {
    let worker = try ScriptedWorker(script: script)
    let clock = ManualClock()
    let drawing = Task { try await Renderer(helpers: worker.helpers, clock: clock).failure().0 }
    try await worker.reaches("there")
    // The lines that were read by then are not known, and each one restarts the timeout: the clock is advanced repeatedly.
    let driver = Task {
      while !Task.isCancelled {
        try await clock.sleepers(1)
        clock.advance(by: .seconds(120))
      }
    }
    let failure = try await drawing.value
    driver.cancel()
    // This sleeper ends the last wait of the driver.
    let last = Task { try await clock.sleep(until: clock.now.advanced(by: .seconds(1)), tolerance: nil) }
    _ = await driver.result
    last.cancel()
    check(failure, worker, "gave no answer within 120 s, and was killed")
    #expect(clock.now.offset >= .seconds(120))
    #expect(try await worker.hasEnded())
  }

  @Test("G7 the receiver of a drawing may take hours for each part")
  func slowReceiver() async throws {
    let worker = try ScriptedWorker(draw: Self.part + Self.part + ScriptedWorker.drawn)
    let clock = ManualClock()
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let goOn = DispatchSemaphore(value: 0)
    let drawing = Task {
      try await Renderer(helpers: worker.helpers, clock: clock).draw(DrawingWorkerTests.drawing()) { _ in
        arrival.yield()
        do { try goOn.wait(for: "a part that may be taken") } catch { Issue.record(error) }
        return true
      }
    }
    var parts = 0
    for await _ in arrivals {
      for _ in 0..<50 {
        try await clock.sleepers(1)
        clock.advance(by: .seconds(120))
      }
      try await clock.sleepers(1)
      goOn.signal()
      parts += 1
      if parts == 2 { break }
    }
    #expect(try await drawing.value.lackingCount == 1)
    #expect(clock.now.offset >= .seconds(12_000))
    #expect(try await worker.hasEnded())
  }
}

extension Renderer {
  /// Requests a drawing that must fail; gives the failure and the bytes that were received before.
  func failure(_ drawing: Drawing? = nil) async throws -> (DrawingFailure?, [UInt8]) {
    let drawing = try drawing ?? DrawingWorkerTests.drawing()
    let received = ReceivedBytes()
    do throws(DrawingFailure) {
      let drawn = try await draw(drawing) { received.receive($0) }
      Issue.record("the drawing succeeded: \(drawn)")
      return (nil, received.bytes)
    } catch {
      let bytes = received.bytes
      received.isOver = true
      return (error, bytes)
    }
  }
}
