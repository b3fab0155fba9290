// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import TestSupport
import Testing

@testable import ArtWorker

@Suite("Measuring words", .timeLimit(.minutes(10))) struct MeasuringTests {
  private static let program = HelperProgram(path: "/somewhere/emojiart-worker")

  @Test("B15 a worker that measures answers each request with a box or a refusal, and with nothing else")
  func dialogue() {
    let answers = [
      (#"{"measured":[2,1.362]}"#, true), (#"{"notDrawn":{"detail":"why","reason":"noFont"}}"#, true),
      (#"{"drawn":{"lacking":[],"lackingCount":0}}"#, false), (#"{"part":2}"#, false),
      (#"{"measured":[0,1]}"#, false), (#"{"measured":[1]}"#, false), (#"{"body":2}"#, false),
    ]
    let wellEnded = HelperEnd(.exit(0), errors: "")
    for (first, fits) in answers {
      for (second, alsoFits) in answers {
        var dialogue = MeasuringDialogue(with: Self.program, count: 2)
        #expect(dialogue.receive(line: Array(#"{"hello":7}"#.utf8)) == .sendRequest)
        #expect((dialogue.receive(line: Array(first.utf8)) != .kill) == fits, "\(first)")
        guard fits else { continue }
        #expect(throws: DrawingFailure.self) { try dialogue.outcome(of: wellEnded).get() }
        #expect((dialogue.receive(line: Array(second.utf8)) != .kill) == alsoFits, "\(second)")
        #expect((try? dialogue.outcome(of: wellEnded).get()) != nil || !alsoFits)
        #expect(throws: DrawingFailure.self) {
          try dialogue.outcome(of: HelperEnd(.exit(1), errors: "")).get()
        }
        #expect(dialogue.receive(line: Array(#"{"measured":[1,1]}"#.utf8)) == .kill, "an answer too many")
      }
    }
    var drawing = DrawingDialogue(with: Self.program, limit: 1 << 20)
    _ = drawing.receive(line: Array(#"{"hello":7}"#.utf8))
    #expect(drawing.receive(line: Array(#"{"measured":[2,1]}"#.utf8)) == .kill)
  }

  @Test("a worker that ends at some words has failed at these only; another one measures the rest")
  func ending() async throws {
    let worker = try ScriptedWorker(
      script: """
        echo start >>"${0%/*}/starts"
        say '{"hello":7}'
        while read -r request; do
          case $request in
          *fatal*) kill -SEGV $$ ;;
          *unknown*) say '{"notDrawn":{"detail":"no font has it","reason":"noFont"}}' ;;
          *) say '{"measured":[2,1]}' ;;
          esac
        done
        """)
    let words = try ["a", "unknown", "b", "fatal", "fatal too", "c", "unknown too", "d"].map(Words.init)
    let results = await worker.renderer.boxes(of: words)
    let shown = results.map { result -> String in
      switch result {
      case .success(let box): "\(box.width) x \(box.height)"
      case .failure(.refused(let refusal)): refusal.detail
      case .failure(.failed(let error)): error.cause.contains("signal 11") ? "crash" : error.cause
      case .failure(.cancelled): "cancelled"
      }
    }
    #expect(
      shown == [
        "2.0 x 1.0", "no font has it", "2.0 x 1.0", "crash", "crash", "2.0 x 1.0", "no font has it",
        "2.0 x 1.0",
      ])
    #expect(try worker.lines("starts").count == 3)
    #expect(try await worker.hasEnded())
  }

  @Test("what a worker has answered counts, although it ends while words are still being sent")
  func endingEarly() async throws {
    let worker = try ScriptedWorker(
      script: """
        echo start >>"${0%/*}/starts"
        say '{"hello":7}'
        read -r request
        /usr/bin/yes '{"measured":[2,1]}' | /usr/bin/head -n 2000
        exit 3
        """)
    // More than the pipe to the worker holds.
    let words = try (0...2000).map { try Words("\($0) \(String(repeating: "!", count: 500))") }
    let results = await worker.renderer.boxes(of: words)
    #expect(results.count == 2001)
    #expect(results.prefix(2000).allSatisfy { (try? $0.get())?.width == 2 })
    #expect(throws: DrawingFailure.self) { try results[2000].get() }
    #expect(try worker.lines("starts").count == 1)
    #expect(try await worker.hasEnded())
  }

  @Test("many words are measured in one process, each as it is alone")
  func real() async throws {
    let words = try (0..<200).map { try Words("\($0) bees\nשלום 🐝\(String(repeating: "!", count: $0 % 7))") }
    let renderer = Renderer(clock: ManualClock())
    let boxes = try await renderer.boxes(of: words + [Words("\u{18B00}"), Words("Ä")]).map { try? $0.get() }
    #expect(boxes.count == 202 && boxes[200] == nil && boxes[201] != nil)
    for index in stride(from: 0, to: 200, by: 67) {
      let alone = try #require(await renderer.boxes(of: [words[index]]).first).get()
      #expect(boxes[index] == alone)
    }
    #expect(Set(boxes.compactMap(\.?.width)).count > 8)
  }
}
