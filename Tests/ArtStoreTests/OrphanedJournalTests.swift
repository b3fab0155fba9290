// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("Orphaned journals") struct OrphanedJournalTests {
  /// An orphaned journal with three edits.
  private func sample(seed: UInt64 = 1, in space: Workspace? = nil) throws -> JournalSample {
    let sample = try JournalSample("bees\(seed).emojiart", seed: seed, in: space)
    let journal = try sample.journal()
    try journal.append(try sample.edits(3), on: sample.base)
    journal.abandon()
    return sample
  }

  @Test("K8 an absent folder has no journals and is not made")
  func absent() throws {
    let space = try Workspace()
    let folder = JournalFolder(space["nowhere/journal"])
    #expect(try folder.lockOrphans().isEmpty && folder.peek().isEmpty)
    #expect(try space.names.isEmpty)
    try write([1], to: space["file"])
    #expect(try JournalFolder(space["file/journal"]).lockOrphans().isEmpty)
  }

  @Test("K8 reading journals without locks writes nothing, also where nothing can be written")
  func peeking() throws {
    let sample = try sample()
    try FileManager.default.removeItem(atPath: sample.lockPath)
    let paths = [sample.folder.path, sample.segment()]
    let prints = try paths.map(fingerprint)
    let journals = try sample.folder.peek()
    #expect(journals.map(\.origin) == [sample.origin])
    #expect(try journals[0].contents().entries == sample.made)
    #expect(failure { try journals[0].removeSegments() } != nil)
    #expect(failure { try journals[0].removeLock() } != nil)
    #expect(try paths.map(fingerprint) == prints)
    #expect(try sample.names == ["\(sample.id)-000001.journal"])
  }

  @Test("K16 an edit opens only the folder of its document's journals")
  func foreignJournals() throws {
    let sample = try sample()
    for seed in 2...4 { _ = try self.sample(seed: UInt64(seed), in: sample.space) }
    let living = try JournalSample("living.emojiart", seed: 5, in: sample.space)
    let alive = try living.journal()
    // A name without a document, a pipe, and a link: nobody waits for them or follows them.
    try write([1], to: sample.folder.path(of: "\(sample.origin).lock"))
    #expect(mkdir(sample.folder.path(of: "00000000000y"), 0o700) == 0)
    #expect(mkfifo(sample.folder.path(of: "00000000000y/00000000000z.lock"), 0o600) == 0)
    #expect(symlink("/dev/zero", sample.folder.path(of: "00000000000y/00000000000z-000001.journal")) == 0)
    let opened = try opens(in: sample.folder.path) {
      let found = try sample.file.journalsToRestore(in: sample.folder)
      #expect(found.own.map(\.id) == [sample.id] && found.kept.isEmpty)
    }
    #expect(opened.contains("\(sample.id).lock") && opened.allSatisfy { $0.hasPrefix("\(sample.base.id)") })
    let other = try sample.space.document("free.emojiart", seed: 9)
    #expect(try opens(in: sample.folder.path) { _ = try other.journalsToRestore(in: sample.folder) } == [])
    // What the check itself can see.
    #expect(try opens(in: sample.folder.path) { _ = try sample.folder.peek() }.count > 1)
    try alive.release()
  }

  /// The paths, from a folder, of the folders in it and of their files that are opened meanwhile.
  private func opens(in folder: String, _ body: () throws -> Void) throws -> Set<String> {
    let queue = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    try #require(queue >= 0)
    defer { close(queue) }
    // The folders by their watches.
    var folders: [UInt8: String] = [:]
    for name in try [""] + FileManager.default.contentsOfDirectory(atPath: folder).map({ "\($0)/" }) {
      let watch = inotify_add_watch(queue, "\(folder)/\(name)", UInt32(IN_OPEN | IN_ONLYDIR))
      if watch >= 0 { folders[UInt8(watch)] = name }
    }
    try #require(folders.count > 1)
    try body()
    var names: Set<String> = []
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(queue, &bytes, bytes.count)
      guard count > 0 else { return names }
      var offset = 0
      // inotify(7): wd, mask, cookie and len, of four bytes each, and a name with zero bytes behind it.
      while offset + 16 <= count {
        let length = Int(bytes[offset + 12]) | Int(bytes[offset + 13]) << 8
        let name = bytes[(offset + 16)..<(offset + 16 + length)].prefix { $0 != 0 }
        if !name.isEmpty {
          names.insert((folders[bytes[offset]] ?? "") + String(decoding: name, as: UTF8.self))
        }
        offset += 16 + length
      }
    }
  }

  @Test("K12 a journal whose name is of another document than its head is damage, and restored into neither")
  func lyingName() throws {
    let sample = try sample()
    let other = try JournalSample("other.emojiart", seed: 2, in: sample.space)
    let named = JournalID(document: other.base.id, origin: sample.origin)
    try #require(mkdir(sample.folder.path(of: other.base.id), 0o700) == 0)
    for name in try sample.names where name.contains(".") {
      let new = name.replacing("\(sample.id)", with: "\(named)")
      try #require(rename(sample.folder.path(of: name), sample.folder.path(of: new)) == 0)
    }
    let found = try other.file.journalsToRestore(in: sample.folder)
    #expect(found.own.isEmpty && found.kept.map(\.code) == [.damaged])
    #expect(try sample.file.journalsToRestore(in: sample.folder).own.isEmpty)
    let journal = try sample.lockedOrphan()
    #expect(journal.head == nil && journal.id == named)
    #expect(try journal.contents().damage?.contains("head of another segment") == true)
    #expect(failure { try other.file.restore(journal, stamp: sample.stamp()) }?.code == .damaged)
    #expect(failure { try sample.file.restore(journal, stamp: sample.stamp()) }?.code == .damaged)
  }

  @Test(
    "K16 a reader does not keep a journal locked, and finds nothing in a journal that is being restored or was restored"
  )
  func readers() throws {
    let sample = try sample()
    let journals = try sample.folder.peek()
    #expect(try sample.folder.peek().count == 1)
    #expect(try journals[0].contents().entries == sample.made)
    var restoring = try JournalLock.acquire(sample.lockPath, creating: false, Deadline(.zero)).lock
    #expect(restoring != nil, "the reader has released its lock")
    #expect(try sample.folder.peek().isEmpty, "a journal that is being restored is not listed")
    #expect(try sample.folder.lockOrphans().isEmpty)
    #expect(try journals[0].contents().entries.isEmpty, "a journal that is being restored is not read")
    restoring = nil
    let report = try sample.file.restore(sample.lockedOrphan(), stamp: sample.stamp())
    #expect(report.edits == 3)
    #expect(try journals[0].contents().entries.isEmpty && journals[0].locked() == nil)
  }

  @Test("K16 edits that are restored between the reading of a journal and of its document are seen once")
  func restoredMeanwhile() throws {
    let sample = try sample()
    let contents = try sample.lockedOrphan().contents()
    _ = try sample.file.restore(sample.lockedOrphan(), stamp: sample.stamp())
    let remaining = try sample.file.read { (transaction) throws(ArtError) in
      let log = try transaction.load().log
      return try RemainingEdits(contents, in: transaction, holding: log, of: "bees").entries
    }
    #expect(remaining.isEmpty)
  }

  @Test(
    "K16 a document whose journal another program is reading cannot be restored, and is busy")
  func busy() throws {
    let sample = try sample()
    let other = try self.sample(seed: 5, in: sample.space)
    guard case .acquired(let reader) = try JournalLock.share(sample.lockPath) else {
      Issue.record("the journal is locked")
      return
    }
    var file = sample.file
    file.timeout = .zero
    var random = SplitMix64(seed: 3)
    let author = try Author(origin: Origin(using: &random))
    var reported = 0
    let error = failure { try file.restoreOrphans(in: sample.folder, by: { author }) { _ in reported += 1 } }
    #expect(error?.code == .busy && reported == 0)
    #expect(error?.cause.contains(sample.file.path) == true)
    #expect(try sample.names.count == 4 && shell(sample.file.path, "SELECT count(*) FROM origin") == "0\n")
    // The journal of another document does not block.
    file = other.file
    file.timeout = .zero
    try file.restoreOrphans(in: sample.folder, by: { author }) { _ in reported += 1 }
    #expect(reported == 1)
    withExtendedLifetime(reader) {}
  }

  @Test("K16 a journal that another program is restoring is busy until its timeout")
  func restoring() throws {
    let sample = try sample()
    // As if it were a journal of another program, which has ended.
    sample.folder = JournalFolder(
      sample.folder.path,
      host: JournalHost(home: JournalHost.current.home, process: 1, processes: .these([:])))
    let restorer = try JournalLock.acquire(sample.lockPath, creating: false, Deadline(.zero)).lock
    #expect(failure { try sample.folder.lockOrphans(timeout: .zero) }?.code == .busy)
    withExtendedLifetime(restorer) {}
  }

  @Test("K14 a lock file without a head is removed, and locked journals and files that are no journals stay")
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
    do {
      let orphans = try sample.folder.lockOrphans()
      #expect(Set(orphans.map(\.origin)) == [sample.origin, other.origin])
      try sample.folder.removeEmptyJournals { _ in true }
      #expect(try sample.names.count == 5, "both journals are locked")
      withExtendedLifetime(orphans) {}
    }
    let foreign = try #require(DocumentID("00000000000y"))
    #expect(mkdir(sample.folder.path(of: foreign), 0o700) == 0)
    try write([], to: sample.folder.path(of: "\(foreign)/00000000000z.lock"))
    let listing = try sample.folder.listing(of: foreign)
    #expect(try listing.files.count == 1 && sample.folder.lockOrphans(listing).isEmpty)
    #expect(try sample.names.count == 5, "a lock file without a head is removed")
    try sample.folder.removeEmptyJournals { _ in true }
    let kept = [
      "\(sample.id)-000001.journal", "\(sample.id).lock", "\(living.id).lock", "note.txt",
    ]
    #expect(try Set(sample.names) == Set(kept), "the empty journal is removed when no program locks it")
    try alive.release()
  }

  @Test("K14 a restore of all journals removes the journals of ended programs without unsaved edits")
  func spent() throws {
    let sample = try sample()
    let other = try JournalSample("other.emojiart", seed: 9, in: sample.space)
    try other.journal().abandon()
    let living = try JournalSample("living.emojiart", seed: 10, in: sample.space)
    let alive = try living.journal()
    try sample.folder.removeEmptyJournals { $0.base.id == sample.base.id }
    #expect(try sample.names.count == 4)
    try sample.folder.removeEmptyJournals { _ in true }
    #expect(
      try Set(sample.names) == [
        "\(sample.id)-000001.journal", "\(sample.id).lock", "\(living.id).lock",
      ])
    try alive.release()
  }

  @Test(
    "K14 an empty folder of a document, which a kill left, is removed by its next edit and by a restore of all"
  )
  func emptyFolders() throws {
    let sample = try JournalSample()
    let other = try #require(DocumentID("00000000000y"))
    for id in [sample.base.id, other] {
      try StateFolder.makeFolders(sample.folder.path(of: id))
    }
    #expect(try sample.file.journalsToRestore(in: sample.folder).own.isEmpty)
    #expect(try sample.names == ["\(other)"])
    try sample.folder.removeEmptyJournals { _ in true }
    #expect(try sample.names.isEmpty)
  }

  @Test(
    "K15 a folder of a document that cannot be listed is reported to who asks for it, and hides no other one")
  func unlistedFolder() throws {
    let sample = try sample()
    let other = try JournalSample("other.emojiart", seed: 9, in: sample.space)
    let place = sample.folder.path(of: other.base.id)
    for (make, why) in [
      ({ symlink(place, place) }, "links"), ({ creat(place, 0o600) }, "Not a directory"),
      ({ mkdir(place, 0o700) + chmod(place, 0o777) }, "others may write"),
    ] as [(() -> Int32, String)] {
      try #require(make() >= 0)
      for journals in [try sample.folder.peek(), try sample.folder.lockOrphans()] {
        #expect(journals.filter { !$0.isFolder }.map(\.origin) == [sample.origin])
        let errors = ArtError.unreadableJournals(journals)
        #expect(errors.count == 1 && errors[0].cause.contains(why), "\(errors)")
        #expect(journals.first { $0.isFolder }?.path == place)
      }
      #expect(
        try other.file.journalsToRestore(in: sample.folder).kept.map(\.cause).first?.contains(why) == true)
      #expect(try sample.file.journalsToRestore(in: sample.folder).kept.isEmpty)
      #expect(failure { try other.journal() } != nil, "no journal is made in such a folder")
      try FileManager.default.removeItem(atPath: place)
    }
  }

  @Test("K14 segments without a lock file are an orphaned journal, which gets a lock file")
  func lostLock() throws {
    let sample = try sample()
    try FileManager.default.removeItem(atPath: sample.lockPath)
    let orphan = try sample.lockedOrphan()
    #expect(try orphan.contents().entries == sample.made)
    #expect(try sample.names.contains("\(sample.id).lock"))
    #expect(try sample.folder.lockOrphans().isEmpty, "the journal is locked")
    try orphan.removeSegments()
    try orphan.removeLock()
    #expect(try sample.names.isEmpty)
  }

  @Test("K14 a journal without an acknowledged edit is removed with its lock file")
  func nothingAnswered() throws {
    for bytes in [[], Array("0123456789abcdef {\"aut".utf8), [UInt8](repeating: 0, count: 900)] {
      let sample = try sample()
      try write(bytes, to: sample.segment())
      #expect(try sample.folder.peek().isEmpty)
      #expect(try sample.names.count == 2)
      for journal in try sample.folder.lockOrphans() {
        #expect(try sample.file.restore(journal, stamp: sample.stamp(seed: 6)).edits == 0)
      }
      #expect(try sample.names.isEmpty)
      // A command that restores everything removes it as well.
      let other = try self.sample()
      try write(bytes, to: other.segment())
      try other.folder.removeEmptyJournals { _ in true }
      #expect(try other.names.isEmpty)
    }
  }

  @Test(
    "K14 a journal with a damaged head is kept, and its lock file names its document"
  )
  func unreadable() throws {
    let sample = try sample()
    var segment = try bytes(sample.segment())
    segment[20] ^= 1
    try write(segment, to: sample.segment())
    for hasLock in [true, false] {
      if !hasLock { try write([], to: sample.lockPath) }
      let orphan = try sample.lockedOrphan()
      #expect(orphan.head?.base.id == (hasLock ? sample.base.id : nil))
      #expect(try orphan.contents().damage != nil)
      #expect(try sample.names.count == 2)
      #expect(failure { try sample.file.restore(orphan, stamp: sample.stamp(seed: 6)) }?.code == .damaged)
    }
  }

  @Test(
    "K15 an entry of the folder that cannot be read as a journal hides no other one, and reading it is an error"
  )
  func unreadableEntry() throws {
    for (name, make) in [
      ("00000000000y/00000000000z.lock", { symlink("nowhere", $0) }),
      ("00000000000y/00000000000z-000001.journal", { mkdir($0, 0o700) }),
      ("00000000000y/00000000000z.lock", { mkdir($0, 0o700) }),
    ] as [(String, (String) -> Int32)] {
      let sample = try sample()
      #expect(mkdir(sample.folder.path(of: "00000000000y"), 0o700) == 0)
      #expect(make(sample.folder.path(of: name)) == 0)
      #expect(try sample.folder.peek().contains { $0.origin == sample.origin && $0.head != nil }, "\(name)")
      let orphans = try sample.folder.lockOrphans()
      #expect(orphans.contains { $0.origin == sample.origin && $0.head != nil }, "\(name)")
      for journal in orphans where journal.origin != sample.origin {
        #expect(
          failure { try journal.contents().damage.map { _ in throw ArtError(.damaged, "") } } != nil,
          "\(name)")
      }
    }
  }

  @Test("K15 commands need no more open files for many journals, and list each of them")
  func many() throws {
    let space = try Workspace()
    let state = space["state"]
    let count = 100
    for seed in 1...count {
      let sample = try JournalSample("gone\(seed).emojiart", emojis: 0, seed: UInt64(seed), in: space)
      try sample.abandonJournal(after: 1)
      unlink(sample.file.path)
    }
    let bees = try space.document("bees.emojiart", seed: 1_000)
    func limited(_ words: String) throws -> Ended {
      try run(
        "/bin/sh", ["-c", "ulimit -n 24; exec '\(emojiart)' \(words)"], environment: ["EMOJIART_STATE": state]
      )
    }
    let list = try limited("restore --list")
    #expect(list.status == 0 && list.errors.isEmpty, "\(list.errors)")
    #expect(list.output.split(separator: "\n").count == 2 * count)
    for words in [
      "show '\(bees.path)'", "add '\(bees.path)' 🐝", "list '\(space.path)'", "restore '\(bees.path)'",
    ] {
      let ended = try limited(words)
      #expect(ended.status == 0 && ended.errors.isEmpty, "\(words): \(ended.errors)")
    }
    #expect(try limited("restore").status == 66)
    #expect(try limited("restore '\(space.path)' --discard --yes").status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: state + "/journal").isEmpty)
  }

  @Test("K6 a lock file names its owner also when the first write to the journal failed")
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

  @Test("K3 a lock on a file that is no longer at its path is not valid")
  func replacedLock() throws {
    let sample = try sample()
    let path = sample.lockPath
    let old = try #require(try JournalLock.acquire(path, creating: false, Deadline(.zero)).lock)
    #expect(try old.isAtPath())
    try FileManager.default.removeItem(atPath: path)
    #expect(try !old.isAtPath())
    let new = try JournalLock.create(path)
    #expect(try new.isAtPath() && !old.isAtPath())
    #expect(try JournalLock.acquire(path, creating: true, Deadline(.zero)).lock == nil)
    try new.unlink()
    #expect(try JournalLock.acquire(path, creating: false, Deadline(.zero)).lock == nil)
    #expect(try !new.isAtPath())
  }

  @Test("K3 a program that starts while others list orphaned journals keeps its lock")
  func starting() async throws {
    let space = try Workspace()
    let folder = JournalFolder(space["journal"])
    try StateFolder.makeFolders(folder.path)
    var random = SplitMix64(seed: 3)
    let origins = (0..<200).map { _ in Origin(using: &random) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask { for _ in 0..<200 { _ = try folder.lockOrphans() } }
        group.addTask { for _ in 0..<200 { _ = try folder.peek() } }
      }
      group.addTask {
        for origin in origins {
          let lock = try JournalLock.create(
            folder.path(
              of: JournalFormat.lock(of: JournalID(document: DocumentID(lowBits: 5), origin: origin))))
          #expect(try lock.isAtPath())
        }
      }
      try await group.waitForAll()
    }
    #expect(try folder.lockOrphans().isEmpty)
    #expect(
      try leaves(of: folder.path).isEmpty, "the folder of the document is removed with its last journal")
  }
}
