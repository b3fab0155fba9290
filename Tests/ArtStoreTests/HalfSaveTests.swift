// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// Interrupted saves, in files that are reached by a name beside which their journal is not.
@Suite struct HalfSaveTests {
  /// A save that changes several pages of every table.
  private func halfSave(_ file: DocumentFile) throws -> HalfSave {
    try file.fill(emojis: 300, edits: 3, seed: 4)
    let before = try bytes(file.path)
    var maker = try EditMaker(seed: 5)
    let stamp = maker.stamp()
    let some = try file.read().emojisInOrder().filter { $0.id.description.hasPrefix("0") || $0.z % 3 == 0 }
    let moves = try some.map { Change.move($0.id, to: try Point(x: 3, y: 4)) }
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(Edit(name: "move", changes: moves), stamp: stamp)
    }
    let half = HalfSave(before: before, after: try bytes(file.path))
    try #require(half.pages.count > 4)
    return half
  }

  /// Makes interrupted saves and edits them under another name. `rename` makes that name and returns its path, and `back` undoes
  /// it.
  private func tryAll(
    in folder: Workspace, _ rename: (String) throws -> String, back: (String) throws -> Void
  ) throws -> (tried: Int, refused: Int) {
    let file = try folder.document()
    let half = try halfSave(file)
    var (tried, refused) = (0, 0)
    for written in 1..<half.pages.count {
      try write(half.file(written: written), to: file.path)
      try write(half.journal, to: file.path + "-journal")
      let other = DocumentFile(try rename(file.path))
      tried += 1
      let error = failure { try other.add(seed: 77) }
      if error?.code == .damaged { refused += 1 }
      try back(other.path)
      #expect(error?.code == .damaged, "\(written) pages: \(error.map { "\($0)" } ?? "answered")")
      // Under its own name the save is rolled back, and edits continue.
      let id = try file.add(seed: 78)
      let now = try file.read()
      #expect(now.emojiCount == 301 && now.emoji(id) != nil && now.revision == 5, "\(written) pages")
    }
    return (tried, refused)
  }

  @Test(
    "F25 no edit is made on top of an interrupted save without its journal: after a rename"
  )
  func renamed() throws {
    let folder = try Workspace()
    mkdir(folder["other"], 0o700)
    let count = try tryAll(in: folder) { path in
      let other = folder["other/bees.emojiart"]
      rename(path, other)
      // These files lack the mark of a running save in the header, as after a power cut: their times show it, if the clock ticked.
      while try DocumentFile(other).locate().wasWrittenLast {
        rename(other, path)
        rename(path, other)
      }
      return other
    } back: {
      rename($0, folder["bees.emojiart"])
    }
    #expect(count.tried == count.refused && count.tried > 3)
  }

  @Test(
    "F25 no edit is made on top of an interrupted save without its journal: under a hard link"
  )
  func linked() throws {
    let folder = try Workspace()
    let count = try tryAll(in: folder) { path in
      let other = folder["link.emojiart"]
      link(path, other)
      return other
    } back: {
      unlink($0)
    }
    #expect(count.tried == count.refused && count.tried > 3)
  }

  @Test(
    "F25 no edit is made on top of an interrupted save without its journal: under a mount"
  )
  func mounted() throws {
    let folder = try Workspace()
    let other = folder["mounted.emojiart"]
    let file = try folder.document()
    try write([], to: other)
    guard try run("mount", ["--bind", file.path, other]).status == 0 else {
      return Skip("no mounts")("F25 an interrupted save under a mount")
    }
    defer { _ = try? run("umount", [other]) }
    unlink(file.path + "-journal")
    let half = try halfSave(file)
    try write(half.file(written: 2), to: file.path)
    try write(half.journal, to: file.path + "-journal")
    #expect(failure { try DocumentFile(other).add(seed: 77) }?.code == .damaged)
    try file.add(seed: 78)
    #expect(try file.read().emojiCount == 301)
  }

  @Test("F25 the header alone shows a save that was killed, and no edit is made on top of it")
  func killed() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 3, edits: 3, seed: 6)
    let whole = try bytes(file.path)
    var (killed, halves, wholes) = (0, 0, 0)
    while true {
      try write(whole, to: file.path)
      unlink(file.path + "-journal")
      let ended = try run(
        "strace",
        ["-qq", "-f", "-o", "/dev/null", "-P", file.path, "-e", "trace=pwrite64", "-e"]
          + ["inject=pwrite64:signal=KILL:when=\(killed + 1)", emojiart, "add", file.path, "🐜", "🐜"])
      if ended.status == 0, !ended.isCrash { break }
      killed += 1
      let half = try bytes(file.path)
      guard half != whole else { continue }
      halves += 1
      // A copy has one name and is freshly written; only its bytes show the interrupted save.
      let copy = DocumentFile(folder["copy.emojiart"])
      unlink(copy.path)
      try write(half, to: copy.path)
      #expect(half[24..<28] != half[92..<96], "write \(killed): the header says that a save is under way")
      // The first write only marks that a save is under way, and the last one that it is complete.
      let isWhole = (try? copy.check().faults) == []
      if isWhole { wholes += 1 }
      let error = failure { try copy.add(seed: 77) }
      #expect(error?.code == (isWhole ? nil : .damaged), "write \(killed)")
      if isWhole { #expect(try copy.check().faults == [], "write \(killed)") }
    }
    print("F25 killed saves: \(killed) writes, \(halves) halves of a save met without their journal")
    #expect(killed > 4 && halves > 3 && wholes == 2)
  }

  @Test("F25 a whole document is edited under a hard link and after a rename")
  func whole() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 20, edits: 2, seed: 1)
    let count = try file.read().emojiCount
    link(file.path, folder["link.emojiart"])
    try DocumentFile(folder["link.emojiart"]).add(seed: 2)
    rename(file.path, folder["renamed.emojiart"])
    try DocumentFile(folder["renamed.emojiart"]).add(seed: 3)
    #expect(try DocumentFile(folder["link.emojiart"]).read().emojiCount == count + 2)
  }

  @Test("F24 a journal is not rolled back into a file with later saves")
  func laterState() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let half = try halfSave(file)
    // Two more saves, and damage in a page that the journal has in its old state.
    try file.add(seed: 6)
    try file.add(seed: 7)
    var damaged = try bytes(file.path)
    let page = try #require(half.pages.dropFirst(2).first)
    for index in 100..<4_000 { damaged[page * Format.pageSize + index] ^= 0x55 }
    try write(damaged, to: file.path)
    try write(half.journal, to: file.path + "-journal")
    let error = failure { try file.add(seed: 8) }
    #expect(error?.code == .damaged && error?.cause.contains("another state") == true)
    #expect(try bytes(file.path) == damaged && bytes(file.path + "-journal") == half.journal)
    // The journal's own save is rolled back.
    try write(half.file(written: 3), to: file.path)
    try file.add(seed: 9)
    #expect(try file.read().emojiCount == 301)
  }
}
