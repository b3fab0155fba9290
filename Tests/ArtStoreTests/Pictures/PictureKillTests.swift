// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// A program that sets a background, killed at its system calls by `strace`.
@Suite("Backgrounds and kills") struct PictureKillTests {
  private static let writer = (emojiart as NSString).deletingLastPathComponent + "/PictureWriter"

  private let space: Workspace
  private let file: DocumentFile
  private let start: [UInt8]
  private let state: String
  /// Numbers and sizes: the first picture is written to the file before the commit, the second is not.
  private static let pictures = [(2, 4 << 20), (3, 60_000)]

  init() throws {
    space = try Workspace()
    mkdir(space["documents"], 0o755)
    state = space["state"]
    file = try space.document("documents/bees.emojiart")
    var maker = try EditMaker(seed: 3)
    try file.add(seed: 4)
    try file.set(picture(1, bytes: 50_000), from: url(1), maker.stamp())
    start = try bytes(file.path)
    for (number, size) in Self.pictures {
      try write(picture(number, bytes: size).bytes, to: space["\(number).png"])
    }
  }

  /// Arguments that make strace kill the program at a call.
  private func kill(_ call: SystemCall) -> [String] {
    ["-e", "inject=\(call.name):signal=KILL:when=\(call.number)"]
  }

  private func run(_ tampering: [String], trace: String = "/dev/null", _ how: String, _ number: Int) throws
    -> Ended
  {
    let path = how == "new" ? space["documents/new.emojiart"] : file.path
    return try ArtStoreTests.run(
      "strace", ["-f", "-qq", "-o", trace] + tampering + [Self.writer, how, path, space["\(number).png"]],
      environment: ["EMOJIART_STATE": state, "TMPDIR": space.path])
  }

  /// The system calls of a run from the first one about the documents on.
  private func calls(_ how: String, _ number: Int) throws -> [SystemCall] {
    let trace = space["trace"]
    defer { unlink(trace) }
    let ended = try run([], trace: trace, how, number)
    try #require(ended.output.hasPrefix("ok\n"), "\(ended)")
    return try CallTrace(trace).calls.from(space["documents"])
  }

  /// Puts the document back, without a state folder.
  private func reset() throws {
    for name in try names { unlink(space["documents/\(name)"]) }
    try write(start, to: file.path)
    try? FileManager.default.removeItem(atPath: state)
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: space["documents"]).sorted() }
  }

  private struct Tally {
    var killed = 0
    var answered = 0
    var old = 0
    var new = 0
    var journals = 0
  }

  private func sweep(_ how: String, _ campaign: Campaign, _ number: Int, _ size: Int) throws {
    let wanted = try picture(number, bytes: size)
    try reset()
    let calls = try calls(how, number)
    let chosen = campaign.chosen(of: calls, state: \.written)
    var tally = Tally()
    for (index, call) in chosen.enumerated() {
      try reset()
      let ended = try run(kill(call), how, number)
      let about = "\(how) \(number) \(call)"
      if ended.isCrash { tally.killed += 1 }
      let isAnswered = ended.output.hasPrefix("ok\n")
      if isAnswered { tally.answered += 1 }
      #expect(try names.allSatisfy { ["bees.emojiart", "bees.emojiart-journal"].contains($0) }, "\(about)")
      if try names.count > 1 { tally.journals += 1 }
      // Reading gives the old state or the new one, and changes nothing.
      let prints = try fingerprint(file.path)
      let content = try file.read()
      try file.checkPictures(about)
      #expect(try fingerprint(file.path) == prints, "\(about)")
      #expect(content.revision == 2 || content.revision == 3, "\(about)")
      // An acknowledged background is there after a restore and the next edit.
      for journal in try JournalFolder(state + "/journal").orphansIfAny() {
        var maker = try EditMaker(seed: 300 + UInt64(index))
        _ = try file.restore(journal, stamp: maker.stamp())
      }
      try file.add(seed: 100_000 + UInt64(index))
      let found = try #require(try file.background())
      #expect(try [wanted.bytes, picture(1, bytes: 50_000).bytes].contains(found.bytes), "\(about)")
      if found.bytes == wanted.bytes { tally.new += 1 } else { tally.old += 1 }
      #expect(!isAnswered || found.bytes == wanted.bytes, "\(about): answered, not there")
      #expect(try names == ["bees.emojiart"], "\(about)")
      #expect(try file.check().faults == [], "\(about)")
      try file.checkPictures(about)
    }
    print(
      "B18 \(how), \(size) bytes: \(calls.count) system calls, killed at \(tally.killed) of \(chosen.count): "
        + "old \(tally.old), new \(tally.new), answered \(tally.answered), journal \(tally.journals), which the next command "
        + "dealt with")
    campaign.report(tried: chosen.count, places: calls.count)
    #expect(tally.killed >= chosen.count * 7 / 10)
    expectEach(["old": tally.old, "new": tally.new, "journal": tally.journals], campaign)
  }

  @Test(
    "B18 setting a background, killed at any system call, leaves the old one or the new one with its bytes",
    arguments: pictures)
  func killedEdit(_ picture: (Int, Int)) throws {
    try sweep("edit", Campaign("kills-of-a-background", smoke: 8), picture.0, picture.1)
  }

  @Test(
    "B18 an acknowledged background of an open document is there whenever the program is killed",
    arguments: pictures)
  func killedStream(_ picture: (Int, Int)) throws {
    try sweep("stream", Campaign("kills-of-an-open-background", smoke: 8), picture.0, picture.1)
  }

  @Test("B18 a new document with a background, killed at any system call, is whole or absent")
  func killedNew() throws {
    let number = 2
    let wanted = try picture(number, bytes: 4 << 20)
    try reset()
    let campaign = Campaign("kills-of-a-new-background", smoke: 10)
    let calls = try calls("new", number)
    let chosen = campaign.chosen(of: calls, state: \.written)
    var (killed, nothing, whole) = (0, 0, 0)
    for call in chosen {
      try reset()
      unlink(file.path)
      if try run(kill(call), "new", number).isCrash {
        killed += 1
      }
      guard try !names.isEmpty else {
        nothing += 1
        continue
      }
      let new = DocumentFile(space["documents/new.emojiart"])
      #expect(try names == ["new.emojiart"] && new.check().faults == [], "\(call)")
      #expect(try new.background()?.bytes == wanted.bytes, "\(call)")
      whole += 1
    }
    print(
      "B18 new: \(calls.count) system calls, killed at \(killed) of \(chosen.count): nothing \(nothing), whole \(whole)"
    )
    campaign.report(tried: chosen.count, places: calls.count)
    #expect(killed >= chosen.count * 7 / 10)
    expectEach(["nothing": nothing, "whole": whole], campaign)
  }

  @Test(
    "a picture of 20 MiB is in memory at most twice while it is stored, read, or set in a new document")
  func memory() throws {
    guard !AddressSanitizer.prevents("the memory of a picture of 20 MiB") else { return }
    let size = 20 << 20
    func peak(_ how: String, _ path: String, _ picture: String) throws -> Int {
      let ended = try ArtStoreTests.run(
        Self.writer, [how, path, picture], environment: ["EMOJIART_STATE": state, "TMPDIR": space.path])
      try #require(ended.status == 0, "\(how): \(ended)")
      let last = ended.output.split(separator: "\n").last.map(String.init) ?? ""
      return try #require(Int(last), "\(ended)") * 1_024
    }
    /// The peaks of all that is done with a picture.
    func peaks(_ name: String, bytes: Int) throws -> [(how: String, peak: Int)] {
      try write(picture(4, bytes: bytes).bytes, to: space[name])
      let new = space["documents/new-\(name).emojiart"]
      return try ["edit", "stream", "read", "new"].map { how in
        if how == "edit" || how == "stream" { try reset() }
        return (how, try peak(how, how == "new" ? new : file.path, space[name]))
      }
    }
    // The program that does the same with a small picture. Different work touches different pages of the program.
    let small = try peaks("small.png", bytes: 60_000)
    let large = try peaks("large.png", bytes: size)
    var figures: [String] = []
    for ((how, base), (_, peak)) in zip(small, large) {
      let above = peak - base
      figures.append("\(how) \(above / 1_000_000) MB")
      // A picture that is read is compared with the original, which is in memory once more.
      #expect(above < (how == "read" ? 3 : 2) * size + size * 2 / 5, "\(how)")
    }
    print("memory above that of a small picture, with one of \(size / 1_000_000) MB: \(figures)")
  }
}

extension JournalFolder {
  /// Locks the orphaned journals; none where the folder does not exist.
  fileprivate func orphansIfAny() throws -> [OrphanedJournal] {
    FileManager.default.fileExists(atPath: path) ? try lockOrphans() : []
  }
}
