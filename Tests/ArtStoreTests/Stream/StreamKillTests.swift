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
      let chosen = Self.chosen(reference.calls)
      var (killed, runs, losses, journals) = (0, 0, 0, 0)
      var states: Set<Int> = []
      for call in chosen {
        // Where another thread has come to its call of that number first, or to none, once more.
        var tries = 0
        repeat {
          try stream.reset()
          let end = try stream.stream(Self.lines, under: tracer.tampering(call, "signal=KILL"))
          (runs, tries) = (runs + 1, tries + 1)
          if end.isCrash { killed += 1 }
          states.insert(try CallTrace(tracer.trace).written)
          let outcome = try check(stream, end, "\(files.name) \(call)")
          if outcome.isLoss { losses += 1 }
          if outcome.hadJournal { journals += 1 }
        } while !states.contains(call.written) && tries < 4
      }
      control += losses
      let wanted = Set(chosen.map(\.written))
      print(
        "T1 stream, \(files.name): \(reference.calls.count) system calls, killed \(killed) times in \(runs) runs, in "
          + "\(states.count) of \(reference.written + 1) states of the files, \(journals) times with a journal; lost 0; "
          + "without the journal \(losses) times lost")
      #expect(killed >= chosen.count * 9 / 10, "\(files.name)")
      #expect(wanted.subtracting(states).count <= wanted.count / 10, "\(files.name)")
    }
    #expect(control > 10)
  }

  /// In the short run not every part of a rollback journal, nor every look.
  private static func chosen(_ calls: [SystemCall]) -> [SystemCall] {
    calls.enumerated().filter { index, call in
      let isOften = call.name == "pwrite64" && call.text.contains(".emojiart-journal>")
      return isLong || index.isMultiple(of: 8) || call.isWriting && !isOften
    }.map(\.element)
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

  private func sweepRestore(_ words: [String], told: String) throws {
    let left = try StreamCase()
    _ = try left.leave(Self.lines, edits: Self.sent)
    let before = try left.saved(atMost: Self.sent)
    try #require(before == 3)
    let tracer = left.tracer(try left.leftFiles)
    let program = [emojiart, words[0], left.file.path] + words.dropFirst()
    let snapshot = try left.snapshot()
    func run(_ tracer: Tracer) throws -> Ended {
      let command = try tracer.command(for: program, journals: left.journals.path, answers: left.outputPath)
      return try ArtStoreTests.run(command[0], Array(command.dropFirst()), environment: left.environment)
    }
    let ended = try run(tracer)
    try #require(ended.status == 0 && (ended.output + ended.errors).contains("restored 2 edits"), "\(ended)")
    let calls = try CallTrace(tracer.trace)
    var (killed, stayed, done, twice) = (0, 0, 0, 0)
    var random = SeededGenerator(4)
    let chosen = Self.chosen(calls.calls)
    for call in chosen {
      try left.putBack(snapshot)
      let ended = try run(tracer.tampering(call, "signal=KILL"))
      if ended.isCrash { killed += 1 }
      let about = "\(words[0]) \(call)"
      let found = try left.saved(atMost: Self.sent)
      #expect(found == 3 || found == 5, "\(about): \(String(describing: found)) edits in the file")
      #expect(found == 5 || !ended.output.contains(told), "\(about): answered, and not there")
      if found == 3 { stayed += 1 } else { done += 1 }
      if Self.isLong || random.below(3) == 0 {
        // The next one is killed, too.
        let again = try run(tracer.tampering(calls.calls[random.below(calls.calls.count)], "signal=KILL"))
        if again.isCrash { twice += 1 }
      }
      try left.edit()
      #expect(try left.saved(atMost: Self.sent) == 5, "\(about)")
      try left.expectNoLeftovers(about)
    }
    print(
      "T1 \(words[0]) of what a killed stream left: \(calls.calls.count) system calls, killed at \(killed) of "
        + "\(chosen.count), \(twice) times the next one, too: \(stayed) times not restored yet, \(done) times restored; "
        + "lost 0, twice 0")
    #expect(killed >= chosen.count * 9 / 10 && stayed > 10 && done > 5 && twice > 5)
  }

  @Test("T1 a restore that is killed at any system call loses nothing and restores nothing twice")
  func killedRestore() throws { try sweepRestore(["restore"], told: "restored") }

  @Test("T1 an editing command that restores first, and is killed at any system call, loses nothing")
  func killedEditThatRestores() throws { try sweepRestore(["add", "🌻"], told: "\n") }
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
