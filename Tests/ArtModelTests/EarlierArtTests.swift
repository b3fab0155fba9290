// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

/// A document of which each revision was noted when it was the present one.
private struct Noted {
  private(set) var art: DocumentContent
  private(set) var states: [Int: (picture: Picture, head: EditID?)] = [:]
  private var own: Author
  private var other: Author
  private(set) var counts = Counts()

  struct Counts {
    var edits = 0
    var undos = 0
    var reverts = 0
    var rebased = 0
    var dropped = 0
    var lost = 0
  }

  init(_ art: DocumentContent) throws {
    self.art = art
    own = try author(1)
    other = try author(2)
    note()
  }

  private mutating func note() { states[art.revision] = (Picture(art), art.head) }

  /// A random edit, undo, redo, return to a revision, or a rebase of another program's edits.
  mutating func step(_ random: inout RandomEdits) throws {
    switch random.int(0...9) {
    case 0...3: try make(random.edit())
    case 4...5: if let plan = try UndoPlan.undo(in: art) { try make(plan) }
    case 6: if let plan = try UndoPlan.redo(in: art) { try make(plan) }
    case 7: try revert(to: random.int(0...art.revision))
    case 8:
      // A file keeps some pictures, the present one among them.
      let kept = RandomEdits.digests.filter { _ in random.generator.oneIn(2) }
      art.setPictures(Set(kept + (art.background.map { [$0.digest] } ?? [])))
    default: try rebase(&random)
    }
    art.checkInvariants()
  }

  @discardableResult mutating func make(_ edit: Edit) throws -> AppliedEdit {
    counts.edits += 1
    return try make(edit.changes, .edit, edit.name)
  }

  @discardableResult mutating func make(_ plan: UndoPlan) throws -> AppliedEdit {
    counts.undos += 1
    return try make(plan.changes, plan.kind, plan.name)
  }

  /// Returns nil if there was nothing to change.
  @discardableResult mutating func revert(to revision: Int) throws -> AppliedEdit? {
    guard let edit = try RevertPlan(to: revision, in: art).edit else { return nil }
    counts.reverts += 1
    return try make(edit.changes, .edit, edit.name)
  }

  private mutating func make(
    _ changes: [Change], _ kind: LoggedEdit.Kind, _ name: String
  ) throws -> AppliedEdit {
    let applied = try art.apply(changes, of: kind, at: 9)
    counts.lost += applied.lost.count
    guard !applied.changes.isEmpty || kind != .edit else { return applied }
    art.append(entry(own.stamp(at: 9), kind, name, applied, after: art))
    note()
    return applied
  }

  private func entry(
    _ stamp: EditStamp, _ kind: LoggedEdit.Kind, _ name: String, _ applied: AppliedEdit,
    after art: DocumentContent
  ) -> LoggedEdit {
    LoggedEdit(
      stamp, revision: art.revision + 1, save: art.revision + 1, kind: kind,
      edit: Edit(name: name, changes: applied.changes), inverse: applied.inverse, dropped: applied.dropped)
  }

  /// Another program edits the present art, which changes before its edits are rebased on it.
  private mutating func rebase(_ random: inout RandomEdits) throws {
    var open = art
    for _ in 0..<random.int(1...4) {
      let isUndo = random.generator.oneIn(3)
      let plan = isUndo ? try UndoPlan.undo(in: open, by: .origin(other.origin)) : nil
      let edit = try random.edit()
      let kind = plan?.kind ?? .edit
      let applied = try open.apply(plan?.changes ?? edit.changes, of: kind, at: 9)
      guard !applied.changes.isEmpty || kind != .edit else { continue }
      open.append(entry(other.stamp(at: 9), kind, plan?.name ?? edit.name, applied, after: open))
    }
    let unsaved = open.log.dropFirst(art.log.count)
    for _ in 0..<random.int(0...4) { try make(random.edit()) }
    var renamed: [EmojiID: EmojiID] = [:]
    for entry in unsaved {
      let rebased = art.rebase(
        UnsavedEdits([entry]), save: art.revision + 1, renamed: renamed, using: &random.generator)
      renamed = rebased.renamed
      counts.rebased += 1
      counts.dropped += rebased.dropped.count
      note()
    }
  }

  /// The revisions whose content is not computed as it was noted, among those that the log reaches.
  func wrong() throws -> [Int] {
    try art.reachableRevisions.filter { revision in
      let then = try art.content(at: revision)
      then.checkInvariants()
      guard let noted = states[revision], Picture(then) == noted.picture, then.revision == revision,
        then.log[...] == art.log.prefix(while: { $0.revision <= revision })
      else { return true }
      let isHeadKnown = revision == 0 || art.log.first.map { $0.revision <= revision } ?? true
      return then.head != (isHeadKnown ? noted.head : nil)
    }
  }

  /// Puts a false inverse into the entry of a revision, if one of its changes has a value that can be replaced.
  mutating func falsify(_ revision: Int) throws -> Bool {
    var isFalse = false
    let log = try art.log.map { entry in
      guard entry.revision == revision else { return entry }
      let inverse = try entry.inverse.map { change in
        guard case .set(let id, .position(let place)) = change, !isFalse else { return change }
        isFalse = true
        return Change.move(id, to: try Point(x: place.x == 7 ? 8 : 7, y: place.y))
      }
      return LoggedEdit(
        entry.stamp, revision: entry.revision, save: entry.save, kind: entry.kind, edit: entry.edit,
        inverse: inverse, dropped: entry.dropped)
    }
    art = try #require(art.with(log: log))
    return isFalse
  }

  /// A file keeps these pictures.
  mutating func keep(_ pictures: Set<String>) { art.setPictures(pictures) }

  /// Cuts the log at its beginning.
  mutating func trim(_ random: inout RandomEdits) {
    art.trimLog(LogBudget(kept: random.int(0...20), block: random.int(1...4)))
  }
}

extension DocumentContent {
  /// The same document with another log.
  fileprivate func with(log: [LoggedEdit], revision: Int? = nil) -> DocumentContent? {
    DocumentContent(
      id: id, canvas: canvas, fill: fill, background: background, pending: pending,
      emojis: emojisInOrder(), log: log, revision: revision ?? self.revision, head: log.last?.id,
      pictures: pictures)
  }
}

extension Picture {
  /// What a return to this state gives if the file keeps these pictures, at the time 9.
  fileprivate func possible(with pictures: Set<String>) throws -> Picture {
    guard let background, !pictures.contains(background.digest) else { return self }
    var picture = self
    picture.background = nil
    if pending == nil { picture.pending = PendingBackground(replacing: background, since: 9) }
    return picture
  }
}

@Suite("The art at an earlier revision") struct EarlierArtTests {
  @Test(
    "M39 the art at each revision that the log reaches is what it was, after random edits, undos, returns and rebases"
  )
  func asItWas() throws {
    var random = RandomEdits(seed: 91)
    var totals = Noted.Counts()
    var revisions = 0
    for round in 0..<300 {
      var noted = try Noted(random.document())
      for _ in 0..<30 { try noted.step(&random) }
      if random.generator.oneIn(3) { noted.trim(&random) }
      #expect(try noted.wrong() == [], "round \(round)")
      revisions += try noted.art.reachableRevisions.count
      totals.edits += noted.counts.edits
      totals.undos += noted.counts.undos
      totals.reverts += noted.counts.reverts
      totals.rebased += noted.counts.rebased
      totals.dropped += noted.counts.dropped
      totals.lost += noted.counts.lost
    }
    print("M39: \(revisions) revisions, \(totals)")
    #expect(revisions > 6_000 && totals.undos > 1_500 && totals.reverts > 500 && totals.rebased > 1_500)
    #expect(totals.dropped > 50 && totals.lost > 100)
  }

  @Test("M39 the comparison finds a log with a false inverse")
  func control() throws {
    var random = RandomEdits(seed: 92)
    var (falsified, wrong, unreached) = (0, 0, 0)
    for round in 0..<60 {
      var noted = try Noted(random.document())
      for _ in 0..<25 { try noted.step(&random) }
      guard noted.art.revision > 1, try noted.falsify(random.int(1...noted.art.revision)) else { continue }
      falsified += 1
      // Where an earlier entry set the same field, that one does not fit any more.
      let isUnreached = try noted.art.reachableRevisions.lowerBound > 0
      let isWrong = try noted.wrong() != []
      #expect(isWrong || isUnreached, "round \(round)")
      if isUnreached { unreached += 1 }
      if isWrong { wrong += 1 }
    }
    print("M39 control: \(falsified) false inverses, \(wrong) gave other art, \(unreached) a shorter reach")
    #expect(falsified > 10 && wrong > 5 && unreached > 2)
  }

  @Test(
    "M40 going back to any revision is one edit with that art, as far as its picture is kept, and one undo takes it back"
  )
  func backAndForth() throws {
    var random = RandomEdits(seed: 93)
    var (edits, same, lost) = (0, 0, 0)
    for round in 0..<100 {
      var noted = try Noted(random.document())
      for _ in 0..<25 { try noted.step(&random) }
      for revision in try noted.art.reachableRevisions {
        var back = noted
        let before = back.art
        let picture = try #require(noted.states[revision]).picture
        let applied = try back.revert(to: revision)
        guard let applied, !applied.changes.isEmpty else {
          #expect(try Picture(before) == picture.possible(with: before.pictures), "\(round) \(revision)")
          #expect(back.art == before)
          same += 1
          continue
        }
        #expect(try Picture(back.art) == picture.possible(with: before.pictures), "\(round) \(revision)")
        #expect(back.art.log.dropLast() == before.log[...] && back.art.revision == before.revision + 1)
        #expect(back.art.log.last?.edit.name == "back to revision \(revision)")
        let undo = try #require(try UndoPlan.undo(in: back.art))
        #expect(undo.skipped == [] && undo.name == "back to revision \(revision)")
        try back.make(undo)
        #expect(Picture(back.art) == Picture(before), "\(round) \(revision)")
        edits += 1
        lost += applied.lost.count
      }
    }
    print("M40: \(edits) returns, \(same) without effect, \(lost) lost backgrounds")
    #expect(edits > 2_000 && same > 100 && lost > 30)
  }

  /// A document with a bee that was moved to 1, 2, 3 …
  private func walked(_ steps: Int) throws -> (art: DocumentContent, author: Author) {
    var art = try document([emoji("aaaaaaaa")])
    var author = try author(1)
    for step in 1...steps { try art.perform(move(step), by: &author) }
    return (art, author)
  }

  private func move(_ x: Int) throws -> Edit {
    Edit(name: "move 🐝", changes: [.move(try id("aaaaaaaa"), to: try Point(x: Double(x), y: 0))])
  }

  private func place(_ art: DocumentContent) -> Double? { art.emojisInOrder().first?.position.x }

  @Test("M39 a revision that the document has not had is refused, and the present one is the content itself")
  func bounds() throws {
    let (art, _) = try walked(3)
    #expect(try art.content(at: 3) == art && art.reachableRevisions == 0...3)
    #expect(try place(art.content(at: 0)) == 0 && art.content(at: 0).log == [])
    #expect(try art.content(at: 0).head == nil && art.content(at: 2).head == art.log[1].id)
    for revision in [4, .max] {
      let error = try #require(failure { () throws(ArtError) in try art.content(at: revision) })
      #expect(error.code == .noSuchRevision && error.subject == "\(revision)" && error.remedy == .listEdits)
      #expect(error.cause.contains("the document is at revision 3"))
    }
    for revision in [-1, .min] {
      let error = try #require(failure { () throws(ArtError) in try art.content(at: revision) })
      #expect(error.code == .noSuchRevision && error.cause.contains("the oldest one that can be had is 0"))
    }
    let empty = try document()
    #expect(try empty.content(at: 0) == empty && empty.reachableRevisions == 0...0)
    #expect(try RevertPlan(to: 0, in: empty).edit == nil)
    for revision in [-1, 1] {
      #expect(failure { () throws(ArtError) in try empty.content(at: revision) }?.code == .noSuchRevision)
    }
    // A log that a file has without the edits before, such as a document that was made of another one.
    let bare = try #require(try document().with(log: [], revision: 5))
    #expect(try bare.reachableRevisions == 5...5)
    #expect(failure { () throws(ArtError) in try bare.content(at: 4) }?.code == .noSuchRevision)
  }

  @Test(
    "M39 beyond the log, a gap in it, a repair or an entry that does not fit the oldest revision is named")
  func reach() throws {
    var (art, author) = try walked(20)
    art.trimLog(LogBudget(kept: 5, block: 4))
    let oldest = try #require(art.log.first).revision - 1
    #expect(oldest > 0 && oldest < 19)
    func check(_ art: DocumentContent, _ oldest: Int, isHeadKnown: Bool) throws {
      #expect(try art.reachableRevisions == oldest...art.revision)
      let then = try art.content(at: oldest)
      #expect(place(then) == Double(min(oldest, 20)) && (then.head != nil) == isHeadKnown)
      let error = try #require(failure { () throws(ArtError) in try art.content(at: oldest - 1) })
      #expect(error.code == .noSuchRevision && error.subject == "\(oldest - 1)")
      #expect(error.cause.contains("reach back to revision \(oldest - 1)"))
      #expect(error.cause.contains("can be had is \(oldest)"))
      #expect(
        failure { () throws(ArtError) in try RevertPlan(to: oldest - 1, in: art) }?.code == .noSuchRevision)
    }
    try check(art, oldest, isHeadKnown: false)
    // Edits that were merged, because there were too many.
    let gap = try #require(art.with(log: art.log.filter { $0.revision != 18 }))
    try check(gap, 18, isHeadKnown: false)
    // A change that is not there.
    var foreign = art
    foreign.update(
      try #require(foreign.emoji(id("aaaaaaaa"))), to: try emoji("aaaaaaaa", x: 20, size: 41))
    try check(foreign, oldest, isHeadKnown: false)
    foreign.update(
      try #require(foreign.emoji(id("aaaaaaaa"))), to: try emoji("aaaaaaaa", x: 20.5, size: 41))
    #expect(try foreign.reachableRevisions == 20...20)
    #expect(try foreign.content(at: 20).head == art.head)
    // After a repair, before which there may have been other emoji.
    art.append(
      LoggedEdit(
        author.stamp(at: 0), revision: 21, save: 21, kind: .repair, edit: Edit(name: "repair", changes: []),
        inverse: []))
    try check(art, 21, isHeadKnown: true)
    try art.perform(move(22), by: &author)
    #expect(try art.reachableRevisions == 21...22)
  }

  @Test("M39 no log makes the walk fail but by the reach that it names, whatever its entries say")
  func hostileLogs() throws {
    var random = RandomEdits(seed: 94)
    var reached = 0
    for _ in 0..<1_000 {
      var author = try author(3)
      var log: [LoggedEdit] = []
      for revision in 1...random.int(1...4) {
        let (changes, inverse) = (try random.edit().changes, try random.edit().changes)
        log.append(
          LoggedEdit(
            author.stamp(at: 0), revision: revision, save: 1, edit: Edit(name: "edit", changes: changes),
            inverse: random.generator.oneIn(4) ? inverse : Array(inverse.prefix(changes.count))))
      }
      let art = try #require(try random.document().with(log: log, revision: log.count))
      let known = try art.reachableRevisions
      for revision in known { try art.content(at: revision).checkInvariants() }
      reached += known.count
      for revision in 0..<known.lowerBound {
        #expect(failure { () throws(ArtError) in try art.content(at: revision) }?.code == .noSuchRevision)
      }
    }
    #expect(reached >= 1_000)
  }

  @Test("M40 going back to where nothing differs makes no edit")
  func nothing() throws {
    var (art, author) = try walked(2)
    #expect(try RevertPlan(to: 2, in: art).edit == nil)
    try art.perform(move(1), by: &author)
    #expect(try RevertPlan(to: 1, in: art).edit == nil && RevertPlan(to: 1, in: art).effect.isEmpty)
    #expect(try RevertPlan(to: 2, in: art).edit == move(2).renamed("back to revision 2"))
  }

  @Test(
    "M40 each field is set once, however many edits have set it, and an emoji that came back gets its old values"
  )
  func once() throws {
    var (art, author) = try walked(9)
    let bee = try id("aaaaaaaa")
    let caption = EmojiText(try Words("Hello"), box: try TextBox(width: 2, height: 1))
    try art.perform(Edit(name: "words", changes: [.setText(bee, to: caption)]), by: &author)
    let words = art.revision
    try art.perform(Edit(name: "remove", changes: [.remove(bee)]), by: &author)
    try art.perform(Edit(name: "add", changes: [.add(try emoji("aaaaaaaa", "🌸", x: 3, z: 9))]), by: &author)
    #expect(
      try Set(#require(RevertPlan(to: words, in: art).edit).changes) == [
        .setText(bee, to: caption), .move(bee, to: Point(x: 9, y: 0)), .order(bee, to: 0),
      ])
    #expect(try RevertPlan(to: words + 1, in: art).edit?.changes == [.remove(bee)])
    // An emoji that was there in between only is not mentioned.
    let other = try emoji("bbbbbbbb")
    try art.perform(Edit(name: "add", changes: [.add(other)]), by: &author)
    try art.perform(Edit(name: "remove", changes: [.remove(other.id)]), by: &author)
    #expect(try RevertPlan(to: art.revision - 2, in: art).edit == nil)
    #expect(try RevertPlan(to: art.revision - 1, in: art).edit?.changes == [.add(other)])
  }

  @Test("M40 a revision that has another edit by now than the caller means is refused")
  func meant() throws {
    let (art, _) = try walked(3)
    #expect(try RevertPlan(to: 2, head: art.log[1].id, in: art).revision == 2)
    let error = failure { () throws(ArtError) in try RevertPlan(to: 2, head: art.log[2].id, in: art) }
    #expect(error?.code == .movedOn && error?.subject == "2")
  }

  @Test("B19 going back to a background whose bytes are not kept makes its URL pending and reports it")
  func lostBackground() throws {
    for url in ["https://example.org/a.png", nil] {
      var noted = try Noted(document([emoji("aaaaaaaa")]))
      let (first, second) = (RandomEdits.digests[0], RandomEdits.digests[1])
      let canvas = try Canvas(width: 30, height: 20)
      let lost = try Background(digest: first, mediaType: "image/png", size: canvas, url: url)
      let kept = try Background(digest: second, mediaType: "image/png", size: .standard, url: nil)
      try noted.make(Edit(name: "set", changes: [.setBackground(lost), .setCanvas(canvas)]))
      try noted.make(Edit(name: "set", changes: [.setBackground(kept), .setCanvas(.standard)]))
      var back = noted
      #expect(try back.revert(to: 1)?.lost == [] && back.art.background == lost)
      noted.keep([second])
      let before = Picture(noted.art)
      let then = try noted.art.content(at: 1)
      #expect(then.background == lost && !then.holdsPicture(first))
      let applied = try #require(try noted.revert(to: 1))
      #expect(applied.lost == [lost] && applied.dropped == [.setBackground(lost)])
      #expect(noted.art.background == nil && noted.art.canvas == canvas)
      #expect(noted.art.pending?.url == url && noted.art.pending?.reason == url.map { _ in "undo" })
      try noted.make(try #require(try UndoPlan.undo(in: noted.art)))
      #expect(Picture(noted.art) == before)
    }
  }
}

extension Edit {
  fileprivate func renamed(_ name: String) -> Edit { Edit(name: name, changes: changes) }
}
