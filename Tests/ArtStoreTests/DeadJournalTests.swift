// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("Journals of programs that are gone") struct DeadJournalTests {
  /// A journal whose program is gone.
  private func sample(seed: UInt64 = 1, in space: Workspace? = nil) throws -> JournalSample {
    let sample = try JournalSample("bees\(seed).emojiart", seed: seed, in: space)
    let journal = try sample.journal()
    try journal.append(try sample.edits(3), on: sample.base)
    journal.abandon()
    return sample
  }

  @Test("K9 an absent folder has no journals and is not made")
  func absent() throws {
    let space = try Workspace()
    let folder = JournalFolder(space["nowhere/journal"])
    #expect(try folder.dead().isEmpty && folder.peek().isEmpty)
    #expect(try space.names.isEmpty)
    try write([1], to: space["file"])
    #expect(try JournalFolder(space["file/journal"]).dead().isEmpty)
  }

  @Test("K9 looking reads the journals and writes nothing, also where nothing can be written")
  func peeking() throws {
    let sample = try sample()
    try FileManager.default.removeItem(atPath: sample.lockPath)
    let paths = [sample.folder.path, sample.segment()]
    let prints = try paths.map(fingerprint)
    let seen = try sample.folder.peek()
    #expect(seen.map(\.origin) == [sample.origin])
    #expect(try seen[0].contents().entries == sample.made)
    #expect(failure { try seen[0].removeSegments() } != nil)
    #expect(failure { try seen[0].removeLock() } != nil)
    #expect(try paths.map(fingerprint) == prints)
    #expect(try sample.names == ["\(sample.origin)-000001.journal"])
  }

  @Test("K9 several may look at once, and who restores waits for them")
  func lookers() throws {
    let sample = try sample()
    var first: [DeadJournal]? = try sample.folder.peek()
    #expect(try sample.folder.peek().count == 1)
    let path = sample.lockPath
    #expect(try JournalLock.take(path, making: false, Deadline(.zero)) == nil)
    #expect(first?.count == 1)
    first = nil
    var restoring: JournalLock? = try JournalLock.take(path, making: false, Deadline(.zero))
    #expect(restoring != nil)
    #expect(try sample.folder.peek().isEmpty, "one that is being restored is not shown")
    #expect(try sample.folder.dead().isEmpty)
    restoring = nil
    #expect(try sample.folder.dead().count == 1)
  }

  @Test("K10 a lock file that is nobody's goes when somebody restores, and what is no journal stays")
  func leftovers() throws {
    let sample = try sample()
    let other = try JournalSample("other.emojiart", seed: 9, in: sample.space)
    let empty = try other.journal()
    empty.abandon()
    let living = try JournalSample("living.emojiart", seed: 10, in: sample.space)
    let alive = try living.journal()
    try write([1], to: sample.folder.path(of: "note.txt"))
    #expect(try sample.folder.peek().count == 1)
    #expect(try sample.names.count == 5)
    let dead = try sample.folder.dead()
    #expect(dead.map(\.origin) == [sample.origin])
    #expect(
      try Set(sample.names) == [
        "\(sample.origin)-000001.journal", "\(sample.origin).lock", "\(living.origin).lock", "note.txt",
      ])
    try alive.release()
  }

  @Test("K10 segments without a lock file are a journal whose program is gone, and get one")
  func lostLock() throws {
    let sample = try sample()
    try FileManager.default.removeItem(atPath: sample.lockPath)
    let dead = try sample.dead()
    #expect(try dead.contents().entries == sample.made)
    #expect(try sample.names.contains("\(sample.origin).lock"))
    #expect(try sample.folder.dead().isEmpty, "it is locked")
    try dead.removeSegments()
    try dead.removeLock()
    #expect(try sample.names.isEmpty)
  }

  @Test("K10 a journal in which no edit was answered goes with its lock file")
  func nothingAnswered() throws {
    for bytes in [[], Array("0123456789abcdef {\"aut".utf8), [UInt8](repeating: 0, count: 900)] {
      let sample = try sample()
      try write(bytes, to: sample.segment())
      #expect(try sample.folder.peek().isEmpty)
      #expect(try sample.names.count == 2)
      for journal in try sample.folder.dead() {
        #expect(try sample.file.restore(journal, stamp: sample.stamp(seed: 6)).edits == 0)
      }
      #expect(try sample.names.isEmpty)
    }
  }

  @Test(
    "K10 a journal that cannot be read at its beginning is kept, damaged, and its lock says of which document"
  )
  func unreadable() throws {
    let sample = try sample()
    var segment = try bytes(sample.segment())
    segment[20] ^= 1
    try write(segment, to: sample.segment())
    for hasLock in [true, false] {
      if !hasLock { try write([], to: sample.lockPath) }
      let dead = try sample.dead()
      #expect(dead.head?.base.id == (hasLock ? sample.base.id : nil))
      #expect(try dead.contents().damage != nil)
      #expect(try sample.names.count == 2)
      #expect(failure { try sample.file.restore(dead, stamp: sample.stamp(seed: 6)) }?.code == .damaged)
    }
  }

  @Test("K28 a journal that cannot be looked at is named when it is read, and hides no other")
  func unlookable() throws {
    for (name, make) in [
      ("00000000000z.lock", { symlink("nowhere", $0) }),
      ("00000000000z-000001.journal", { mkdir($0, 0o700) }),
      ("00000000000z.lock", { mkdir($0, 0o700) }),
    ] as [(String, (String) -> Int32)] {
      let sample = try sample()
      #expect(make(sample.folder.path(of: name)) == 0)
      #expect(try sample.folder.peek().contains { $0.origin == sample.origin && $0.head != nil }, "\(name)")
      let dead = try sample.folder.dead()
      #expect(dead.contains { $0.origin == sample.origin && $0.head != nil }, "\(name)")
      for journal in dead where journal.origin != sample.origin {
        #expect(
          failure { try journal.contents().damage.map { _ in throw ArtError(.damaged, "") } } != nil,
          "\(name)")
      }
    }
  }

  @Test("K13 a lock says whose it is also when the first write failed")
  func lockAfterFailure() throws {
    let sample = try JournalSample()
    let journal = try sample.journal()
    journal.calls.write = { _, _, _, _ in
      errno = ENOSPC
      return -1
    }
    let entries = try sample.edits(1)
    #expect(throws: ArtError.self) { try journal.append(entries, on: sample.base) }
    journal.calls.write = pwrite
    try journal.append(entries, on: sample.base)
    let line = try #require(try bytes(sample.lockPath).split(separator: UInt8(ascii: "\n")).first)
    #expect(Array(line).withUnsafeBufferPointer { JournalLines.json(of: $0) != nil })
  }

  @Test("K11 a lock on a file that stands at its path no longer is not believed")
  func replacedLock() throws {
    let sample = try sample()
    let path = sample.lockPath
    let old = try #require(try JournalLock.take(path, making: false, Deadline(.zero)))
    #expect(try old.stands())
    try FileManager.default.removeItem(atPath: path)
    #expect(try !old.stands())
    let new = try JournalLock.own(path)
    #expect(try new.stands() && !old.stands())
    #expect(try JournalLock.take(path, making: true, Deadline(.zero)) == nil)
    try new.unlink()
    #expect(try JournalLock.take(path, making: false, Deadline(.zero)) == nil)
    #expect(try !new.stands())
  }

  @Test("K11 a program that starts while others look for leftovers keeps its lock")
  func starting() async throws {
    let space = try Workspace()
    let folder = JournalFolder(space["journal"])
    try StateFolder.makeFolders(folder.path)
    var random = SplitMix64(seed: 3)
    let origins = (0..<200).map { _ in Origin(using: &random) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask { for _ in 0..<200 { _ = try folder.dead() } }
        group.addTask { for _ in 0..<200 { _ = try folder.peek() } }
      }
      group.addTask {
        for origin in origins {
          let lock = try JournalLock.own(folder.path(of: JournalFormat.lock(of: origin)))
          #expect(try lock.stands())
        }
      }
      try await group.waitForAll()
    }
    #expect(try folder.dead().isEmpty)
    #expect(try folder.files().isEmpty)
  }
}
