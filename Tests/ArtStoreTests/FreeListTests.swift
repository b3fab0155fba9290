// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// Documents with free pages, in which one page is of an earlier save or the free list names pages in use.
@Suite struct FreeListTests {
  private static let campaign = Campaign("free-lists", smoke: 60)
  /// A small document and a large one. A case is the number of a document, and the count of the campaign limits its files.
  private static let documents = [campaign.seed, campaign.seed + 1]

  /// A document whose log was cut, so that it has free pages, and the file as it was six saves before.
  private struct Sample {
    let earlier: [UInt8]
    let whole: [UInt8]
    let before: DocumentContent
    let truth: DocumentContent

    init(_ file: DocumentFile, emojis: Int, seed: UInt64) throws {
      try file.fill(emojis: emojis, edits: 0, seed: seed)
      for round in 0..<5 { try file.addMany(1, edits: 250, seed: seed &+ UInt64(round)) }
      try file.addMany(400, edits: 1, seed: seed &+ 50)
      // Many pages, which will be free.
      let picture = try picture(1, bytes: 400_000)
      try file.edit { (transaction: DocumentTransaction) throws(ArtError) in try transaction.keep(picture) }
      for round in 0..<5 { try file.addMany(1, edits: 230, seed: seed &+ 100 &+ UInt64(round)) }
      earlier = try bytes(file.path)
      before = try file.read()
      try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
        for stored in try transaction.storedPictures() where stored.digest == picture.digest {
          try transaction.remove(stored)
        }
      }
      for round in 0..<6 { try file.addMany(12, edits: 1, seed: seed &+ 200 &+ UInt64(round)) }
      whole = try bytes(file.path)
      truth = try file.read()
    }

    var pages: Int { min(whole.count, earlier.count) / Format.pageSize }
    var freePages: UInt32 { Self.number(whole, at: 36) }

    /// The file with one page of the earlier save.
    func restoring(page: Int) -> [UInt8] {
      let range = (page - 1) * Format.pageSize..<page * Format.pageSize
      return Array(whole[..<range.lowerBound] + earlier[range] + whole[range.upperBound...])
    }

    /// The file with a free list whose first entry names a page.
    func naming(page: Int) -> [UInt8] {
      var file = whole
      let trunk = Int(Self.number(file, at: 32))
      Self.set(UInt32(page), in: &file, at: (trunk - 1) * Format.pageSize + 8)
      return file
    }

    /// The file with a free list that begins with a page.
    func beginning(page: Int) -> [UInt8] {
      var file = whole
      Self.set(UInt32(page), in: &file, at: 32)
      return file
    }

    static func number(_ bytes: [UInt8], at offset: Int) -> UInt32 {
      bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func set(_ number: UInt32, in bytes: inout [UInt8], at offset: Int) {
      for index in 0..<4 {
        bytes[offset + index] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * index))
      }
    }
  }

  private struct Tally {
    var tried = 0
    var refused = 0
    var answered = 0
    var accepted = 0
    var lost = 0
  }

  @Test(
    "F8 a file with a page of an earlier save, or a free list that names used pages, is refused, and loses no edit",
    arguments: documents)
  func stalePages(seed: UInt64) throws {
    let folder = try Workspace()
    let file = try folder.document()
    let sample = try Sample(file, emojis: seed.isMultiple(of: 2) ? 900 : 30, seed: seed)
    try #require(sample.freePages > 10, "the document has free pages")
    var kinds: [(String, (Int) -> [UInt8])] = [
      ("as it was", sample.restoring), ("named free", sample.naming),
      ("first of the free list", sample.beginning),
    ]
    var random = SplitMix64(seed: seed)
    let limit = min(Self.campaign.count / 2, 3 * sample.pages)
    var tally = Tally()
    var left = kinds.flatMap { kind in (1...sample.pages).map { (kind.0, kind.1, $0) } }
    kinds = []
    left.shuffle(using: &random)
    for (name, damage, page) in left.prefix(limit) {
      let damaged = damage(page)
      guard damaged != sample.whole else { continue }
      try compare(at: file, damaged, sample, "\(name), page \(page) of seed \(seed)", &tally)
    }
    print(
      """
      F8 free list, seed \(seed): \(tally.tried) files, \(tally.refused) refused by check, \(tally.answered) edits answered, \
      \(tally.accepted) accepted wrongly, \(tally.lost) edits lost
      """)
    Self.campaign.report(tried: tally.tried)
    #expect(tally.tried > limit / 2 && tally.refused > 0)
    #expect(tally.accepted == 0 && tally.lost == 0)
  }

  private func compare(
    at file: DocumentFile, _ damaged: [UInt8], _ sample: Sample, _ about: String, _ tally: inout Tally
  ) throws {
    try write(damaged, to: file.path)
    unlink(file.path + "-journal")
    tally.tried += 1
    let found = try? file.read()
    let faults = try file.check().faults
    if !faults.isEmpty { tally.refused += 1 }
    let isKnown = found == sample.truth || found == sample.before
    // The index of the z-order is not needed to read: only check reads it.
    if faults.isEmpty && found == nil || found != nil && !isKnown {
      tally.accepted += 1
      Issue.record(
        "check finds \(faults), read gives \(found.map { "\($0.emojiCount) emoji" } ?? "nothing"): \(about)")
    }
    var answered: [EmojiID] = []
    for step in 0..<4 {
      do throws(ArtError) {
        answered += try file.addEmojis(12, seed: 5_000 + UInt64(step))
      } catch {
        if error.code != .damaged { Issue.record("\(error): \(about)") }
      }
    }
    tally.answered += answered.count / 12
    if answered.isEmpty { return }
    // A document that cannot be read any more can be repaired with all that it had and all acknowledged edits.
    if (try? file.read()) == nil {
      if found != nil {
        tally.lost += 1
        Issue.record("an edit has destroyed the document: \(about)")
        return
      }
      var maker = try EditMaker(seed: 9)
      _ = try file.repair(.repair, stamp: maker.stamp())
    }
    let now = try file.read()
    let missing = answered.filter { now.emoji($0) == nil }
    let gone = found?.emojisInOrder().filter { now.emoji($0.id) != $0 } ?? []
    if missing.isEmpty, gone.isEmpty { return }
    tally.lost += 1
    Issue.record("\(missing.count) answered and \(gone.count) other emoji are lost: \(about)")
  }

  @Test("F8 the control: SQLite itself writes over used pages that a free list names")
  func controlWithoutGuard() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let sample = try Sample(file, emojis: 30, seed: 4)
    var (tried, destroyed) = (0, 0)
    for page in stride(from: 3, through: sample.pages, by: 7) {
      try write(sample.naming(page: page), to: file.path)
      let filling =
        "SELECT count(*) FROM emoji; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) "
      _ = try run(
        "sqlite3",
        [file.path, filling + "INSERT INTO aside SELECT i, 'x', hex(randomblob(1000)), 'y', 1, 1 FROM n"])
      tried += 1
      if try file.check().faults.contains(where: { $0.contains("cannot be read") }) { destroyed += 1 }
    }
    print(
      "F8 control without the guard: \(tried) files, \(destroyed) in which tables cannot be read any more")
    #expect(destroyed > 0)
  }

  @Test("F8 a whole document with free pages has no faults, and edits use its free pages")
  func control() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let sample = try Sample(file, emojis: 30, seed: 3)
    #expect(try file.check().faults == [])
    for step in 0..<6 { _ = try file.addEmojis(12, seed: 6_000 + UInt64(step)) }
    #expect(Sample.number(try bytes(file.path), at: 36) < sample.freePages)
    #expect(try file.check().faults == [])
    // Files that SQLite made in other modes are equally good.
    for sql in [
      "PRAGMA auto_vacuum=FULL; VACUUM", "PRAGMA auto_vacuum=INCREMENTAL; VACUUM",
      "PRAGMA page_size=1024; VACUUM",
    ] {
      try shell(file.path, sql)
      for step in 0..<4 { try file.addMany(12, edits: 3, seed: 7_000 + UInt64(step)) }
      #expect(try file.check().faults == [], "\(sql)")
    }
  }
}

extension DocumentFile {
  /// Makes a number of edits in one save, each of a number of emoji.
  fileprivate func addMany(_ emojis: Int, edits: Int, seed: UInt64) throws {
    var maker = try EditMaker(seed: seed &* 7_919)
    var all: [(Edit, EditStamp)] = []
    for _ in 0..<edits {
      var changes: [Change] = []
      for _ in 0..<emojis { changes.append(.add(try maker.emoji())) }
      if emojis == 1, let first = changes.first, case .add(let emoji) = first {
        changes.append(.remove(emoji.id))
      }
      all.append((Edit(name: "add", changes: changes), maker.stamp()))
    }
    let made = all
    try edit { (transaction: DocumentTransaction) throws(ArtError) in
      for (edit, stamp) in made { _ = try transaction.perform(edit, stamp: stamp) }
    }
  }

  /// Adds emoji in one edit; returns their ids.
  fileprivate func addEmojis(_ count: Int, seed: UInt64) throws(ArtError) -> [EmojiID] {
    var random = SplitMix64(seed: seed)
    var author = try Author(origin: Origin(using: &random), name: nil)
    var emojis: [Emoji] = []
    for _ in 0..<count {
      emojis.append(
        Emoji(
          id: .random(using: &random), text: try EmojiText("🐞"), position: try Point(x: 1, y: 2),
          size: try FontSize(20), z: 1 << 40))
    }
    let edit = Edit(name: "add", changes: emojis.map(Change.add))
    let stamp = author.stamp(at: 1_800_000_000_000)
    try self.edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(edit, stamp: stamp)
    }
    return emojis.map(\.id)
  }
}
