// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite struct JournalTests {
  @Test("F14 a document with an interrupted save is read in its old state, and no file is changed")
  func reading() throws {
    let folder = try Workspace()
    let (file, whole) = try folder.crashed()
    try write(whole, to: folder["whole.emojiart"])
    let before = try DocumentFile(folder["whole.emojiart"]).read()
    let paths = [file.path, file.path + "-journal", folder.path]
    let prints = try paths.map(fingerprint)
    #expect(try file.read() == before)
    #expect(try file.summary().revision == before.revision)
    #expect(try file.check().faults.isEmpty)
    #expect(try paths.map(fingerprint) == prints)
  }

  @Test(
    "F23 an edit rolls an interrupted save back, copies the file to the quarantine, and leaves nothing beside the document"
  )
  func rollingBack() throws {
    let folder = try Workspace()
    let (file, whole) = try folder.crashed()
    let torn = try bytes(file.path)
    let notices = NoticeLog()
    let id = try DocumentFile(file.path, notice: { notices.append("\($0)") }).add(seed: 8)
    #expect(notices.lines.contains { $0.contains("rolled back") })
    #expect(try folder.names == ["bees.emojiart"])
    try write(whole, to: folder["whole.emojiart"])
    let before = try DocumentFile(folder["whole.emojiart"]).read()
    let now = try file.read()
    #expect(now.emojiCount == before.emojiCount + 1 && now.revision == before.revision + 1)
    #expect(now.emojisInOrder().filter { $0.id != id } == before.emojisInOrder())
    let kept = try TestState.asideFiles().contains { try bytes($0) == torn }
    #expect(kept)
  }

  @Test("F23 a whole document beside a foreign journal is not rolled back")
  func spentJournal() throws {
    let folder = try Workspace()
    let (file, _) = try folder.crashed()
    let other = try folder.document("other.emojiart", seed: 77)
    try other.fill(emojis: 500, edits: 3, seed: 77)
    let content = try other.read()
    let whole = try bytes(other.path)
    // A whole document replaces the crashed one: SQLite itself would tear it.
    try write(whole, to: file.path)
    try write(whole, to: folder["control.emojiart"])
    try write(try bytes(file.path + "-journal"), to: folder["control.emojiart-journal"])
    _ = try run("sqlite3", [folder["control.emojiart"], "SELECT count(*) FROM emoji"])
    #expect(try bytes(folder["control.emojiart"]) != whole, "the control: SQLite tears the document")
    #expect(try file.read() == content)
    let notices = NoticeLog()
    try DocumentFile(file.path, notice: { notices.append("\($0)") }).add(seed: 3)
    #expect(notices.lines.contains { $0.contains("quarantined") })
    #expect(try file.read().emojiCount == content.emojiCount + 1)
    #expect(access(file.path + "-journal", F_OK) != 0)
  }

  @Test("F23 resolving removes a journal that a killed save had only begun")
  func unfinishedJournal() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 5, edits: 2, seed: 1)
    let before = try file.read()
    let prints = try fingerprint(file.path)
    try file.resolveHotJournal()
    #expect(try fingerprint(file.path) == prints)
    for begun in [[], [UInt8](repeating: 0, count: 512), [UInt8](repeating: 0, count: 9_000)] {
      try write(begun, to: file.path + "-journal")
      try file.resolveHotJournal()
      #expect(try folder.names == ["bees.emojiart"])
      #expect(try file.read() == before)
    }
    let (crashed, _) = try folder.crashed("crashed.emojiart")
    try crashed.resolveHotJournal()
    #expect(try folder.names == ["bees.emojiart", "crashed.emojiart"])
  }

  @Test(
    "F23 where neither the file nor its rollback is whole, both stay as they are and the error says damaged")
  func bothDamaged() throws {
    let folder = try Workspace()
    let (file, _) = try folder.crashed()
    var torn = try bytes(file.path)
    // The journal does not cover this page of emoji, so it cannot be restored; every page past the fifth is damaged.
    for index in stride(from: 5 * 4096, to: torn.count, by: 1) { torn[index] ^= 0x55 }
    try write(torn, to: file.path)
    var journal = try bytes(file.path + "-journal")
    for index in stride(from: 600, to: journal.count, by: 97) { journal[index] ^= 0x0F }
    try write(journal, to: file.path + "-journal")
    #expect(failure { try file.read() }?.code == .damaged)
    #expect(failure { try file.add(seed: 1) }?.code == .damaged)
    #expect(try bytes(file.path) == torn && bytes(file.path + "-journal") == journal)
  }

  @Test("F14 an interrupted save that left the file without its header is rolled back like any other")
  func tornHeader() throws {
    let folder = try Workspace()
    let (file, whole) = try folder.crashed()
    try write(whole, to: folder["whole.emojiart"])
    let before = try DocumentFile(folder["whole.emojiart"]).read()
    var torn = try bytes(file.path)
    for index in 0..<512 { torn[index] = UInt8(truncatingIfNeeded: index * 31 + 7) }
    try write(torn, to: file.path)
    let journal = try bytes(file.path + "-journal")
    #expect(try file.read() == before)
    #expect(try file.summary().revision == before.revision)
    #expect(try file.check().faults == [])
    try file.add(seed: 8)
    #expect(try file.read().revision == before.revision + 1)
    // A file that is not a document stays as it is, whatever journal is beside it.
    for rest in [Array(torn.prefix(600)), Array("a letter".utf8)] {
      try write(rest, to: file.path)
      try write(journal, to: file.path + "-journal")
      #expect(failure { try file.check() }?.code == .notADocument)
      #expect(failure { try file.add(seed: 9) }?.code == .damaged)
      #expect(try bytes(file.path) == rest && bytes(file.path + "-journal") == journal)
    }
  }

  @Test("F24 a journal that names other files is refused, and those files are left alone")
  func superJournal() throws {
    let folder = try Workspace()
    let (file, _) = try folder.crashed()
    for name in ["victim", "control-victim"] { try write(Array("precious".utf8), to: folder[name]) }
    let journal = try bytes(file.path + "-journal")
    func naming(_ victim: String) -> [UInt8] {
      func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
      let name = Array(victim.utf8)
      let check = name.reduce(0) { $0 + Int($1) }
      // https://www.sqlite.org/fileformat.html, section 3; the page number is that of the lock byte.
      return journal + big((1 << 30) / 4096 + 1) + name + big(name.count) + big(check)
        + [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    }
    try write(try bytes(file.path), to: folder["control.emojiart"])
    try write(naming(folder["control-victim"]), to: folder["control.emojiart-journal"])
    _ = try run("sqlite3", [folder["control.emojiart"], "SELECT count(*) FROM emoji"])
    #expect(access(folder["control-victim"], F_OK) != 0, "the control: SQLite deletes the file")
    try write(naming(folder["victim"]), to: file.path + "-journal")
    #expect(failure { try file.read() }?.code == .damaged)
    #expect(failure { try file.add(seed: 1) }?.code == .damaged)
    #expect(failure { try file.summary() }?.code == .damaged)
    #expect(try file.check().faults.isEmpty == false)
    var maker = try EditMaker(seed: 5)
    _ = try file.repair(.repair, stamp: maker.stamp())
    #expect(try bytes(folder["victim"]) == Array("precious".utf8))
    #expect(try file.check().faults.isEmpty)
    #expect(access(file.path + "-journal", F_OK) != 0)
  }

  @Test("F13 commands that only read open the document read-only and change nothing in its folder")
  func readOnlyCommands() throws {
    let folder = try Workspace()
    let plain = try folder.document("plain.emojiart")
    try plain.fill(emojis: 5, edits: 3, seed: 2)
    let (crashed, _) = try folder.crashed()
    let prints = try ([folder.path] + folder.names.map { folder[$0] }).map(fingerprint)
    for file in [plain, crashed] {
      for arguments in [
        ["show", file.path], ["show", file.path, "--json"], ["history", file.path], ["check", file.path],
        ["list", folder.path],
      ] {
        let trace = folder.path + ".trace"
        defer { unlink(trace) }
        let ended = try run(
          "strace", ["-f", "-o", trace, "-e", "trace=file,fchmod,ftruncate", emojiart] + arguments)
        #expect(ended.status == 0, "\(arguments): \(ended.errors)")
        let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
          .filter { $0.contains(folder.path) }
        #expect(calls.contains { $0.contains("openat") })
        let changing = calls.filter { call in
          [
            "O_RDWR", "O_WRONLY", "O_CREAT", "O_TRUNC", "O_TMPFILE", "unlink", "rename", "mkdir", "chmod",
            "utime", "link(",
          ]
          .contains { call.contains($0) }
        }
        .filter { !$0.contains("readlink") }
        #expect(changing.isEmpty, "\(arguments)")
      }
    }
    #expect(try ([folder.path] + folder.names.map { folder[$0] }).map(fingerprint) == prints)
  }
}
