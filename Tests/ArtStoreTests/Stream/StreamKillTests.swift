// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtModel
@testable import ArtStore

/// The real program, killed at its system calls while it edits a document line by line, and while what it left is
/// restored.
@Suite(.serialized) struct StreamKillTests {
  private static let isLong = cases("EMOJIART_TORTURE_SWEEP", short: 0) > 0
  /// Three edits, a save, two edits, and the end.
  private static let lines =
    [1, 2, 3].map(StreamCase.line) + [StreamCase.save] + [4, 5].map(StreamCase.line)
  private static let sent = 5

  @Test("T1 a stream that is killed at any system call loses no edit that it answered")
  func killedStream() throws {
    let stream = try StreamCase()
    var control = 0
    for files in [stream.documentFiles, stream.stateFiles, stream.journalFiles, stream.answerFiles] {
      let tracer = stream.tracer(files)
      let reference = try stream.calls(tracer, Self.lines)
      let chosen = reference.calls.enumerated().filter { index, call in
        Self.isLong || call.isWriting || index.isMultiple(of: 6)
      }.map(\.element)
      var (killed, losses, journals) = (0, 0, 0)
      var states: Set<Int> = []
      for call in chosen {
        try stream.reset()
        let end = try stream.stream(Self.lines, under: tracer.tampering(call, "signal=KILL"))
        if end.isCrash { killed += 1 }
        states.insert(try Trace(tracer.trace).written)
        let about = "\(files.name) \(call)"
        let outcome = try check(stream, end, about)
        if outcome.isLoss { losses += 1 }
        if outcome.hadJournal { journals += 1 }
      }
      control += losses
      print(
        "T1 stream, \(files.name): \(reference.calls.count) system calls, killed at \(killed) of \(chosen.count), in "
          + "\(states.count) of \(reference.written + 1) states of the files, \(journals) times with a journal; lost 0; "
          + "without the journal \(losses) times lost")
      #expect(killed >= chosen.count * 9 / 10, "\(files.name)")
      #expect(states.count >= (reference.written + 1) * 9 / 10, "\(files.name)")
    }
    #expect(control > 10)
  }

  /// What must hold after a stream was killed.
  private func check(
    _ stream: StreamCase, _ end: StreamEnd, _ about: String
  ) throws -> (isLoss: Bool, hadJournal: Bool) {
    let acknowledged = end.acknowledged
    #expect(acknowledged == Array(1..<acknowledged.count + 1), "\(about)")
    #expect(end.refused.isEmpty && !end.states.contains("error"), "\(about)")
    #expect(
      try stream.names.allSatisfy { ["bees.emojiart", "bees.emojiart-journal"].contains($0) }, "\(about)")
    let saved = try stream.saved(atMost: Self.sent)
    #expect((saved ?? 0) >= (end.isSaveAnswered ? 3 : 0), "\(about): said to be saved, and is not")
    let hadJournal = try stream.journalNames.contains { $0.hasSuffix(".journal") }
    try stream.edit()
    let kept = try stream.saved(atMost: Self.sent)
    #expect(
      (kept ?? -1) >= acknowledged.count, "\(about): answered \(acknowledged.count), kept \(kept ?? -1)")
    try stream.expectNoLeftovers(about)
    return ((saved ?? -1) < acknowledged.count, hadJournal)
  }
}

extension StreamCase {
  /// A document at rest is one file, which nothing more is known of.
  func expectNoLeftovers(_ about: String) throws {
    #expect(try file.check().faults == [], "\(about)")
    #expect(try names == ["bees.emojiart"], "\(about)")
    #expect(try journalNames == [], "\(about)")
    let rows = try shell(file.path, "SELECT count(*) FROM origin").trimmingCharacters(in: .newlines)
    #expect(rows == "0", "\(about): rows of origin")
  }
}
