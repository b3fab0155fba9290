// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("Matching journals to documents") struct JournalMatchTests {
  private let head: JournalHead
  private let other: DocumentID
  private let base: EditID

  init() throws {
    var random = SplitMix64(seed: 2)
    let id = DocumentID(using: &random)
    other = DocumentID(using: &random)
    base = EditID(origin: Origin(using: &random), sequence: 3)
    head = JournalHead(
      origin: Origin(using: &random), author: nil, filePath: FilePath("/art/bees.emojiart"), device: 1,
      inode: 10,
      process: 5,
      started: 0, base: DocumentBase(id: id, revision: 3, head: base))
  }

  private func file(
    _ name: String, inode: UInt, id: DocumentID? = nil, knows: Bool = true
  ) -> JournalMatch.Candidate {
    JournalMatch.Candidate(
      path: FilePath("/art/\(name)"), id: id ?? head.base.id, device: 1, inode: inode,
      edits: knows ? [base] : [])
  }

  private func match(
    _ place: JournalMatch.PathState, _ candidates: [JournalMatch.Candidate], unreadable: [String] = []
  ) -> JournalMatch { JournalMatch(of: head, at: place, among: candidates, unreadable: unreadable) }

  private func reason(_ match: JournalMatch) -> String? {
    if case .kept(let reason, _) = match { reason } else { nil }
  }

  @Test(
    "K12 the document at the recorded path gets the edits, whatever its state and whatever copies are beside it"
  )
  func samePath() {
    let copies = [file("copy", inode: 11), file("copy2", inode: 12)]
    #expect(match(.document(head.base.id), []) == .restore(head.filePath))
    #expect(match(.document(head.base.id), copies) == .restore(head.filePath))
  }

  @Test("K12 a document that was moved gets its edits where it is the only possible one")
  func moved() {
    for place in [JournalMatch.PathState.missing, .document(other)] {
      #expect(match(place, [file("moved", inode: 10)]) == .restore(FilePath("/art/moved")))
      #expect(match(place, [file("moved", inode: 11)]) == .restore(FilePath("/art/moved")))
      #expect(
        match(place, [file("moved", inode: 10), file("copy", inode: 11)]) == .restore(FilePath("/art/moved")))
      #expect(
        match(place, [file("moved", inode: 11), file("old", inode: 12, knows: false)])
          == .restore(FilePath("/art/moved")))
      #expect(
        match(place, [file("moved", inode: 11), file("else", inode: 12, id: other)])
          == .restore(FilePath("/art/moved"))
      )
      #expect(
        match(place, [file("moved", inode: 11), file("link", inode: 11)]) == .restore(FilePath("/art/moved")))
    }
  }

  @Test("K10 where the document is in doubt the edits are kept, with the reason")
  func kept() {
    #expect(reason(match(.missing, [])) == "there is no document /art/bees.emojiart any more")
    #expect(reason(match(.document(other), [])) == "another document stands at /art/bees.emojiart now")
    let copies = [file("a", inode: 11), file("b", inode: 12)]
    #expect(reason(match(.missing, copies))?.contains("several files are copies of it (a, b)") == true)
    #expect(
      reason(match(.missing, [file("old", inode: 10, knows: false)]))?.contains("old is another state")
        == true)
    #expect(
      reason(match(.missing, [file("else", inode: 10, id: other)]))?.hasPrefix("there is no document") == true
    )
    #expect(reason(match(.unreadable(.busy("bees")), [file("copy", inode: 10)]))?.contains("in use") == true)
    #expect(
      reason(match(.missing, [file("a", inode: 11)], unreadable: ["b"]))?.contains("b, which may be it")
        == true)
    #expect(match(.missing, [file("a", inode: 10)], unreadable: ["b"]) == .restore(FilePath("/art/a")))
  }

  @Test("K10 a journal without earlier edits is matched by the id of its document")
  func fresh() throws {
    var fresh = head
    fresh.base = DocumentBase(id: head.base.id, revision: 0, head: nil)
    let moved = JournalMatch(of: fresh, at: .missing, among: [file("moved", inode: 11, knows: false)])
    #expect(moved == .restore(FilePath("/art/moved")))
  }
}

@Suite("Documents that were moved before a restore") struct MovedDocumentTests {
  private func sample() throws -> JournalSample {
    let sample = try JournalSample()
    try sample.abandonJournal(after: 5)
    return sample
  }

  private func own(_ sample: JournalSample, _ name: String) throws -> Int {
    try DocumentFile(sample.space[name]).journalsToRestore(in: sample.folder).own.count
  }

  private func move(_ sample: JournalSample, _ old: String, _ new: String) throws {
    try FileManager.default.moveItem(atPath: sample.space[old], toPath: sample.space[new])
  }

  private func copy(_ sample: JournalSample, _ old: String, _ new: String) throws {
    try FileManager.default.copyItem(atPath: sample.space[old], toPath: sample.space[new])
  }

  @Test("K12 a copy beside the document gets no edits")
  func copyBeside() throws {
    let sample = try sample()
    try copy(sample, "bees.emojiart", "copy.emojiart")
    #expect(try own(sample, "copy.emojiart") == 0)
    #expect(try own(sample, "bees.emojiart") == 1)
  }

  /// Two names of one text: precomposed and decomposed letters, of Latin script and of Hangul.
  static let twins = [
    ("caf\u{E9}.emojiart", "cafe\u{301}.emojiart"),
    ("\u{AC00}.emojiart", "\u{1100}\u{1161}.emojiart"),
    ("\u{212B}.emojiart", "\u{C5}.emojiart"),
  ]

  @Test(
    "K12 A15 edits of a document come into no other file whose name is canonically equivalent",
    arguments: twins)
  func twinNames(name: String, twin: String) throws {
    for (edited, other) in [(name, twin), (twin, name)] {
      let sample = try JournalSample(edited)
      try copy(sample, edited, other)
      try sample.abandonJournal(after: 5)
      #expect(try own(sample, other) == 0)
      #expect(DocumentFile(sample.space[other]).journals(among: try sample.folder.peek()).own.isEmpty)
      #expect(try own(sample, edited) == 1)
      // The edited file has gone, and the other one is a copy of its document.
      try FileManager.default.removeItem(atPath: sample.space[edited])
      #expect(try own(sample, other) == 1)
    }
  }

  @Test(
    "K12 A15 among documents with canonically equivalent names the edits belong to the one at the recorded path",
    arguments: twins)
  func twinCandidates(name: String, twin: String) throws {
    for (edited, other) in [(name, twin), (twin, name)] {
      let sample = try JournalSample(edited)
      try sample.abandonJournal(after: 3)
      try copy(sample, edited, other)
      let journals = try sample.folder.peek()
      let head = try #require(journals.first?.head)
      var search = JournalSearch(for: [head], in: sample.folder)
      // Either way round, both are candidates.
      search.inspect(DocumentFile(sample.space[other]))
      search.inspect(DocumentFile(sample.space[edited]))
      #expect(search.copies(for: head).count == 2)
      #expect(search.match(head) == .restore(try DocumentFile(sample.space[edited]).locate().path))
    }
  }

  @Test("K12 a renamed document gets its edits, also beside a copy of it")
  func renamed() throws {
    let sample = try sample()
    try move(sample, "bees.emojiart", "moved.emojiart")
    #expect(try own(sample, "moved.emojiart") == 1)
    try copy(sample, "moved.emojiart", "copy.emojiart")
    #expect(try own(sample, "copy.emojiart") == 0)
    #expect(try own(sample, "moved.emojiart") == 1)
    let moved = DocumentFile(sample.space["moved.emojiart"])
    for journal in try moved.journalsToRestore(in: sample.folder).own {
      _ = try moved.restore(journal, stamp: sample.stamp())
    }
    #expect(try values(moved.read()) == values(sample.content))
    #expect(try sample.names.isEmpty)
  }

  @Test(
    "K12 a document that was moved to another folder gets its edits, also through a symbolic link")
  func otherFolder() throws {
    let sample = try sample()
    try FileManager.default.createDirectory(atPath: sample.space["sub"], withIntermediateDirectories: false)
    try move(sample, "bees.emojiart", "sub/bees.emojiart")
    try FileManager.default.createSymbolicLink(
      atPath: sample.space["bees.emojiart"], withDestinationPath: sample.space["sub/bees.emojiart"])
    #expect(try own(sample, "sub/bees.emojiart") == 1)
    #expect(try own(sample, "bees.emojiart") == 1)
  }

  @Test("K10 two copies without the original file get no edits, and a single copy does")
  func twoCopies() throws {
    let sample = try sample()
    try copy(sample, "bees.emojiart", "one.emojiart")
    try copy(sample, "bees.emojiart", "two.emojiart")
    try FileManager.default.removeItem(atPath: sample.file.path)
    #expect(try own(sample, "one.emojiart") == 0)
    #expect(try own(sample, "two.emojiart") == 0)
    #expect(try sample.folder.lockOrphans().count == 1)
    try FileManager.default.removeItem(atPath: sample.space["two.emojiart"])
    #expect(try own(sample, "one.emojiart") == 1)
  }

  @Test("K10 another document at the recorded path gets no edits, and commands that look report the journal")
  func replaced() throws {
    let sample = try sample()
    try FileManager.default.removeItem(atPath: sample.file.path)
    let other = try sample.space.document("bees.emojiart", seed: 50)
    // An edit does not open it: the journal's name is of another document.
    let unopened = try other.journalsToRestore(in: sample.folder)
    #expect(unopened.own.isEmpty && unopened.kept.isEmpty)
    let found = other.journals(among: try sample.folder.peek())
    #expect(found.own.isEmpty && found.kept.map { $0.cause.contains("another document") } == [true])
  }

  @Test("K10 a state of the document from before the journal's base gets no edits under another name")
  func olderCopy() throws {
    let space = try Workspace()
    let early = try JournalSample(in: space)
    try FileManager.default.copyItem(atPath: early.file.path, toPath: space["early.emojiart"])
    try early.file.add(seed: 70)
    early.content = try early.file.read()
    early.base = DocumentBase(early.content)
    try early.abandonJournal(after: 3)
    try FileManager.default.removeItem(atPath: early.file.path)
    #expect(try DocumentFile(space["early.emojiart"]).journalsToRestore(in: early.folder).own.isEmpty)
  }

  @Test("M24 a backup of the document in its place gets the edits that still apply")
  func backup() throws {
    let sample = try JournalSample()
    let backup = try bytes(sample.file.path)
    let added = try sample.file.add(seed: 70)
    sample.content = try sample.file.read()
    sample.base = DocumentBase(sample.content)
    let journal = try sample.journal()
    let old = try #require(sample.content.emojisInOrder().first { $0.id != added }?.id)
    let (place, size) = (try Point(x: 1, y: 2), try FontSize(77))
    let entries = [
      try sample.perform("move", [.move(added, to: place)]),
      try sample.perform("resize", [.resize(old, to: size)]),
    ].compactMap { $0 }
    try journal.append(entries, on: sample.base)
    journal.abandon()
    try write(backup, to: sample.file.path)
    let found = try sample.file.journalsToRestore(in: sample.folder)
    #expect(found.own.count == 1)
    let report = try sample.file.restore(found.own[0], stamp: sample.stamp())
    #expect(report.dropped == [.move(added, to: place)])
    #expect(try sample.file.read().emoji(old)?.size == size)
  }

  @Test("K16 an edit opens no other document, and locks and removes no journal of another document")
  func others() throws {
    let sample = try sample()
    let other = try JournalSample("other.emojiart", seed: 8, in: sample.space)
    try other.abandonJournal(after: 2)
    let rest = try JournalSample("rest.emojiart", seed: 9, in: sample.space)
    try rest.abandonJournal(after: 3, saved: 3)
    for name in try sample.names where name.hasPrefix("\(rest.id)-") {
      unlink(sample.folder.path(of: name))
    }
    let opens = try OpenCounter(of: [sample.file.path, rest.file.path])
    let held = try other.file.journalsToRestore(in: sample.folder)
    #expect(held.own.map(\.origin) == [other.origin])
    #expect(try opens.count() == 0)
    #expect(
      try Set(sample.folder.lockOrphans().map(\.origin)) == [sample.origin, rest.origin],
      "only its own journals are locked")
    #expect(try sample.names.contains("\(rest.id).lock"))
    // The control: opens are counted.
    try sample.folder.removeEmptyJournals { _ in true }
    #expect(try opens.count() > 0)
    #expect(!(try sample.names.contains("\(rest.id).lock")))
  }

  @Test("K12 a document gets its edits by any path that leads to its file")
  func otherPath() throws {
    let sample = try sample()
    try FileManager.default.createDirectory(atPath: sample.space["sub"], withIntermediateDirectories: false)
    let link = sample.space["sub/link.emojiart"]
    try FileManager.default.linkItem(atPath: sample.file.path, toPath: link)
    let file = DocumentFile(link)
    #expect(file.journals(among: try sample.folder.peek()).own.count == 1)
    let found = try file.journalsToRestore(in: sample.folder)
    #expect(found.own.count == 1 && found.kept.isEmpty)
    _ = try file.restore(try #require(found.own.first), stamp: sample.stamp())
    #expect(try values(sample.file.read()) == values(sample.content))
    #expect(try sample.names.isEmpty)
  }

  @Test("K12 another document with the inode of the original file gets no edits")
  func reusedInode() throws {
    let sample = try sample()
    let other = try sample.space.document("other.emojiart", seed: 50)
    // The same inode with another document, as after a removal.
    try write(try bytes(other.path), to: sample.file.path)
    try move(sample, "bees.emojiart", "moved.emojiart")
    let moved = DocumentFile(sample.space["moved.emojiart"])
    #expect(try moved.journalsToRestore(in: sample.folder).own.isEmpty)
    #expect(moved.journals(among: try sample.folder.peek()).own.isEmpty)
  }
}

/// Counts how often files are opened.
private struct OpenCounter: ~Copyable {
  private let descriptor: Int32

  init(of paths: [String]) throws {
    descriptor = inotify_init1(Int32(IN_NONBLOCK))
    try #require(descriptor >= 0)
    for path in paths { try #require(inotify_add_watch(descriptor, path, UInt32(IN_OPEN)) >= 0) }
  }

  deinit { close(descriptor) }

  /// The number of opens since the last call. An event without a name has 16 bytes, and equal successive events are merged.
  func count() throws -> Int {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(descriptor, &bytes, bytes.count)
    try #require(count > 0 || errno == EAGAIN)
    return max(0, count) / 16
  }
}
