// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// The real program, killed or failing at every system call that it makes, by means of `strace`.
@Suite struct SweepTests {
  /// The program's state folder.
  private let state: Workspace

  init() throws { state = try Workspace() }

  /// The names that the program left in its state folder, except the quarantine and the recent emoji.
  private var leftInState: [String] {
    get throws { try state.names.filter { !["aside", "recent.json", "recent.json.new"].contains($0) } }
  }

  /// Empties the program's state folder, so that each run makes the same system calls.
  private func clearState() throws {
    for name in try state.names { try FileManager.default.removeItem(atPath: state[name]) }
  }

  /// The system calls of a run, in order; with `onlyOurs` from the first one about the document on.
  private func calls(_ folder: Workspace, _ arguments: [String], onlyOurs: Bool = true) throws -> [SystemCall]
  {
    let trace = folder.path + ".trace"
    defer { unlink(trace) }
    try clearState()
    let ended = try run(
      "strace", ["-f", "-qq", "-o", trace, emojiart] + arguments, environment: ["EMOJIART_STATE": state.path])
    try #require(ended.status == 0, "\(ended.errors)")
    let calls = try CallTrace(trace).calls
    return onlyOurs ? calls.from(folder.path) : calls
  }

  /// Runs the program with one call tampered with.
  private func tampered(
    _ call: SystemCall, _ fault: String, from: String = "", _ arguments: [String]
  ) throws -> Ended {
    try clearState()
    return try run(
      "strace",
      [
        "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(call.name):\(fault):when=\(call.number)\(from)",
        emojiart,
      ] + arguments, environment: ["EMOJIART_STATE": state.path])
  }

  /// Runs the program on the files that `prepare` makes, killed at a call. A run may end without that call: the id of a new emoji
  /// is random, and so is whether its row splits a page. It is tried again then.
  private func runKilled(_ call: SystemCall, _ arguments: [String], prepare: () throws -> Void) throws
    -> Ended
  {
    var ended: Ended
    var tries = 0
    repeat {
      try prepare()
      ended = try tampered(call, "signal=KILL", arguments)
      tries += 1
    } while !ended.isCrash && tries < 20
    return ended
  }

  /// How many kills of some calls must hit. Of the few of a short run a busy machine may miss more, since a run that waits for
  /// another program makes more calls than those after it.
  private func wanted(of calls: Int, _ campaign: Campaign) -> Int {
    campaign.isRunning ? calls - max(1, calls / 50) : calls * 9 / 10
  }

  /// Runs the program with the state folder that a killed one left.
  private func addAnother(to file: DocumentFile, _ about: String) throws {
    let revision = try file.read().revision
    let ended = try run(emojiart, ["add", file.path, "🌼"], environment: ["EMOJIART_STATE": state.path])
    #expect(try ended.status == 0 && file.read().revision == revision + 1, "\(about): \(ended)")
    #expect(try leftInState == [], "\(about)")
  }

  @Test("F14 new, killed at any system call, leaves nothing or the whole document")
  func killedNew() throws {
    let folder = try Workspace()
    let path = folder["bees.emojiart"]
    var (killed, nothing, whole) = (0, 0, 0)
    let campaign = Campaign("kills-of-new", smoke: 12)
    let calls = try calls(folder, ["new", path], onlyOurs: false)
    let chosen = campaign.chosen(of: calls, state: \.written)
    for call in chosen {
      let ended = try runKilled(call, ["new", path]) { unlink(path) }
      guard ended.isCrash else { continue }
      killed += 1
      let names = try folder.names
      if names.isEmpty {
        nothing += 1
        #expect(try ended.output.isEmpty && leftInState == [], "\(call)")
      } else {
        #expect(try names == ["bees.emojiart"] && leftInState == [], "\(call)")
        #expect(try DocumentFile(path).check().faults == [], "\(call)")
        whole += 1
      }
    }
    print(
      "F14 new: \(calls.count) system calls, killed at \(killed) of \(chosen.count): nothing \(nothing), whole \(whole)"
    )
    campaign.report(tried: chosen.count, places: calls.count)
    #expect(killed >= wanted(of: chosen.count, campaign))
    expectEach(["nothing": nothing, "whole": whole], campaign)
  }

  private func sweepEdit(
    _ what: String, _ campaign: Campaign, emojis: Int, onlyOurs: Bool = true, _ arguments: [String]
  ) throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: emojis, edits: 2, seed: 5)
    let start = try bytes(file.path)
    let old = try file.read()
    var (killed, stayed, done, beside) = (0, 0, 0, 0)
    let command = [arguments[0], file.path] + arguments.dropFirst()
    let calls = try calls(folder, command, onlyOurs: onlyOurs)
    let chosen = campaign.chosen(of: calls, state: \.written)
    for (index, call) in chosen.enumerated() {
      let ended = try runKilled(call, command) { try write(start, to: file.path) }
      guard ended.isCrash else { continue }
      killed += 1
      let names = try folder.names
      if names.count > 1 { beside += 1 }
      #expect(names.allSatisfy { ["bees.emojiart", "bees.emojiart-journal"].contains($0) }, "\(call)")
      let prints = try fingerprint(file.path)
      let found = try file.read()
      #expect(try fingerprint(file.path) == prints, "\(call)")
      if found == old { stayed += 1 } else { done += 1 }
      #expect(found.revision == old.revision || found.revision == old.revision + 1, "\(call)")
      #expect(ended.output.isEmpty || found.revision == old.revision + 1, "\(call): answered, not there")
      // The next editing command finds a whole document, and leaves nothing beside it.
      let id = try file.add(seed: 100_000 + UInt64(index))
      #expect(try folder.names == ["bees.emojiart"] && leftInState == [], "\(call)")
      let after = try file.read()
      #expect(after.revision == found.revision + 1, "\(call)")
      #expect(after.emojisInOrder().filter { $0.id != id } == found.emojisInOrder(), "\(call)")
      try addAnother(to: file, "\(call)")
    }
    print(
      "F14 \(what): \(calls.count) system calls, killed at \(killed) of \(chosen.count): old \(stayed), new \(done), "
        + "journal \(beside), which the next command dealt with")
    campaign.report(tried: chosen.count, places: calls.count)
    #expect(killed >= wanted(of: chosen.count, campaign))
    expectEach(["old": stayed, "new": done, "journal": beside], campaign)
  }

  @Test("F14 an edit, killed at any system call, leaves the old state or the new one")
  func killedEdit() throws {
    try sweepEdit("add", Campaign("kills-of-add", smoke: 16), emojis: 10, onlyOurs: false, ["add", "🐝"])
  }

  @Test("F14 an edit of many pages, killed at any system call, leaves the old state or the new one")
  func killedLargeEdit() throws {
    let campaign = Campaign("kills-of-move", smoke: 12)
    try sweepEdit(
      "move --all", campaign, emojis: campaign.isRunning ? 1_000 : 60,
      ["move", "--all", "--by", "1,1"])
  }

  @Test(
    "F14 a version that is kept or removed, killed at any system call, is there or not",
    arguments: [false, true])
  func killedVersion(isRemoval: Bool) throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 3, edits: 2, seed: 5)
    let arguments = ["version", file.path]
    if isRemoval { #expect(try run(emojiart, arguments + ["draft"]).status == 0) }
    let (start, old, versions) = (try bytes(file.path), try file.read(), try file.versions())
    let command = arguments + (isRemoval ? ["--remove", "draft"] : ["draft"])
    var (killed, stayed, done) = (0, 0, 0)
    let campaign = Campaign(isRemoval ? "kills-of-a-removed-version" : "kills-of-a-version", smoke: 12)
    let calls = try calls(folder, command)
    let chosen = campaign.chosen(of: calls, state: \.written)
    for call in chosen {
      let ended = try runKilled(call, command) { try write(start, to: file.path) }
      guard ended.isCrash else { continue }
      killed += 1
      let found = try file.versions().map(\.name)
      if found == versions.map(\.name) { stayed += 1 } else { done += 1 }
      #expect(found == versions.map(\.name) || found == (isRemoval ? [] : ["draft"]), "\(call)")
      #expect(ended.output.isEmpty || found != versions.map(\.name), "\(call): answered, not done")
      #expect(try file.read() == old, "\(call)")
      try addAnother(to: file, "\(call)")
      #expect(try file.versions().map(\.name) == found && file.check().faults == [], "\(call)")
      #expect(try folder.names == ["bees.emojiart"], "\(call)")
    }
    print(
      "F14 \(command[0]) \(isRemoval ? "removed" : "kept"): \(calls.count) system calls, killed at \(killed) of \(chosen.count): "
        + "old \(stayed), new \(done)")
    campaign.report(tried: chosen.count, places: calls.count)
    #expect(killed >= wanted(of: chosen.count, campaign))
    expectEach(["old": stayed, "new": done], campaign)
  }

  @Test("F14 the rollback of an interrupted save, killed at any system call, is finished by the next command")
  func killedRecovery() throws {
    let folder = try Workspace()
    let (file, whole) = try folder.crashed()
    let (start, journal) = (try bytes(file.path), try bytes(file.path + "-journal"))
    try write(whole, to: file.path + "-whole")
    let old = try DocumentFile(file.path + "-whole").read()
    unlink(file.path + "-whole")
    let command = ["add", file.path, "🐝"]
    var (killed, stayed, done) = (0, 0, 0)
    let campaign = Campaign("kills-of-a-recovery", smoke: 12)
    let calls = try calls(folder, command)
    let chosen = campaign.chosen(of: calls, state: \.written)
    for (index, call) in chosen.enumerated() {
      let ended = try runKilled(call, command) {
        try write(start, to: file.path)
        try write(journal, to: file.path + "-journal")
      }
      guard ended.isCrash else { continue }
      killed += 1
      let found = try file.read()
      if found == old { stayed += 1 } else { done += 1 }
      #expect(found.revision == old.revision || found.revision == old.revision + 1, "\(call)")
      try file.add(seed: 100_000 + UInt64(index))
      #expect(try folder.names == ["bees.emojiart"] && leftInState == [], "\(call)")
      #expect(try file.read().revision == found.revision + 1, "\(call)")
      try addAnother(to: file, "\(call)")
    }
    print(
      "F14 recovery: \(calls.count) system calls, killed at \(killed) of \(chosen.count): old \(stayed), new \(done)"
    )
    campaign.report(tried: chosen.count, places: calls.count)
    #expect(killed >= wanted(of: chosen.count, campaign))
    expectEach(["old": stayed, "new": done], campaign)
  }

  @Test("F14 a repair, killed at any system call, leaves the old file or the repaired one")
  func killedRepair() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 10, edits: 2, seed: 5)
    let whole = try file.read()
    try shell(file.path, "UPDATE emoji SET z = 1")
    let start = try bytes(file.path)
    let command = ["check", "--repair", "--yes", file.path]
    var (killed, stayed, repaired) = (0, 0, 0)
    let campaign = Campaign("kills-of-a-repair", smoke: 12)
    let calls = try calls(folder, command)
    let chosen = campaign.chosen(of: calls, state: \.written)
    var maker = try EditMaker(seed: 6)
    for call in chosen {
      let ended = try runKilled(call, command) {
        unlink(file.path)
        try write(start, to: file.path)
      }
      guard ended.isCrash else { continue }
      killed += 1
      if try bytes(file.path) == start { stayed += 1 } else { repaired += 1 }
      #expect(try file.check().faults.isEmpty == (try bytes(file.path) != start), "\(call)")
      _ = try file.repair(.repair, stamp: maker.stamp())
      #expect(try file.check().faults == [], "\(call)")
      // Every emoji of this file is unverified, and its log is verified.
      #expect(try file.read().log.prefix(whole.log.count).elementsEqual(whole.log), "\(call)")
    }
    // The last repair of a damaged file removes what a killed one left.
    try write(start, to: file.path)
    _ = try file.repair(.repair, stamp: maker.stamp())
    #expect(try folder.names == ["bees.emojiart"])
    print(
      "F14 repair: \(calls.count) system calls, killed at \(killed) of \(chosen.count): old \(stayed), mended \(repaired)"
    )
    campaign.report(tried: chosen.count, places: calls.count)
    #expect(killed >= wanted(of: chosen.count, campaign))
    expectEach(["old": stayed, "mended": repaired], campaign)
  }

  @Test(
    "F17 an edit whose system calls fail is in the file if it was acknowledged, and not if it was refused")
  func failingCalls() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 10, edits: 2, seed: 5)
    let start = try bytes(file.path)
    let old = try file.read()
    var (tried, answered, refused, unknown) = (0, 0, 0, 0)
    let command = ["add", file.path, "🐝"]
    // Calls of the C library before the program begins are left out, as are the end of all memory, and a failing lock between
    // threads, which no kernel causes.
    let others = ["close", "exit_group", "brk", "mmap", "munmap", "futex", "gettid"]
    let campaign = Campaign("failing-calls", smoke: 8)
    let calls = try calls(folder, command).filter { !others.contains($0.name) }
    let chosen = campaign.chosen(of: calls, state: \.written)
    for call in chosen {
      // Each call alone, and with all later ones.
      for (number, from) in [("EIO", ""), ("ENOSPC", ""), ("EIO", "+")] {
        try write(start, to: file.path)
        let ended = try tampered(call, "error=\(number)", from: from, command)
        tried += 1
        let about = "\(call) \(number): \(ended.status) \(ended.errors)"
        #expect(!ended.isCrash, "\(about)")
        let found = try file.read()
        #expect(found.revision == old.revision || found.revision == old.revision + 1, "\(about)")
        if ended.status == 0 {
          answered += 1
          #expect(found.revision == old.revision + 1, "\(about)")
        } else if ended.errors.contains("may or may not") || call.name == "write" {
          // A failed write is that of the answer itself.
          unknown += 1
        } else {
          refused += 1
          #expect(found == old, "\(about)")
          if number == "ENOSPC", call.name == "pwrite64" {
            #expect(ended.status == 74 && ended.errors.contains("the disk is full"), "\(about)")
          }
        }
        try file.add(seed: 100_000)
        #expect(try folder.names == ["bees.emojiart"], "\(about)")
      }
    }
    print(
      "F17 failing calls: \(tried) tried, answered \(answered), refused \(refused), unknown \(unknown)")
    campaign.report(tried: chosen.count, places: calls.count)
    #expect(tried == 3 * chosen.count)
    expectEach(["answered": answered, "refused": refused, "unknown": unknown], campaign)
  }
}
