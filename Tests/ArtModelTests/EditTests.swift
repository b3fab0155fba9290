// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtModel

@Suite("Edits")
struct EditTests {
  @Test("M14 a change sets one field; a change to the present value has no effect and no inverse")
  func effects() throws {
    var art = try document([try emoji("aaaaaaaa", x: 1, y: 1)])
    let bee = try id("aaaaaaaa")
    let (same, other) = (try Point(x: 1, y: 1), try Point(x: 2, y: 2))
    let applied = try art.apply([
      .move(bee, to: same), .move(bee, to: other), .setCanvas(.standard), .setBackground(nil),
      .setPending(nil),
      .resize(bee, to: .standard), .order(bee, to: 0), .setText(bee, to: EmojiText("🐝")),
    ])
    #expect(applied.changes == [.move(bee, to: other)])
    #expect(applied.inverse == [.move(bee, to: same)])
    #expect(applied.dropped.isEmpty)
    #expect(art.emoji(bee) == (try emoji("aaaaaaaa", x: 2, y: 2)))
  }

  @Test("M14 a change whose emoji is gone, or whose id is taken, is dropped and reported")
  func dropped() throws {
    let bee = try emoji("aaaaaaaa")
    let gone = try id("bbbbbbbb")
    var art = try document([bee])
    let lost: [Change] = [
      .remove(gone), .move(gone, to: bee.position), .resize(gone, to: bee.size), .setText(gone, to: bee.text),
      .order(gone, to: 1), .add(try emoji("aaaaaaaa", "🌸")),
    ]
    let applied = try art.apply(lost)
    #expect(applied.dropped == lost && applied.changes.isEmpty && applied.inverse.isEmpty)
    #expect(art.emojisInOrder() == [bee])
  }

  @Test("M15 an edit and its inverse give an equal document, and its changes give the same edit again")
  func inverses() throws {
    var random = RandomEdits(seed: 21)
    var effects = 0
    for _ in 0..<5_000 {
      let start = try random.document()
      var art = start
      let applied = try art.apply(random.edit().changes)
      let edited = art
      effects += applied.changes.count
      let back = try art.apply(applied.inverse)
      #expect(art == start && back.dropped.isEmpty)
      let again = try art.apply(applied.changes)
      #expect(art == edited && again.inverse == applied.inverse)
    }
    print("inverses: 5,000 edits of \(effects) changes")
    #expect(effects > 5_000)
  }

  @Test("M13 after random edits each emoji stands once in z-order")
  func invariants() throws {
    var random = RandomEdits(seed: 22)
    var edits = 0
    for _ in 0..<200 {
      var art = try random.document()
      var mirror = Dictionary(uniqueKeysWithValues: art.emojisInOrder().map { ($0.id, $0) })
      for _ in 0..<40 {
        let applied = try art.apply(random.edit().changes)
        for change in applied.changes { mirror.set(change) }
        art.checkInvariants()
        let sorted = mirror.values.sorted { ($0.z, $0.id) < ($1.z, $1.id) }
        #expect(art.emojisInOrder() == sorted && art.emojiCount == sorted.count)
        #expect(art.top() == sorted.last && art.bottom() == sorted.first)
        for (lower, upper) in zip(sorted, sorted.dropFirst()) { #expect(art.next(above: lower) == upper) }
        edits += 1
      }
    }
    print("invariants: \(edits) edits")
    #expect(edits == 8_000)
  }

  @Test("M13 a document with two emoji of one id is refused")
  func equalIDs() throws {
    let bee = try emoji("aaaaaaaa")
    #expect(DocumentContent(id: try documentID(), canvas: .standard, emojis: [bee, bee]) == nil)
  }

  @Test("M13 emoji are found by the prefix of their ids, sorted, up to a limit")
  func byPrefix() throws {
    var random = RandomEdits(seed: 23)
    for _ in 0..<500 {
      let art = try random.document()
      let name = try random.emoji().id.description
      let typed = String(name.prefix(random.int(1...8)))
      let limit = random.int(1...3)
      let found = art.emojisInOrder().filter { $0.id.description.hasPrefix(typed) }.sorted { $0.id < $1.id }
      let prefix = try #require(EmojiID.Prefix(typed: typed))
      #expect(art.emojis(prefix: prefix, limit: limit) == Array(found.prefix(limit)))
    }
  }

  @Test("M16 a document holds at most 1,000,000 emoji, and an edit that asks for more changes nothing")
  func tooMany() throws {
    let (first, second, third) = (try emoji("aaaaaaaa"), try emoji("bbbbbbbb"), try emoji("cccccccc"))
    var art = CrowdedArt(visible: try document([first]), hidden: Limits.emojiCount - 2)
    let start = art
    let more: [[Change]] = [
      [.add(second), .add(third)], [.remove(third.id), .add(second), .add(third)],
      [.setCanvas(try Canvas(width: 1, height: 1)), .add(second), .add(first), .add(third)],
    ]
    for changes in more {
      #expect(failure { () throws(ArtError) in try art.apply(changes) }?.code == .tooLarge)
      #expect(art.visible == start.visible)
    }
    let applied = try art.apply([.add(second), .add(second), .remove(first.id), .add(third)])
    #expect(applied.changes.count == 3 && applied.dropped.count == 1)
    #expect(art.emojiCount == Limits.emojiCount)
    #expect(failure { () throws(ArtError) in try art.apply([.add(first)]) }?.code == .tooLarge)
  }

  @Test("F5 one edit may set every field of every emoji and of the document, also where a picture is missing")
  func everyField() throws {
    let emojis = try [emoji("aaaaaaaa"), emoji("bbbbbbbb"), emoji("cccccccc")]
    var other = try emoji("dddddddd", "🌸", x: 5, y: 6, size: 7, z: 8)
    (other.rotation, other.isMirrored, other.color) = (
      try Rotation(degrees: 9), true, Color(red: 1, green: 2, blue: 3)
    )
    let missing = try Background(
      digest: String(repeating: "f", count: 32), mediaType: "image/png", size: Canvas(width: 1, height: 1),
      url: "https://example.org/pond.png")
    var art = try document(emojis)
    let changes =
      emojis.flatMap { Change.add(other.with(id: $0.id)).fieldByField }
      + [
        .setCanvas(try Canvas(width: 1, height: 1)), .setFill(.black), .setBackground(missing),
        .setPending(nil),
      ]
    // The bound for a document that has at most these emoji.
    let bound = emojis.count * EmojiField.allCases.count + Field.ofDocument.count
    #expect(changes.count == bound && Set(changes.map(\.field)).count == bound)
    #expect(Limits.editChanges == Limits.emojiCount * EmojiField.allCases.count + Field.ofDocument.count)
    let applied = try art.apply(changes, at: 1)
    #expect(applied.lost == [missing] && art.pending?.url == missing.url)
    // The picture is pending, and its URL takes the place of the change that set none.
    #expect(applied.changes.count + applied.lost.count == bound + 1 && applied.inverse.count <= bound)
  }
}

extension [EmojiID: Emoji] {
  /// Makes the same change in a plain dictionary.
  fileprivate mutating func set(_ change: Change) {
    switch change {
    case .add(let emoji): self[emoji.id] = emoji
    case .remove(let id): self[id] = nil
    case .set(let id, .position(let place)): self[id]?.position = place
    case .set(let id, .size(let size)): self[id]?.size = size
    case .set(let id, .text(let text)): self[id]?.text = text
    case .set(let id, .order(let z)): self[id]?.z = z
    case .set(let id, .rotation(let rotation)): self[id]?.rotation = rotation
    case .set(let id, .mirroring(let isMirrored)): self[id]?.isMirrored = isMirrored
    case .set(let id, .color(let color)): self[id]?.color = color
    case .setCanvas, .setFill, .setBackground, .setPending: break
    }
  }
}

/// A document whose count of emoji is larger than what it holds.
private struct CrowdedArt: EditableArt {
  var visible: DocumentContent
  let hidden: Int

  var revision: Int { visible.revision }
  var canvas: Canvas { visible.canvas }
  var fill: Color? { visible.fill }
  var background: Background? { visible.background }
  var pending: PendingBackground? { visible.pending }
  var emojiCount: Int { hidden + visible.emojiCount }
  func emoji(_ id: EmojiID) -> Emoji? { visible.emoji(id) }
  func emojis(prefix: EmojiID.Prefix, limit: Int) -> [Emoji] { visible.emojis(prefix: prefix, limit: limit) }
  func emojisInOrder() -> [Emoji] { visible.emojisInOrder() }
  func captions() -> [Emoji] { visible.captions() }
  func bottom() -> Emoji? { visible.bottom() }
  func top() -> Emoji? { visible.top() }
  func next(above emoji: Emoji) -> Emoji? { visible.next(above: emoji) }
  func holdsPicture(_ digest: String) -> Bool { visible.holdsPicture(digest) }
  func newestEdits(_ body: (LoggedEdit) throws(ArtError) -> Bool) throws(ArtError) {
    try visible.newestEdits(body)
  }
  mutating func insert(_ emoji: Emoji) { visible.insert(emoji) }
  mutating func update(_ old: Emoji, to new: Emoji) { visible.update(old, to: new) }
  mutating func delete(_ emoji: Emoji) { visible.delete(emoji) }
  mutating func setCanvas(_ canvas: Canvas) { visible.setCanvas(canvas) }
  mutating func setFill(_ fill: Color?) { visible.setFill(fill) }
  mutating func setBackground(_ background: Background?) { visible.setBackground(background) }
  mutating func setPending(_ pending: PendingBackground?) { visible.setPending(pending) }
}
