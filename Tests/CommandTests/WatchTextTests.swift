// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace
import Foundation
import Testing

@testable import emojiart

@Suite("The output of a watcher") struct WatchTextTests {
  private func bee() throws -> EmojiID { try #require(EmojiID("00000001")) }

  private func entry(
    _ revision: Int, by author: String? = "Ada", save: Int? = nil, time: Int = 0, origin: Int = 1
  ) throws -> LoggedEdit {
    LoggedEdit(
      EditStamp(id: try #require(EditID("00000000000\(origin):\(revision)")), time: time, author: author),
      revision: revision, save: save ?? revision,
      edit: Edit(
        name: "move 🐝", changes: [.move(try bee(), to: try Point(x: Double(revision), y: 80))]),
      inverse: [])
  }

  private func changed(_ edits: [LoggedEdit], isWholeAgain: Bool = false) throws -> FolderNotice {
    let change = DocumentChange(
      edits: edits, texts: [try bee(): "🐝"], revision: edits.last?.revision ?? 4, isComplete: true)
    return .changed("bees", change, isWholeAgain: isWholeAgain)
  }

  private func words(_ notice: FolderNotice, now: Int = 1_000) -> [String] {
    var lines = WatchLines()
    return lines.lines(notice, "bees", now: now) { "the old \($0)" }
      .map { $0.replacing(#/^[0-9: -]*  /#, with: "") }
  }

  @Test("W6 a line has the document, the author and the edits")
  func lines() throws {
    #expect(words(try changed([entry(3)])) == ["bees  Ada: 🐝 moved to 3,80"])
    #expect(words(try changed([entry(3, by: nil)])) == ["bees  000000000001: 🐝 moved to 3,80"])
    #expect(
      words(try changed([entry(3), entry(4), entry(5)]))
        == ["bees  Ada: 🐝 moved to 3,80; 🐝 moved to 4,80; 🐝 moved to 5,80"])
    #expect(
      words(try changed((1...9).map { try entry($0) }))
        == ["bees  Ada: 🐝 moved to 1,80; 🐝 moved to 2,80; 7 more edits"])
    #expect(
      words(try changed([entry(3), entry(4, by: "Bob", origin: 2)]))
        == ["bees  Ada: 🐝 moved to 3,80", "bees  Bob: 🐝 moved to 4,80"])
    #expect(words(.added("bees", revision: 3)) == ["bees  added (revision 3)"])
    #expect(words(.removed("bees")) == ["bees  removed"])
    #expect(words(.renamed("bees", from: "x", revision: nil)) == ["bees  renamed from the old x"])
    #expect(words(.damaged("bees", reason: ArtError(.damaged, "torn"))) == ["bees  damaged: torn"])
    #expect(words(try changed([], isWholeAgain: true)) == ["bees  whole again"])
    #expect(
      words(try changed([entry(3)], isWholeAgain: true)) == [
        "bees  whole again", "bees  Ada: 🐝 moved to 3,80",
      ])
    #expect(
      words(.resync("bees", revision: 2000))
        == ["bees  moved on to revision 2000, and not all edits up to it can be reported; look at it"])
    let other = DocumentChange(edits: [], texts: [:], revision: 4, isComplete: false)
    #expect(
      words(.changed("bees", other, isWholeAgain: false))
        == ["bees  replaced by another state of the document, revision 4; look at it"])
    for notice in [FolderNotice.ready(1), .rescanned("x"), .degraded("x")] { #expect(words(notice) == []) }
  }

  @Test("W6 a line begins with the time, and with the date when it is another day's")
  func times() throws {
    let (day, hour) = (86_400_000, 3_600_000)
    let now = 20_000 * day + 12 * hour
    func time(_ time: Int) throws -> String? {
      var lines = WatchLines()
      return lines.lines(try changed([entry(1, time: time)]), "bees", now: now) { $0 }.first
        .map { String($0.prefix { $0 != "b" }) }
    }
    #expect(try time(now) == Time.local(now / 1000).dropFirst(11) + "  ")
    #expect(try time(now - 2 * day) == Time.local(now / 1000 - 2 * 86_400) + "  ")
  }

  @Test("W6 lines of different documents are aligned, and a long name shifts the others only up to a limit")
  func columns() {
    var lines = WatchLines()
    func line(_ name: String) -> String? {
      lines.lines(.removed(name), name, now: 0) { $0 }.first.map { String($0.drop { $0 != "a" }) }
    }
    #expect(line("a") == "a  removed")
    #expect(line("abcd") == "abcd  removed")
    #expect(line("a") == "a     removed")
    #expect(line("a" + String(repeating: "b", count: 50))?.count == 51 + 9)
    #expect(line("a")?.count == 24 + 9)
  }

  @Test("C6 no control character of a document or a name reaches the terminal")
  func controlCharacters() {
    let bad = "a\u{1B}]0;x\u{7}\nb\u{202E}"
    var lines = WatchLines()
    let notices: [FolderNotice] = [
      .damaged("x", reason: ArtError(.damaged, bad)), .renamed("x", from: bad, revision: nil), .removed("x"),
    ]
    for notice in notices {
      for line in lines.lines(notice, bad, now: 0, called: { $0 }) {
        let isSafe = !line.unicodeScalars.contains { $0.isUnsafeOnTerminal }
        #expect(isSafe)
        #expect(line.contains("a\\u{1b}]0;x\\u{7}\\u{a}b\\u{202e}"))
      }
    }
  }

  private func content(_ log: [LoggedEdit], revision: Int) throws -> DocumentContent {
    let emoji = Emoji(
      id: try bee(), text: try EmojiText("🐝"), position: try Point(x: 0, y: 0), size: .standard, z: 0)
    let id = try #require(DocumentID("000000000000"))
    return try #require(
      DocumentContent(
        id: id, canvas: .standard, emojis: [emoji], log: log,
        revision: revision, head: log.last?.id))
  }

  @Test("W7 the edits since a revision are one notice for each save")
  func since() throws {
    let log = [try entry(3), try entry(4, save: 4), try entry(5, save: 4), try entry(6)]
    let content = try content(log, revision: 6)
    #expect(
      ChangesSince.notices(since: 3, in: content, of: "bees")
        == [try changed([log[1], log[2]]), try changed([log[3]])])
    #expect(ChangesSince.notices(since: 2, in: content, of: "bees").count == 3)
    #expect(ChangesSince.notices(since: 6, in: content, of: "bees") == [])
    // In the middle of a save.
    #expect(
      ChangesSince.notices(since: 4, in: content, of: "bees") == [
        try changed([log[2]]), try changed([log[3]]),
      ])
  }

  @Test(
    "W7 where the log does not reach back, or the document is behind, a notice asks to look at the document")
  func sinceTooLong() throws {
    let content = try content([try entry(3), try entry(4)], revision: 4)
    #expect(ChangesSince.notices(since: 1, in: content, of: "bees") == [.resync("bees", revision: 4)])
    #expect(
      ChangesSince.notices(since: 5, in: content, of: "bees") == [.behind("bees", revision: 4, since: 5)])
    #expect(
      words(.behind("bees", revision: 0, since: 99)) == ["bees  is at revision 0, before 99; look at it"])
    #expect(ChangesSince.notices(since: 1, in: try self.content([], revision: 4), of: "bees").count == 1)
  }
}
