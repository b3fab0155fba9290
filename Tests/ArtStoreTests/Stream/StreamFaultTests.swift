// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// The real program while its system calls fail: its answers must hold.
@Suite struct StreamFaultTests {
  private static let before = [1, 2, 3]
  private static let after = [4, 5]
  private static let lines = before.map(StreamCase.line) + [StreamCase.save] + after.map(StreamCase.line)
  private static let failing: Set<String> = [
    "write", "pwrite64", "fsync", "fdatasync", "rename", "unlink", "ftruncate", "openat", "mkdir", "rmdir",
    "getdents64",
  ]

  private struct Tally {
    var tried = 0
    var reported = 0
    var silent = 0
    var refused = 0
    var left = 0
    var lost = 0
    /// Failed syncs that were neither reported nor repeated.
    var unreportedSyncs: [String: Int] = [:]
  }

  @Test("T2 a stream whose system calls fail reports it, and loses no edit that it acknowledged")
  func failingCalls() throws {
    let stream = try StreamCase()
    let campaign = Campaign("faults-of-a-stream", smoke: 4)
    var (places, reported, refused, left, chosenCount) = (0, 0, 0, 0, 0)
    for files in [stream.documentFiles, try stream.stateFiles, stream.journalFiles, stream.answerFiles] {
      let tracer = stream.tracer(files)
      let calls = try stream.calls(tracer, Self.lines).calls.filter { Self.failing.contains($0.name) }
      var tally = Tally()
      let chosen = campaign.chosen(of: calls, state: \.written)
      if chosen.isEmpty { continue }
      chosenCount += chosen.count
      places = max(places, calls.count)
      for (index, call) in chosen.enumerated() {
        // Each call alone, and with all later calls of its name; in a smoke test one of these in turn.
        let faults = [("EIO", ""), ("ENOSPC", ""), ("EIO", "+"), ("ENOSPC", "+")]
        for (fault, from) in campaign.isRunning ? faults : [faults[index % faults.count]] {
          let tracer = tracer.tampering(call, "error=\(fault)", from: from)
          try fail(stream, tracer, "\(files.name) \(call) \(fault)\(from)", &tally)
        }
      }
      print(
        "T2 faults, \(files.name): \(calls.count) system calls, \(tally.tried) failures: told \(tally.reported), refused "
          + "\(tally.refused), left in the journal \(tally.left), without harm \(tally.silent); lost \(tally.lost) times"
      )
      for (sync, count) in tally.unreportedSyncs.sorted(by: { $0.key < $1.key }) {
        print("T2 faults, \(files.name): passed over, \(count) times: \(sync)")
      }
      // A call of another thread may not be reached.
      #expect(tally.tried > 0, "\(files.name)")
      reported += tally.reported
      (refused, left) = (refused + tally.refused, left + tally.left)
      #expect(Set(tally.unreportedSyncs.keys).isSubset(of: [Self.ignored, Self.atTheEnd]))
    }
    campaign.report(tried: chosenCount, places: places)
    expectEach(["told": reported, "refused": refused, "left in the journal": left], campaign)
  }

  /// Tries one fault.
  private func fail(_ stream: StreamCase, _ tracer: Tracer, _ about: String, _ tally: inout Tally) throws {
    var end: StreamEnd
    var trace: CallTrace
    var tries = 0
    repeat {
      try stream.reset()
      end = try stream.stream(Self.lines, under: tracer)
      trace = try CallTrace(tracer.trace)
      tries += 1
      // Where the program has several threads, it may be that none reached this call.
    } while trace.injected.isEmpty && tries < 4
    guard !trace.injected.isEmpty else { return }
    tally.tried += 1
    if end.isReported { tally.reported += 1 } else { tally.silent += 1 }
    if !end.refused.isEmpty { tally.refused += 1 }
    let isLeft = try stream.journalNames.contains { $0.hasSuffix(".journal") }
    if isLeft { tally.left += 1 }
    let about = "\(about): \(end.status) \(end.errors) \(end.lines)"
    #expect(!end.isCrash, "\(about)")
    // Edits whose answers could not be written may have been made.
    let made = tracer.files.paths == stream.answerFiles.paths ? Array(1...5) : end.acknowledged
    let saved = try count(of: made, in: stream)
    #expect(saved >= 0, "\(about): the file is neither old nor new")
    if end.isSaveAnswered {
      #expect(saved >= made.count { Self.before.contains($0) }, "\(about): said to be saved, and is not")
    }
    if end.status == 0 {
      #expect(saved == made.count, "\(about): ended well, and not all is saved")
    } else {
      let last = end.errors.split(separator: "\n").last ?? ""
      #expect(last.hasPrefix(#"{"error":{"code":"#), "\(about)")
    }
    let isMute = tracer.files.paths == stream.answerFiles.paths
    #expect(!isLeft || !isMute, "\(about): a stream without a reader did not save")
    #expect(end.status != 0 || !isMute, "\(about): the closed stdout was not reported")
    if !end.isReported { try note(trace, in: stream, &tally) }
    try stream.edit()
    let kept = try count(of: made, in: stream)
    if kept < end.acknowledged.count { tally.lost += 1 }
    #expect(kept >= end.acknowledged.count, "\(about): lost, or refused and there")
    try stream.expectNoLeftovers(about)
  }

  /// The number of these edits that the file holds, from the first one on; -1 where it holds anything else.
  private func count(of edits: [Int], in stream: StreamCase) throws -> Int {
    let found = StreamCase.Places(in: try stream.file.read())
    return (0...edits.count).last { found == StreamCase.Places(after: edits.prefix($0)) } ?? -1
  }

  private static let ignored = "of the folder, while the rollback journal lies in it: SQLite does not look"
  private static let atTheEnd =
    "when everything is saved and the journal ends: its lock stays, for the next command"

  /// Counts the failed syncs that were not reported, and that no later sync of the same file repeated.
  private func note(_ trace: CallTrace, in stream: StreamCase, _ tally: inout Tally) throws {
    let lines = trace.calls.map(\.text)
    let isLocked = try stream.journalNames.contains { $0.hasSuffix(".lock") }
    for (index, failed) in lines.enumerated() where failed.contains("(INJECTED") && failed.contains("sync(") {
      // fdatasync(11</path>) = -1 EIO …
      let path = failed.drop { $0 != "<" }.prefix { $0 != ">" } + ">"
      let isBeside =
        lines[..<index].last {
          $0.contains(".emojiart-journal\"") && ($0.contains("O_CREAT") || $0.hasPrefix("unlink("))
        }?
        .contains("O_CREAT") ?? false
      if path.hasSuffix("/documents>"), isBeside {
        tally.unreportedSyncs[Self.ignored, default: 0] += 1
      } else if isLocked {
        tally.unreportedSyncs[Self.atTheEnd, default: 0] += 1
      } else if !lines[index...].contains(where: {
        $0.contains("sync(") && $0.contains(path) && $0.hasSuffix("= 0")
      }) {
        tally.unreportedSyncs[failed, default: 0] += 1
      }
    }
  }
}
