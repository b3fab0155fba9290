// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("The journal of edits") struct EditJournalTests {
  @Test(
    "K1 appended edits are read back unchanged, once and in order, after their program has ended"
  )
  func roundTrip() throws {
    let sample = try JournalSample()
    let journal = try sample.journal()
    for batch in [1, 7, 1, 30] {
      try journal.append(try sample.edits(batch), on: sample.base)
      if batch == 7 { _ = journal.cut() }
    }
    let undone = try #require(sample.made.last)
    let dropped = try sample.maker.change(on: sample.content)
    let undo = try #require(
      try sample.perform(undone.edit.name, undone.inverse, kind: .undo(undone.id), dropped: [dropped]))
    let redo = try #require(try sample.perform(undone.edit.name, [], kind: .redo(undo.id)))
    try journal.append([undo, redo], on: sample.base)
    journal.abandon()
    let orphan = try sample.lockedOrphan()
    let contents = try orphan.contents()
    #expect(contents.damage == nil)
    #expect(contents.entries == sample.made)
    #expect(contents.entries.count == 41)
    #expect(contents.head == orphan.head)
    let head = try #require(contents.head)
    let located = try sample.file.locate()
    #expect(head.origin == sample.origin && head.author == "ada" && head.base == sample.base)
    #expect(head.filePath == located.path && head.device == located.device && head.inode == located.inode)
    #expect(head.process == Int(getpid()))
    #expect(contents.modified > 1_600_000_000_000 && orphan.modified == contents.modified)
  }

  @Test("K1 edits that are appended together, and the head of a new segment, are one write")
  func oneWrite() throws {
    let sample = try JournalSample()
    let journal = try sample.journal()
    var writes = 0
    journal.calls.write = { (file, start, count, offset) in
      writes += 1
      return pwrite(file, start, count, offset)
    }
    try journal.append(try sample.edits(100), on: sample.base)
    #expect(writes == 1)
    try journal.append(try sample.edits(1), on: sample.base)
    #expect(writes == 2)
    try journal.append([], on: sample.base)
    #expect(writes == 2)
    #expect(journal.bytes == (try bytes(sample.segment())).count)
  }

  @Test("K1 short and interrupted writes are continued where they ended")
  func shortWrites() throws {
    let sample = try JournalSample()
    let journal = try sample.journal()
    var calls = 0
    journal.calls.write = { (file, start, count, offset) in
      calls += 1
      if calls.isMultiple(of: 3) {
        errno = EINTR
        return -1
      }
      return pwrite(file, start, min(count, 10), offset)
    }
    try journal.append(try sample.edits(3), on: sample.base)
    try journal.append(try sample.edits(2), on: sample.base)
    journal.abandon()
    #expect(try sample.lockedOrphan().contents().entries == sample.made)
  }

  @Test("K2 a failed write leaves nothing in the journal, and the next write follows the last accepted edit")
  func failedWrite() throws {
    for capacity in [0, 1, 40, 300, 700] {
      for isFirst in [true, false] {
        let sample = try JournalSample()
        let journal = try sample.journal()
        if !isFirst { try journal.append(try sample.edits(2), on: sample.base) }
        let before = sample.made
        let refused = try sample.edits(5)
        var left = capacity
        journal.calls.write = { (file, start, count, offset) in
          guard left > 0 else {
            errno = ENOSPC
            return -1
          }
          let done = pwrite(file, start, min(count, left), offset)
          left -= done
          return done
        }
        #expect(failure { try journal.append(refused, on: sample.base) }?.code == .diskFull)
        #expect(journal.bytes == (try bytes(sample.segment())).count)
        journal.calls = Journal.Calls()
        try journal.append(Array(refused.prefix(2)), on: sample.base)
        journal.abandon()
        let contents = try sample.lockedOrphan().contents()
        #expect(contents.damage == nil)
        #expect(contents.entries == before + refused.prefix(2))
      }
    }
  }

  @Test("K2 while a failed write cannot be taken back no edit is accepted, and its segment is not closed")
  func failedTruncation() throws {
    let sample = try JournalSample()
    let journal = try sample.journal()
    try journal.append(try sample.edits(2), on: sample.base)
    let kept = sample.made
    let refused = try sample.edits(4)
    var isBroken = true
    var isFirst = true
    journal.calls.write = { (file, start, count, offset) in
      guard isBroken else { return pwrite(file, start, count, offset) }
      if isFirst {
        isFirst = false
        return pwrite(file, start, min(count, 500), offset)
      }
      errno = EIO
      return -1
    }
    journal.calls.truncate = { (file, length) in
      guard isBroken else { return ftruncate(file, length) }
      errno = EIO
      return -1
    }
    let first = failure { try journal.append(refused, on: sample.base) }
    #expect(first?.code == .inputOutput)
    #expect(failure { try journal.append(refused, on: sample.base) }?.code == .inputOutput)
    #expect(journal.cut() == 0, "a segment with a partial write is not closed")
    isBroken = false
    try journal.append(refused, on: sample.base)
    #expect(journal.cut() == 1)
    try journal.append(try sample.edits(1), on: sample.base)
    journal.abandon()
    #expect(try sample.lockedOrphan().contents().entries == kept + sample.made.dropFirst(2))
  }

  @Test(
    "K2 edits that were refused are not restored if their write cannot be taken back before the program ends",
    arguments: [1, 4], [true, false])
  func failedTruncationAndKill(refused count: Int, isFirst: Bool) throws {
    for lines in 0...count {
      let sample = try JournalSample()
      let journal = try sample.journal()
      if !isFirst { try journal.append(try sample.edits(3), on: sample.base) }
      let kept = sample.made
      let before = isFirst ? 0 : journal.bytes
      let refused = try sample.edits(count)
      // What the system writes of them: whole lines, and some bytes of the next one.
      var written = 0
      journal.calls.write = { (file, start, size, offset) in
        guard written == 0, let start else {
          errno = EIO
          return -1
        }
        var left = lines + (isFirst ? 1 : 0)
        let bytes = UnsafeRawBufferPointer(start: start, count: size)
        let end = bytes.firstIndex { byte in
          if byte == UInt8(ascii: "\n") { left -= 1 }
          return left < 0
        }
        written = min(end ?? size, size - 1)
        return pwrite(file, start, written, offset)
      }
      journal.calls.truncate = { (_, _) in
        errno = EIO
        return -1
      }
      #expect(failure { try journal.append(refused, on: sample.base) }?.code == .inputOutput)
      #expect(try bytes(sample.segment()).count == before + written)
      journal.abandon()
      let contents = try sample.lockedOrphan().contents()
      #expect(contents.entries == kept && contents.damage == nil, "\(lines) of \(count) lines")
    }
  }

  @Test("K3 the journal is readable by its user only, and locked while its program lives")
  func privacy() throws {
    let sample = try JournalSample()
    let journal = try sample.journal()
    try journal.append(try sample.edits(1), on: sample.base)
    var status = stat()
    for (path, mode) in [
      (sample.space["state"], 0o40700), (sample.folder.path, 0o40700),
      (sample.folder.path(of: sample.base.id), 0o40700), (sample.segment(), 0o100600),
      (sample.lockPath, 0o100600),
    ] {
      try #require(lstat(path, &status) == 0)
      #expect(Int(status.st_mode) == mode, "\(path)")
    }
    #expect(try sample.folder.lockOrphans().isEmpty)
    #expect(try sample.folder.peek().isEmpty)
    #expect(try sample.names == ["\(sample.id)-000001.journal", "\(sample.id).lock"])
    journal.abandon()
    #expect(try sample.folder.peek().count == 1)
    #expect(try sample.folder.lockOrphans().count == 1)
  }

  @Test("K4 a save removes the segments that it holds, oldest first, and no others")
  func removal() throws {
    let sample = try JournalSample()
    let journal = try sample.journal()
    #expect(journal.cut() == 0)
    try journal.append(try sample.edits(2), on: sample.base)
    #expect(journal.cut() == 1)
    #expect(journal.cut() == 1)
    try journal.append(try sample.edits(3), on: sample.base)
    let mark = journal.cut()
    #expect(mark == 2)
    try journal.append(try sample.edits(4), on: sample.base)
    let all = journal.bytes
    try journal.remove(upTo: 1)
    #expect(try sample.names.filter { $0.hasSuffix(".journal") }.count == 2)
    #expect(journal.bytes < all)
    try FileManager.default.removeItem(atPath: sample.segment(2))
    try journal.remove(upTo: mark)
    #expect(try sample.names == ["\(sample.id)-000003.journal", "\(sample.id).lock"])
    #expect(journal.bytes == (try bytes(sample.segment(3))).count)
    journal.abandon()
    let contents = try sample.lockedOrphan().contents()
    #expect(contents.entries.map(\.id) == sample.made.dropFirst(5).map(\.id))
    #expect(contents.damage == nil)
  }

  @Test("K4 a segment that cannot be removed stays with the later ones, and the next save tries again")
  func stubbornSegment() throws {
    let sample = try JournalSample()
    let journal = try sample.journal()
    for _ in 0..<3 {
      try journal.append(try sample.edits(1), on: sample.base)
      _ = journal.cut()
    }
    // A folder cannot be unlinked.
    try FileManager.default.removeItem(atPath: sample.segment(1))
    try FileManager.default.createDirectory(atPath: sample.segment(1), withIntermediateDirectories: false)
    #expect(failure { try journal.remove(upTo: 3) } != nil)
    #expect(try sample.names.count == 4)
    #expect(failure { try journal.close() } != nil)
    try FileManager.default.removeItem(atPath: sample.segment(1))
    try journal.remove(upTo: 3)
    #expect(try sample.names == ["\(sample.id).lock"])
  }

  @Test("K4 closing removes the segments first and the lock after them")
  func closing() throws {
    let sample = try JournalSample()
    let journal = try sample.journal()
    try journal.append(try sample.edits(1), on: sample.base)
    _ = journal.cut()
    try journal.append(try sample.edits(1), on: sample.base)
    try journal.close()
    #expect(journal.bytes == 0)
    #expect(try sample.names == ["\(sample.id).lock"])
    #expect(try sample.folder.lockOrphans().isEmpty, "its program is running")
    #expect(try sample.names == ["\(sample.id).lock"])
    try journal.release()
    #expect(try sample.names.isEmpty)
    #expect(failure { try journal.append(try sample.edits(1), on: sample.base) }?.code == .closed)
  }

  @Test("K6 the error for a folder that cannot hold a journal names the folder and its variable")
  func unusableFolder() throws {
    let sample = try JournalSample()
    try write([1], to: sample.space["state"])
    let error = try #require(failure { try sample.journal() })
    #expect(error.cause.contains(sample.folder.path) && error.cause.contains("EMOJIART_STATE"))
    let missing = DocumentFile(sample.space["nobody.emojiart"])
    let none = failure {
      try Journal(in: sample.folder, of: missing, on: sample.base, origin: sample.origin, author: nil)
    }
    #expect(none?.code == .noSuchDocument)
  }

  @Test("K6 a journal whose files were removed accepts no more edits, and the error says that it was removed")
  func removedFolder() throws {
    let sample = try JournalSample()
    let journal = try sample.journal()
    try journal.append(try sample.edits(1), on: sample.base)
    try FileManager.default.removeItem(atPath: sample.folder.path)
    let next = try sample.edits(1)
    #expect(failure { try journal.append(next, on: sample.base) }?.cause.contains("was removed") == true)
    _ = journal.cut()
    #expect(failure { try journal.append(next, on: sample.base) }?.cause.contains("was removed") == true)
    try FileManager.default.createDirectory(atPath: sample.folder.path, withIntermediateDirectories: true)
    #expect(
      failure { try journal.append(next, on: sample.base) } != nil,
      "a journal without its lock accepts no edits")
  }

  @Test("K4 a journal whose folder was removed meanwhile is closed without an error when all is saved")
  func closedAfterRemoval() throws {
    let sample = try JournalSample()
    let journal = try sample.journal()
    try journal.append(try sample.edits(1), on: sample.base)
    try FileManager.default.removeItem(atPath: sample.folder.path(of: sample.base.id))
    try journal.close()
    try journal.release()
    #expect(try sample.names.isEmpty)
  }

  @Test(
    "K6 the error of a journal that was removed on another machine says so, and does not name a missing document"
  )
  func removedElsewhere() throws {
    for number in [ENOENT, ESTALE] {
      let sample = try JournalSample()
      let journal = try sample.journal()
      journal.calls.write = { _, _, _, _ in
        errno = number
        return -1
      }
      let error = failure { try journal.append(try sample.edits(1), on: sample.base) }
      #expect(error?.code == .inputOutput && error?.cause.contains("was removed") == true)
    }
  }

  @Test("K1 edits that do not follow the last one, and edits of another program, are refused")
  func order() throws {
    let sample = try JournalSample()
    let journal = try sample.journal()
    let edits = try sample.edits(4)
    try journal.append([edits[0]], on: sample.base)
    #expect(failure { try journal.append([edits[2]], on: sample.base) } != nil)
    #expect(failure { try journal.append([edits[1], edits[3]], on: sample.base) } != nil)
    #expect(failure { try journal.append([edits[0]], on: sample.base) } != nil)
    let other = try JournalSample(seed: 9)
    #expect(failure { try journal.append(try other.edits(1), on: sample.base) } != nil)
    try journal.append([edits[1]], on: sample.base)
    journal.abandon()
    #expect(try sample.lockedOrphan().contents().entries == Array(edits.prefix(2)))
  }

  @Test("K1 segments are numbered beyond six digits, and their names are parsed strictly")
  func names() throws {
    let id = JournalID(
      document: try #require(DocumentID("kpz3hxcmq6qt")), origin: try #require(Origin("k3m9abcd0f2z")))
    let name = "kpz3hxcmq6qt/k3m9abcd0f2z"
    #expect(JournalFormat.segment(7, of: id) == "\(name)-000007.journal")
    #expect(JournalFormat.segment(1_234_567, of: id) == "\(name)-1234567.journal")
    let origin = "k3m9abcd0f2z"
    #expect(JournalName("\(origin)-1234567.journal", of: id.document) == .segment(id, 1_234_567))
    #expect(JournalName("\(origin).lock", of: id.document) == .lock(id))
    for name in [
      "", origin, "\(origin)-7.journal", "\(origin)-0000007.journal", "\(origin)-000000.journal",
      "k3m9abcd0f2-000007.journal", "\(name).lock", "kpz3hxcmq6qt-\(origin).lock",
      origin.uppercased() + ".lock", "\(origin)-000007.journal~", "\(origin)-+00007.journal",
      "\(origin)-٠٠٠٠٠7.journal", "\(origin)-9999999999999999999.journal", "\(origin)-", "🐝.lock",
      "\(origin)🐝.lock", "\(origin)-000007.lock", "\(origin)/000007.lock",
    ] { #expect(JournalName(name, of: id.document) == nil, "\(name)") }
  }
}
