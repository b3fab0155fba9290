// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Testing

@testable import ArtWorkspace

@Suite("Changes since a revision") struct ChangesTests {
  @Test("W7 the changes since a revision are the changes that a folder reports of the same edits")
  func sameAsFolder() throws {
    let watched = try WatchedFolder()
    let file = try watched.make()
    let base = try file.base()
    let (bee, ant) = (try Emoji.one("🐝"), try Emoji.one("🐜"))
    try file.save([.add(bee)], [.add(ant)])
    try file.save([.move(bee.id, to: Point(x: 3, y: 4))])
    try file.save([.remove(bee.id)])
    let content = try file.read()
    let stamp = try file.stamp()
    let known = KnownDocument(base: base, identity: stamp.identity)
    let events = Comparison(path: "bees.emojiart", known: known).events(finding: content)
    let reported = events.compactMap { if case .changed(_, let change) = $0 { change } else { nil } }
    let since = ChangesSince.notices(since: 0, in: content, of: "bees.emojiart").compactMap {
      if case .changed(_, let change, false) = $0 { change } else { nil }
    }
    #expect(reported.map(\.edits) == since.map(\.edits) && reported.map(\.revision) == since.map(\.revision))
    #expect(since.map(\.edits.count) == [2, 1, 1])
    // An emoji that has been removed since has its text in each change.
    #expect(since.allSatisfy { $0.texts[bee.id] == "🐝" && $0.texts[ant.id] == "🐜" })
    #expect(reported.first?.texts[bee.id] == "🐝")
    #expect(ChangesSince.notices(since: 4, in: content, of: "bees.emojiart").isEmpty)
    #expect(
      ChangesSince.notices(since: 9, in: content, of: "bees.emojiart")
        == [.behind("bees.emojiart", revision: 4, since: 9)])
  }

  @Test("a search without a result gives its reason and similar names")
  func search() throws {
    #expect(try EmojiSearch(["honeybee"], limit: 5).emojis.first?.emoji == "🐝")
    #expect(try EmojiSearch(["🐝"], limit: 5).emojis.map(\.shortcode) == ["honeybee"])
    let many = try EmojiSearch(["heart"], limit: 2)
    #expect(many.emojis.count == 2 && many.count > 2)
    #expect(throws: EmojiSearch.Failure.mixed) { try EmojiSearch(["bee", "🐝"], limit: 1) }
    #expect(throws: EmojiSearch.Failure.unsearchable("🐝🐝")) { try EmojiSearch(["🐝🐝"], limit: 1) }
    #expect {
      try EmojiSearch(["hunybee"], limit: 1)
    } throws: {
      guard case .nothing("hunybee", let near)? = $0 as? EmojiSearch.Failure else { return false }
      return near.contains { $0.shortcode == "honeybee" }
    }
  }
}
