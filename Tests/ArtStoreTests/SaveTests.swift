// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite struct SaveTests {
  private func canvas(_ side: Int) throws(ArtError) -> Edit {
    Edit(name: "canvas", changes: [.setCanvas(try Canvas(width: side, height: side))])
  }

  @Test("D7 the error for a document that disappears while it is opened is the error for a missing document")
  func goneMeanwhile() throws {
    let folder = try Workspace()
    let file = try folder.document("bees.emojiart", seed: 1)
    let found = try file.locate()
    try FileManager.default.removeItem(atPath: file.path)
    let missing = #expect(throws: ArtError.self) { _ = try file.read() }
    for mode in [Connection.Mode.readOnly, .readWrite] {
      let gone = #expect(throws: ArtError.self) {
        _ = try Connection(path: found.path.string, name: found.name, mode: mode, deadline: Deadline(.zero))
      }
      #expect(gone == missing && gone?.code == .noSuchDocument)
    }
  }

  @Test(
    "F16 an edit whose file is replaced during the save is made in the new file, once")
  func replaced() throws {
    let folder = try Workspace()
    let file = try folder.document("bees.emojiart", seed: 1)
    let other = try folder.document("other.emojiart", seed: 2)
    try other.fill(emojis: 3, edits: 0, seed: 2)
    var maker = try EditMaker(seed: 3)
    let emoji = try maker.emoji()
    let stamp = maker.stamp()
    var runs = 0
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      runs += 1
      _ = try transaction.perform(Edit(name: "add", changes: [.add(emoji)]), stamp: stamp)
      if runs == 1 { rename(other.path, file.path) }
    }
    #expect(runs == 2)
    let now = try file.read()
    #expect(now.emojiCount == 4 && now.emoji(emoji.id) == emoji && now.log.count == 2)
    #expect(try folder.names == ["bees.emojiart"])
  }

  @Test("F16 an edit whose file is moved away during the save is an error")
  func movedAway() throws {
    let folder = try Workspace()
    let file = try folder.document()
    var maker = try EditMaker(seed: 3)
    let stamp = maker.stamp()
    let error = failure {
      try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
        _ = try transaction.perform(try canvas(7), stamp: stamp)
        rename(file.path, folder["elsewhere.emojiart"])
      }
    }
    #expect(
      error?.code == .inputOutput
        && error?.cause.contains("the edit is in a file that was moved away") == true)
    #expect(try folder.names == ["elsewhere.emojiart"])
    #expect(try DocumentFile(folder["elsewhere.emojiart"]).check().faults == [])
  }

  @Test("F16 an edit whose file is replaced three times is an error")
  func alwaysReplaced() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let content = try bytes(file.path)
    var maker = try EditMaker(seed: 3)
    let stamp = maker.stamp()
    var runs = 0
    let error = failure {
      try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
        runs += 1
        _ = try transaction.perform(try canvas(7), stamp: stamp)
        do {
          try write(content, to: folder["next"])
          rename(folder["next"], file.path)
        } catch { throw .busy("test") }
      }
    }
    #expect(error?.code == .inputOutput && runs == 3)
    #expect(error?.cause.contains("before you try again") == true)
  }

  @Test(
    "F16 an edit through a symbolic link that changes during the save is made in the new target")
  func relinked() throws {
    let folder = try Workspace()
    let one = try folder.document("one.emojiart", seed: 1)
    let two = try folder.document("two.emojiart", seed: 2)
    symlink("one.emojiart", folder["link.emojiart"])
    var maker = try EditMaker(seed: 3)
    let stamp = maker.stamp()
    try DocumentFile(folder["link.emojiart"]).edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(try canvas(7), stamp: stamp)
      unlink(folder["link.emojiart"])
      symlink("two.emojiart", folder["link.emojiart"])
    }
    #expect(try two.read().canvas.width == 7)
    #expect(try one.check().faults == [])
  }

  @Test("F17 a committed edit is found by its id, also after later saves")
  func findsCommitted() throws {
    let folder = try Workspace()
    let file = try folder.document()
    var maker = try EditMaker(seed: 3)
    let stamp = maker.stamp()
    var mine: DocumentTransaction?
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(try canvas(7), stamp: stamp)
      mine = transaction
    }
    let saved = try #require(mine)
    try file.add(seed: 8)
    #expect(try file.read { (t: DocumentTransaction) throws(ArtError) in try t.contains(saved) })
    let other = try folder.document("other.emojiart", seed: 2)
    try other.add(seed: 5)
    #expect(try other.read { (t: DocumentTransaction) throws(ArtError) in try !t.contains(saved) })
  }

  @Test("F5 an edit that would make a document larger than 256 MiB is refused and changes nothing")
  func tooLarge() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let picture = [UInt8](repeating: 5, count: 63 << 20)
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      do { for number in 1...4 { try transaction.insertImage(number, picture) } } catch {
        throw .busy("image")
      }
    }
    let before = try fingerprint(file.path)
    let error = failure {
      try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
        do { try transaction.insertImage(5, Array(picture.prefix(5 << 20))) } catch { throw .busy("image") }
      }
    }
    #expect(error?.code == .tooLarge)
    #expect(try fingerprint(file.path).prefix(4) == before.prefix(4))
    #expect(try folder.names == ["bees.emojiart"])
    try file.add(seed: 2)
    #expect(try file.summary().emojiCount == 1)
    truncate(file.path, off_t(Format.largestFile) + 1)
    #expect(failure { try file.read() }?.code == .tooLarge)
    #expect(failure { try file.summary() }?.code == .tooLarge)
  }

  @Test("F4 with any value in any header byte a document is read unchanged or refused")
  func headers() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 10, edits: 3, seed: 3)
    let whole = try bytes(file.path)
    let content = try file.read()
    var tried = 0
    var refused = 0
    for offset in 0..<100 {
      for value: UInt8 in [0, 1, 2, 3, 0x7F, 0x80, 0xFF] where whole[offset] != value {
        var broken = whole
        broken[offset] = value
        try write(broken, to: file.path)
        tried += 1
        do {
          #expect(try file.read() == content, "byte \(offset) is \(value)")
          #expect(try file.summary().emojiCount == content.emojiCount)
        } catch {
          refused += 1
        }
        _ = failure { try file.check() }
      }
    }
    #expect(tried > 500 && refused > 100)
  }

  @Test("F4 a newer format is refused with its number, and format 0 as damage")
  func versions() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try shell(file.path, "PRAGMA user_version=2")
    let error = failure { try file.read() }
    #expect(error?.code == .newerFormat && error?.cause.contains("format 2") == true)
    #expect(failure { try file.add(seed: 1) }?.code == .newerFormat)
    try shell(file.path, "PRAGMA user_version=0")
    #expect(failure { try file.read() }?.code == .damaged)
  }
}
