// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("Random walks of backgrounds") struct PictureWalkTests {
  private static let steps = 50

  /// The counts of a walk.
  private struct Counts {
    var steps = 0
    var lost = 0
    var refetched = 0
    var rebased = 0
    var pruned = 0
    var present = 0
  }

  /// A program that edits in memory, as an open document does, and saves now and then.
  private struct Memory {
    var content: DocumentContent
    var base: DocumentBase
    var unsaved = UnsavedEdits()
    var author: Author

    init(_ file: DocumentFile, _ author: Author) throws {
      content = try file.read()
      base = DocumentBase(content)
      self.author = author
    }

    @discardableResult
    mutating func perform(
      _ name: String, _ changes: [Change], _ kind: LoggedEdit.Kind = .edit, skipped: [Change] = []
    ) throws -> AppliedEdit {
      let stamp = author.stamp(at: 9)
      let applied = try content.apply(changes, of: kind, at: stamp.time)
      guard !applied.changes.isEmpty || kind != .edit else { return applied }
      let entry = LoggedEdit(
        stamp, revision: content.revision + 1, save: base.revision + 1, kind: kind,
        edit: Edit(name: name, changes: applied.changes), inverse: applied.inverse,
        dropped: skipped + applied.dropped)
      content.append(entry)
      unsaved.append(entry)
      return applied
    }

    mutating func set(_ picture: CheckedPicture, from url: String?, in file: DocumentFile) throws {
      content.setPictures(try file.keep(picture, in: content.id, recent: unsaved.pictures))
      let edit = BackgroundEdit.set(try Background(picture, from: url), keepsCanvas: false)
      if let plan = try edit.plan(on: content) { try perform(plan.name, plan.changes) }
    }

    mutating func step(_ direction: UndoDirection) throws -> AppliedEdit? {
      let plan =
        direction == .undo
        ? try UndoPlan.undo(in: content, by: .origin(author.origin))
        : try UndoPlan.redo(in: content, by: .origin(author.origin))
      return try plan.map { try perform($0.name, $0.changes, $0.kind, skipped: $0.skipped) }
    }

    /// Whether the save rebased onto others' edits, or a picture was displaced.
    mutating func save(to file: DocumentFile) throws -> Bool {
      guard !unsaved.isEmpty else {
        content = try file.read()
        base = DocumentBase(content)
        return false
      }
      let outcome = try file.save(NetEdits(unsaved, of: content, since: base))
      unsaved = UnsavedEdits()
      if let rebased = outcome.rebased {
        content = rebased.content
      } else {
        content.markSaved(after: base.revision, upTo: outcome.base.revision, save: base.revision + 1)
      }
      base = outcome.base
      content.setPictures(outcome.pictures)
      return outcome.rebased != nil
    }
  }

  private func edit(_ random: inout SplitMix64) throws -> BackgroundEdit {
    let number = 1 + random.below(7)
    switch random.below(3) {
    case 0: return .clear
    case 1:
      return .later(
        try PendingBackground(
          url: url(number), since: 3, reason: "later", anchor: random.below(2) == 0 ? .center : .topLeft))
    default: return .refuse(url: url(number), .status)
    }
  }

  /// A picture by number; some are so large that 64 MiB do not hold four of them.
  private func picture(_ random: inout SplitMix64, isLarge: Bool) throws -> (CheckedPicture, String?) {
    let number = 1 + random.below(7)
    let size = isLarge ? [100, 12 << 20, 20 << 20][number % 3] : 100 + number
    return (try ArtStoreTests.picture(number, bytes: size), number.isMultiple(of: 4) ? nil : url(number))
  }

  private func walk(_ seed: UInt64, _ counts: inout Counts) throws {
    let folder = try Workspace()
    let file = try folder.document(seed: seed)
    // Each program has an origin of its own: no two edits may have the same id.
    try file.add(seed: seed + 2_000_000)
    var random = SplitMix64(seed: seed)
    var maker = try EditMaker(seed: seed + 1_000_000)
    var author = try Author(origin: Origin(using: &random))
    var memory = try Memory(file, try Author(origin: Origin(using: &random)))
    let isLarge = seed.isMultiple(of: 16)
    for step in 0..<(isLarge ? 16 : Self.steps) {
      let about = "walk \(seed), step \(step)"
      counts.steps += 1
      let before = try file.pictures().map(\.digest)
      var lost: [Background] = []
      switch random.below(12) {
      case 0, 1, 2:
        let (picture, url) = try picture(&random, isLarge: isLarge)
        try file.set(picture, from: url, author.stamp(at: 5))
      case 3: try file.perform(edit(&random), author.stamp(at: 5))
      case 4, 5:
        let direction: UndoDirection = random.below(3) == 0 ? .redo : .undo
        for _ in 0...random.below(5) { lost += try file.step(direction, author.stamp(at: 5))?.lost ?? [] }
      case 6:
        let stamp = maker.stamp()
        let made = try maker.edit(on: file.read())
        try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
          _ = try transaction.perform(made, stamp: stamp)
        }
      case 7, 8:
        let (picture, url) = try picture(&random, isLarge: isLarge)
        try memory.set(picture, from: url, in: file)
      case 9:
        let direction: UndoDirection = random.below(3) == 0 ? .redo : .undo
        for _ in 0...random.below(5) { lost += try memory.step(direction)?.lost ?? [] }
      case 10:
        if let plan = try edit(&random).plan(on: memory.content) {
          try memory.perform(plan.name, plan.changes)
        }
      default:
        if try memory.save(to: file) { counts.rebased += 1 }
        #expect(try memory.content == file.read(), "\(about)")
      }
      try file.checkPictures(about)
      let content = try file.read()
      if content.background != nil { counts.present += 1 }
      for art in [content, memory.content] where art.pending?.reason == PendingBackground.undoReason {
        counts.refetched += 1
        #expect(art.background == nil, "\(about)")
      }
      counts.lost += lost.count
      if try !Set(before).subtracting(file.pictures().map(\.digest)).isEmpty { counts.pruned += 1 }
    }
    _ = try memory.save(to: file)
    try file.checkPictures("walk \(seed), its end")
    #expect(try memory.content == file.read() && file.check().faults == [], "walk \(seed)")
  }

  @Test(
    "B17 after random edits, undos and saves of two programs the bytes of the background and the limits of pictures are right"
  )
  func walks() throws {
    var counts = Counts()
    let campaign = Campaign("backgrounds", smoke: 16)
    for number in campaign.cases { try walk(number, &counts) }
    print(
      "B17 backgrounds: \(campaign.count) walks of \(counts.steps) steps: a background after \(counts.present), pictures "
        + "removed \(counts.pruned) times, \(counts.lost) undos beyond what is kept, \(counts.refetched) times to be "
        + "fetched again, \(counts.rebased) saves that joined")
    campaign.report(tried: campaign.count)
    guard campaign.count >= 16 else { return }
    #expect(counts.present > 100 && counts.pruned > 10 && counts.lost > 5 && counts.rebased > 10)
    #expect(counts.refetched > 0)
  }

  @Test("B17 the control: an undo that ignores which pictures are stored leaves a background without bytes")
  func control() throws {
    let folder = try Workspace()
    let file = try folder.document()
    var maker = try EditMaker(seed: 2)
    for number in 1...5 { try file.set(ArtStoreTests.picture(number), from: url(number), maker.stamp()) }
    for _ in 0..<3 { try file.step(.undo, maker.stamp()) }
    // An undo that ignores the stored pictures.
    let stamp = maker.stamp()
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      guard let plan = try UndoPlan.undo(in: transaction) else { throw .busy("nothing to undo") }
      var rows = transaction
      _ = try transaction.log(plan.name, try rows.apply(plan.changes), kind: plan.kind, stamp)
    }
    let content = try file.read()
    #expect(try content.background?.digest == ArtStoreTests.picture(1).digest)
    #expect(try file.background() == nil && !file.check().faults.isEmpty)
  }
}
