// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtModel
@testable import ArtStore

/// The sample of format 1, which was made once and must be readable by every later version.
@Suite struct FrozenSampleTests {
  private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Fixtures/format/1").standardizedFileURL.path

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
  }

  @Test("F6 the frozen sample reads as it did when format 1 was frozen")
  func reads() throws {
    let sample = DocumentFile("\(folder)/sample.emojiart")
    let content = try sample.read()
    #expect(try shown(content) == text("sample.json"))
    #expect(try logged(content) == text("sample.log.json"))
    #expect(try sample.check().faults == [])
    #expect(try sample.summary().emojiCount == content.emojiCount)
    #expect(try shell("\(folder)/sample.emojiart", "SELECT json FROM document") == text("sample.json"))
    let others = try shell(
      sample.path,
      "SELECT 'origin', count(*) FROM origin UNION ALL SELECT 'image', count(*) "
        + "FROM image UNION ALL SELECT 'aside', count(*) FROM aside UNION ALL SELECT 'archive', count(*) "
        + "FROM archive UNION ALL SELECT 'version', count(*) FROM version")
    #expect(others == "origin|1\nimage|1\naside|1\narchive|1\nversion|2\n")
    // Its log says what it was at each of its revisions.
    #expect(try content.log.first?.revision == 3 && content.reachableRevisions == 2...18)
    #expect(content.emojisInOrder().contains { $0.text.isCaption && $0.color != .black })
    // A named version holds what the view shows.
    let version = try shell(sample.path, "SELECT content FROM version WHERE name IS NOT NULL")
    let keys = "SELECT group_concat(key) FROM (SELECT key FROM json_each(content) ORDER BY key)"
    #expect(version.contains("birthday") && !version.contains("pending"))
    #expect(
      try shell(sample.path, "SELECT (\(keys)) FROM version WHERE name IS NOT NULL")
        == "background,canvas,emojis,revision\n")
  }

  @Test("F6 the frozen sample can be edited, undone and redone")
  func edits() throws {
    let workspace = try Workspace()
    try write(try bytes("\(folder)/sample.emojiart"), to: workspace["bees.emojiart"])
    let file = DocumentFile(workspace["bees.emojiart"])
    let before = try file.read()
    let id = try file.add(seed: 4)
    var maker = try EditMaker(seed: 5)
    let (first, second) = (maker.stamp(), maker.stamp())
    for (stamp, isUndo) in [(first, true), (second, false)] {
      try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
        let plan = try isUndo ? UndoPlan.undo(in: transaction) : UndoPlan.redo(in: transaction)
        guard let plan else { throw .nothingTo("undo") }
        _ = try transaction.perform(plan, stamp: stamp)
      }
      #expect(try file.read().emojiCount == before.emojiCount + (isUndo ? 0 : 1))
    }
    let after = try file.read()
    #expect(after.emojisInOrder().filter { $0.id != id } == before.emojisInOrder())
    #expect(try file.check().faults == [])
  }

  @Test("F6 the generator of the sample still makes the same content")
  func generator() throws {
    let workspace = try Workspace()
    let file = try makeSample(in: workspace)
    let content = try file.read()
    #expect(try content == DocumentFile("\(folder)/sample.emojiart").read())
    let kinds = Set(content.log.flatMap { $0.edit.changes + $0.inverse }.map(kind))
    #expect(
      kinds == [
        "add", "remove", "move", "resize", "text", "order", "rotate", "mirror", "color", "canvas", "fill",
        "background",
        "pending",
      ])
    #expect(content.log.contains { if case .undo = $0.kind { true } else { false } })
    #expect(content.log.contains { if case .redo = $0.kind { true } else { false } })
    #expect(content.log.contains { !$0.dropped.isEmpty })
    #expect(content.log.contains { $0.session != nil && !$0.stamp.tags.isEmpty })
  }
}

extension FrozenSampleTests {
  private func shown(_ content: DocumentContent) throws -> String {
    var text: [UInt8] = []
    try content.writeJSON { text += $0 }
    return String(decoding: text, as: UTF8.self) + "\n"
  }

  /// The log, one entry on a line.
  private func logged(_ content: DocumentContent) throws -> String {
    content.log.map { entry in
      let kind = [entry.kind.word, entry.kind.revertedID?.description].compactMap(\.self).map(JSON.string)
      return JSON.array([
        .integer(entry.revision), .string(entry.id.description), .integer(entry.time), .integer(entry.save),
        .array(kind), .optional(entry.author), .optional(entry.session?.description),
        .array(entry.stamp.tags.map { .string($0.description) }), .string(entry.edit.name),
        .string(changes(entry.edit.changes)),
        .string(changes(entry.inverse)), .string(changes(entry.dropped)),
      ]).text + "\n"
    }
    .joined()
  }

  private func changes(_ changes: [Change]) -> String {
    var writer = JSONWriter()
    changes.write(to: &writer)
    return writer.text
  }

  private func kind(_ change: Change) -> String {
    String(changes([change]).dropFirst(3).prefix { $0 != "\"" })
  }

  /// Makes a document with every kind of change, of entry and of row.
  private func makeSample(in workspace: Workspace) throws -> DocumentFile {
    let file = try workspace.document("sample.emojiart", seed: 1)
    let picture = Array("not really a picture, but bytes with a digest".utf8)
    let digest = picture.withUnsafeBufferPointer { ContentDigest.of($0) }
    var maker = try EditMaker(seed: 2, name: "Ada Lovelace")
    var emojis: [Emoji] = []
    for text in ["🐝", "🏳️‍🌈", "👩‍🚀", "1️⃣", "❤️", "🇩🇪 \"hive\" \\ 🌸"] {
      var emoji = try maker.emoji()
      emoji.text = try EmojiText(text)
      emojis.append(emoji)
    }
    let ids = emojis.map(\.id)
    let words = EmojiText(try Words("Happy\n\"birthday\" 🎂"), box: try TextBox(width: 6.25, height: 2.4))
    let background = try Background(
      digest: digest, mediaType: "image/png", size: try Canvas(width: 640, height: 480),
      url: "https://example.org/meadow.png")
    let pending = try PendingBackground(
      url: "https://example.org/later.webp", since: 1_800_000_000_123, reason: "dns", anchor: .center)
    let edits: [[Change]] = [
      emojis.map(Change.add), [.move(ids[0], to: try Point(x: -12.5, y: 1e-05))],
      [.resize(ids[1], to: try FontSize(0.1)), .resize(ids[2], to: try FontSize(100_000))],
      [.setText(ids[3], to: try EmojiText("👍🏽"))],
      [.order(ids[4], to: -(1 << 60)), .order(ids[0], to: 1 << 60)],
      [.setCanvas(try Canvas(width: 100_000, height: 1)), .setFill(Color(red: 0, green: 102, blue: 204))],
      [.setBackground(background)],
      [.setPending(pending)],
      [.setPending(nil), .setBackground(nil)], [.setBackground(background), .setPending(pending)],
      [.remove(ids[5])],
      [.move(ids[5], to: try Point(x: 1, y: 1)), .move(ids[1], to: try Point(x: 7, y: 7))],
      [.setText(ids[4], to: words), .color(ids[4], to: Color(red: 204, green: 0, blue: 0))],
      [.rotate(ids[0], to: try Rotation(degrees: -12.5)), .mirror(ids[1], to: true)],
      [.setText(ids[2], to: words), .color(ids[2], to: Color(red: 255, green: 204, blue: 0, alpha: 128))],
    ]
    // The bytes of a background are stored before it is set.
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      do { try transaction.insertImage(1, picture) } catch { throw .busy("sample") }
    }
    for (index, changes) in edits.enumerated() {
      // Every third edit is by a client with a session, and one of these has a tag.
      let client =
        index % 3 == 1 ? try DocumentClient(author: "Grace", session: SessionID("5e5510n00001")) : nil
      let stamp = maker.stamp(by: client, tag: index == 4 ? RequestTag("drag-17") : nil)
      try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
        _ = try transaction.perform(Edit(name: "edit \(index)", changes: changes), stamp: stamp)
      }
    }
    // The state before the undos becomes a named version.
    let state = try file.read()
    let version = try #require(
      DocumentContent(
        id: state.id, canvas: state.canvas, fill: state.fill, background: state.background,
        emojis: state.emojisInOrder(), revision: state.revision))
    let view = String(try shown(version).dropLast())
    var second = try EditMaker(seed: 3)
    let steps = [second.stamp(), second.stamp(), second.stamp()]
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      for stamp in steps.prefix(2) {
        if let plan = try UndoPlan.undo(in: transaction) { _ = try transaction.perform(plan, stamp: stamp) }
      }
      if let plan = try UndoPlan.redo(in: transaction) { _ = try transaction.perform(plan, stamp: steps[2]) }
      do {
        try transaction.insertPlain(.origin, [.text("k3m9abcd0f2z"), .integer(17)])
        try transaction.insertPlain(
          .aside,
          [
            .integer(1), .text("emoji"), .text(#"["zzzzzzz0",5,{"hex":"ff"},0]"#), .text("sample"),
            .integer(7),
          ])
        for (number, name, content) in [(18, "before the party", view), (19, nil, nil)] {
          try transaction.insertPlain(
            .version,
            [
              .text("k3m9abcd0f2z:\(number)"), .optional(name), .integer(state.revision),
              .optional(state.head?.description), .text("Ada"), .integer(1_800_000_000_321),
              .optional(content),
            ])
        }
        try transaction.archiveOldest { $0 <= 2 }
      } catch { throw .busy("sample") }
    }
    return file
  }
}
