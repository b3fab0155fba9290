// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// A power cut while a stream of the real program edits, saves and closes. Its journal is not synced: a cut may leave segments that
/// are empty, torn or already removed, and none of them may harm the saved edits.
@Suite struct StreamPowerCutTests {
  private static let name = "cut.emojiart"

  @Test("F15 an acknowledged save of a stream is there after a power cut, and its journal does it no harm")
  func stream() throws {
    let folder = try Workspace()
    let file = try folder.document(Self.name)
    let emoji = try file.add(seed: 1)
    let before = try file.read()
    var writer = try StreamWriter(emoji, in: before, row: 1_000)
    var random = SplitMix64(seed: 30)
    var input: [UInt8] = []
    for _ in 0..<12 { input += writer.lines(1 + random.below(60), &random) + writer.saveLine() }
    input += writer.lines(5, &random)
    let script = folder.path + ".lines"
    defer { unlink(script) }
    try write(input, to: script)
    var recording = try Recording(of: folder.path)
    try recording.record(
      "/bin/sh", ["-c", #"exec "$0" edit "$1" --json < "$2""#, emojiart, file.path, script],
      environment: ["EMOJIART_STATE": folder["state"]]
    ) { $0.hasPrefix(#"{"saved":{"revision":"#) }
    let power = try PowerCut(recording)
    let sent = writer
    var restores = Restores()
    let campaign = Campaign("power-cuts-of-a-stream", smoke: 100)
    let outcome = try power.cut(campaign) { remains in
      let file = DocumentFile("\(remains.folder)/\(Self.name)", timeout: .zero)
      let saved = try file.read()
      let promised = remains.answer.flatMap { Int($0.filter(\.isNumber)) } ?? before.revision
      guard saved.revision >= promised else { return .lost }
      guard let lines = sent.lines(in: saved) else { return .torn("not what the first lines make") }
      // Each line except the saves is an edit.
      guard sent.sent[..<lines].count(where: { $0 != .save }) == saved.revision - before.revision else {
        return .torn("revision \(saved.revision) after \(lines) lines")
      }
      try restores.restore(remains, into: file)
      let after = try file.read()
      guard let all = sent.lines(in: after), all >= lines else { return .torn("restoring does harm") }
      return .kept
    }
    print(
      "F15 power cut in a stream: \(outcome.cuts) cuts in \(recording.events.count) steps of \(power.answers) saves: "
        + "lost \(outcome.lost), torn \(outcome.torn); \(restores.journals) left a journal of edits, \(restores.damaged) of them damaged, "
        + "\(restores.edits) edits restored")
    #expect(outcome.faults == [])
    campaign.report(tried: outcome.cuts)
    #expect(power.answers >= 12 && outcome.cuts == campaign.count)
    #expect(restores.journals > 0 && restores.damaged > 0 && restores.edits > 0)
  }

  @Test(
    "F15 a power cut while edits are restored leaves them in the journal or restored, and never restored twice"
  )
  func restoring() throws {
    let folder = try Workspace()
    let file = try folder.document(Self.name)
    let emoji = try file.add(seed: 1)
    var writer = try StreamWriter(emoji, in: try file.read(), row: 1_000)
    var random = SplitMix64(seed: 31)
    let errors = folder.path + ".errors"
    defer { unlink(errors) }
    let state = ["EMOJIART_STATE": folder["state"]]
    let stream = try SpawnedProgram(
      emojiart, ["edit", file.path, "--json"],
      environment: ProcessInfo.processInfo.environment.merging(state) { $1 },
      errors: errors)
    stream.send(writer.lines(15, &random))
    while writer.answered.count < writer.sent.count, let lines = try stream.lines() { writer.receive(lines) }
    stream.kill()
    try stream.wait()
    let saved = try #require(writer.lines(in: try file.read()))
    try #require(writer.unexpected == nil && saved < writer.answered.count, "\(writer.unexpected ?? "saved")")
    var recording = try Recording(of: folder.path)
    try recording.record(emojiart, ["restore", file.path], environment: state)
    let power = try PowerCut(recording)
    let sent = writer
    let campaign = Campaign("power-cuts-of-a-restore", smoke: 40)
    let outcome = try power.cut(campaign) { remains in
      let file = DocumentFile("\(remains.folder)/\(Self.name)", timeout: .zero)
      guard let found = sent.lines(in: try file.read()), [saved, sent.sent.count].contains(found) else {
        return .torn("restored in part")
      }
      guard found > saved || remains.answers == 0 else { return .lost }
      var maker = try EditMaker(seed: UInt64(remains.number))
      for journal in try JournalFolder("\(remains.folder)/state/journal").lockOrphans() {
        _ = try file.restore(journal, stamp: maker.stamp())
      }
      try file.resolveHotJournal()
      guard sent.lines(in: try file.read()) == sent.sent.count else { return .lost }
      let names = try FileManager.default.contentsOfDirectory(atPath: remains.folder)
      return names.filter { $0 != "state" } == [Self.name] ? .kept : .torn("left \(names)")
    }
    print(
      "F15 power cut in a restore: \(outcome.cuts) cuts in \(recording.events.count) steps: lost \(outcome.lost), "
        + "torn \(outcome.torn)")
    #expect(outcome.faults == [])
    campaign.report(tried: outcome.cuts)
    #expect(power.answers > 0 && outcome.cuts == campaign.count)
  }
}
