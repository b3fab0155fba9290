// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

@Suite("Named versions") struct NamedVersionTests {
  private func version(_ content: DocumentContent) -> NamedVersion {
    NamedVersion(
      id: EditID(origin: Origin(lowBits: 7), sequence: 1), name: "draft", revision: content.revision,
      head: content.head, author: nil, time: 1)
  }

  /// The art of a document as a version holds it.
  private func stored(_ content: DocumentContent) throws -> VersionContent {
    var content = content
    content.setPending(nil)
    var bytes: [UInt8] = []
    try content.writeJSON { bytes += $0 }
    return try VersionContent(String(decoding: bytes, as: UTF8.self))
  }

  /// A document's art without z-order values, which a version does not have.
  private func art(_ content: DocumentContent) -> Picture {
    var picture = Picture(content)
    picture.pending = nil
    for index in picture.emojis.indices { picture.emojis[index].set(.order(0)) }
    return picture
  }

  @Test(
    "M44 a return to a version is one edit after which the art is that of the version, and changes no order that is the same",
    arguments: 0..<8 as Range<UInt64>)
  func laws(_ seed: UInt64) throws {
    var random = RandomEdits(seed: seed)
    var (steady, reordered, added) = (0, 0, 0)
    for _ in 0..<250 {
      let then = try random.document()
      var now = then
      for _ in 0..<random.int(0...12) { _ = try now.apply(random.edit().changes, at: 1) }
      let kept = try stored(then)
      let plan = try RevertPlan(to: version(then), kept, in: now)
      var after = now
      let applied = try after.apply(plan.effect.changes, at: 2)
      after.checkInvariants()
      guard applied.lost.isEmpty else { continue }
      #expect(art(after) == art(then))
      #expect(after.pending == (now.background == then.background ? now.pending : nil))
      #expect(try RevertPlan(to: version(then), kept, in: after).edit == nil, "twice is once")
      // One undo takes it back.
      _ = try after.apply(applied.inverse, at: 3)
      #expect(Picture(after) == Picture(now))
      let common = then.emojisInOrder().map(\.id).filter { now.emoji($0) != nil }
      let present = now.emojisInOrder().map(\.id).filter { then.emoji($0) != nil }
      let values = common.compactMap { now.emoji($0)?.z }
      added += plan.effect.added.count
      if common == present, Set(values).count == values.count,
        zip(values, values.dropFirst()).allSatisfy({ $1 - $0 > then.emojiCount })
      {
        #expect(plan.effect.updated.allSatisfy { $0.z == nil }, "nothing changes its place in the order")
        steady += 1
      } else {
        reordered += 1
      }
    }
    #expect(steady > 10 && reordered > 10 && added > 50, "\(steady) \(reordered) \(added)")
  }

  @Test("M44 a return to a version with the same background leaves what is pending")
  func pending() throws {
    var art = try document([emoji("00000001", z: 5)])
    let kept = try stored(art)
    art.setPending(
      try PendingBackground(url: "https://example.org/a.png", since: 1, reason: "later", anchor: .topLeft))
    #expect(try RevertPlan(to: version(art), kept, in: art).edit == nil)
    _ = try art.apply([.setFill(Color(typed: "gold"))])
    let plan = try RevertPlan(to: version(art), kept, in: art)
    #expect(plan.edit?.changes == [.setFill(nil)])
  }

  @Test(
    "M44 a version's content is read as it was written, and shown with its revision and the log until then")
  func content() throws {
    var art = try document([emoji("00000001", z: 5), emoji("00000002", "🌸", x: 3, z: 9)])
    let kept = try stored(art)
    let made = version(art)
    var ada = try author(1)
    try art.perform(
      Edit(name: "move", changes: [.set(id("00000001"), .position(Point(x: 9, y: 9)))]), by: &ada)
    let shown = try art.content(of: made, kept)
    #expect(shown.revision == 0 && shown.head == nil && shown.log.isEmpty)
    #expect(shown.emojisInOrder().map(\.text.string) == ["🐝", "🌸"])
    #expect(shown.emojisInOrder().map(\.position.x) == [0, 3])
    for bad in [
      "{}", #"{"canvas":{"height":1,"width":1}}"#, #"{"canvas":{"height":1,"width":1},"emojis":[],"x":1}"#,
      #"{"canvas":{"height":1,"width":1},"emojis":[{"size":1,"text":"🐝","x":1,"y":1}]}"#,
      #"{"canvas":{"height":1,"width":1},"emojis":[{"id":"00000001","size":1,"text":"🐝","x":1,"y":1},{"id":"00000001","size":1,"text":"🐝","x":1,"y":1}]}"#,
    ] {
      #expect(failure { () throws(ArtError) in try VersionContent(bad) }?.code == .badJSON, "\(bad)")
    }
  }

  @Test("a version's name is no number and no version's id, and a state is a number or a name")
  func names() throws {
    #expect(try NamedVersion.checkedName("  first draft ") == "first draft")
    #expect(try NamedVersion.checkedName("2nd") == "2nd")
    for bad in ["", "  ", "12", "a\nb", "k3m9abcd0f2z:17", String(repeating: "x", count: 257)] {
      #expect(
        failure { () throws(ArtError) in try NamedVersion.checkedName(bad) }?.code == .badValue, "\(bad)")
    }
    #expect(try RevisionReference(typed: "12") == .number(12))
    #expect(try RevisionReference(typed: " draft ") == .version("draft"))
    #expect(try RevisionReference(typed: "-1") == .version("-1"))
    for bad in ["", " ", "99999999999999999999"] {
      #expect(
        failure { () throws(ArtError) in try RevisionReference(typed: bad) }?.code == .badValue, "\(bad)")
    }
  }
}
