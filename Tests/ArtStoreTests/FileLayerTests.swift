// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import CStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// What SQLite may do with a document's file and the files beside it.
@Suite struct FileLayerTests {
  @Test(
    "F24 a connection never plays back a journal that was not judged, whenever the journal's writer releases its lock"
  )
  func noPlayback() throws {
    let folder = try Workspace()
    let (file, whole) = try folder.crashed()
    let located = try file.locate()
    let torn = try bytes(file.path)
    let journal = try bytes(file.path + "-journal")
    // A journal that appears after the judgement and before the lock was not judged.
    for (mode, begin) in [(Connection.Mode.readWrite, "BEGIN IMMEDIATE"), (.readOnly, "BEGIN")] {
      let error = failure {
        let connection = try DocumentFile.connect(located, mode, Deadline(.zero))
        return try DocumentTransaction(connection, begin: begin)
      }
      #expect(error?.code == .busy, "\(begin)")
    }
    #expect(try bytes(file.path) == torn && bytes(file.path + "-journal") == journal)
    // The control: SQLite itself plays it back.
    let copy = try Connection(
      path: located.path.string, name: "control", mode: .privateCopy, deadline: Deadline(.zero))
    try copy.execute("BEGIN IMMEDIATE; ROLLBACK")
    #expect(try bytes(file.path) == whole)
    withExtendedLifetime(folder) {}
  }

  @Test(
    "F40 a document whose folder gives way to a link, after it was found, is neither opened, moved nor replaced there",
    arguments: ["posters", "etilqs_posters"])
  func linkMeanwhile(posters: String) throws {
    // SQLite's temporary files begin with `etilqs_`, and may be anywhere; a document in such a folder is none.
    let folder = try Workspace()
    for name in [posters, "private", "trash"] { try #require(mkdir(folder[name], 0o755) == 0) }
    let file = try folder.document("\(posters)/bees.emojiart")
    let own = try folder.document("private/bees.emojiart")
    let located = try file.locate()
    let before = try [bytes(file.path), bytes(own.path)]
    try #require(rename(folder[posters], folder["away"]) == 0)
    try #require(symlink(folder["private"], folder[posters]) == 0)
    // The control: a plain open is led away.
    let descriptor = open(located.path.string, O_RDONLY | O_NOFOLLOW)
    #expect(descriptor >= 0)
    close(descriptor)
    #expect(PlainPath.open(located.path.string, O_RDONLY) < 0 && errno == ELOOP)
    for writable in [false, true] {
      #expect(throws: ArtError.self) { try GuardedFile(located, writable: writable) }
      #expect(throws: ArtError.self) {
        try DocumentFile.connect(located, writable ? .readWrite : .readOnly, Deadline(.zero))
      }
    }
    var strict = file
    strict.followsLinks = false
    #expect(QuickState(strict) == nil && QuickState(file) != nil)
    #expect(try [bytes(folder["away/bees.emojiart"]), bytes(own.path)] == before)
    withExtendedLifetime(folder) {}
  }

  @Test(
    "F43 a document that was found in a folder is opened through a link of this user, and not through one of another user"
  )
  func foundLinks() throws {
    let folder = try Workspace()
    _ = try folder.document()
    for (name, target) in [("own", "bees"), ("second", "theirs"), ("theirs", "bees"), ("none", "nowhere")] {
      try #require(symlink("\(target).emojiart", folder["\(name).emojiart"]) == 0)
    }
    func read(_ name: String) -> ArtError? {
      failure { try DocumentFile(found: folder["\(name).emojiart"], timeout: .zero).read() }
    }
    #expect(read("bees") == nil && read("own") == nil && read("second") == nil)
    #expect(read("none")?.cause == "\(folder["none.emojiart"]) is a link to a file that is not there")
    guard isRoot(for: "F43 links of another user") else { return }
    try #require(lchown(folder["theirs.emojiart"], 65534, 65534) == 0)
    for name in ["theirs", "second"] {
      #expect(
        read(name)?.code == .notADocument && read(name)?.cause.contains("another user (65534)") == true,
        "\(name)")
    }
    #expect(read("own") == nil)
  }

  @Test("F11 what is behind a link to a folder is no hint where links are not followed")
  func nearNames() throws {
    let folder = try Workspace()
    try #require(mkdir(folder["private"], 0o700) == 0)
    try write(try bytes(folder.document().path), to: folder["private/roses.emojiart"])
    try #require(symlink(folder["private"], folder["posters"]) == 0)
    for name in ["posters", "private"] {
      var file = DocumentFile(folder["\(name)/rosse.emojiart"])
      #expect(failure { try file.read() }?.cause.contains("did you mean") == true)
      file.followsLinks = false
      #expect(failure { try file.read() }?.cause.contains("did you mean") == (name == "private"))
    }
  }

  @Test("F24 an edit that waited for a lock judges the journal that is there when it has the lock")
  func judgedAfterWaiting() throws {
    let folder = try Workspace()
    let (file, whole) = try folder.crashed()
    try write(whole, to: folder["whole.emojiart"])
    let before = try DocumentFile(folder["whole.emojiart"]).read()
    let holder = try Reservation(file.path)
    let (path, ended) = (file.path, DispatchSemaphore(value: 0))
    let edited = Mutex<ArtError?>(nil)
    // A thread of its own, which no other test can block.
    Thread {
      let error = failure { try DocumentFile(path, timeout: .seconds(3_600)).add(seed: 3) }
      edited.withLock { $0 = error }
      ended.signal()
    }.start()
    // The edit has opened the file, and waits for the lock.
    try wait(for: "an edit that waits for the lock") { try openCount(of: file.path) >= 2 }
    holder.release()
    try ended.wait(for: "an edit")
    #expect(edited.withLock { $0 } == nil)
    #expect(try file.read().emojiCount == before.emojiCount + 1)
    #expect(try file.check().faults == [])
  }

  /// The number of descriptors of the file that this process has.
  private func openCount(of path: String) throws -> Int {
    let all = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    return all.filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
    }
    .count
  }

  @Test(
    "F24 no super-journal makes a connection delete another file, also when it appears after the judgement")
  func superJournal() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.add(seed: 1)
    let located = try file.locate()
    try write(Array("precious".utf8), to: folder["thesis"])
    try write(
      Self.journal(naming: folder["thesis"], pages: try bytes(file.path).count / 4096),
      to: file.path + "-journal")
    // As if the journal had appeared after it was looked for.
    let error = failure {
      let connection = try DocumentFile.connect(located, .readWrite, Deadline(.zero))
      return try DocumentTransaction(connection, begin: "BEGIN IMMEDIATE")
    }
    #expect(error?.code == .busy)
    #expect(try bytes(folder["thesis"]) == Array("precious".utf8))
    // A connection to a private copy, which may play a journal back, deletes no other file either.
    let copy = try Connection(
      path: located.path.string, name: "copy", mode: .privateCopy, deadline: Deadline(.zero))
    _ = failure { try copy.execute("BEGIN IMMEDIATE; ROLLBACK") }
    #expect(try bytes(folder["thesis"]) == Array("precious".utf8))
    // Without the journal the file is whole.
    unlink(file.path + "-journal")
    try write(
      Self.journal(naming: folder["thesis"], pages: try bytes(file.path).count / 4096),
      to: file.path + "-journal")
    try file.add(seed: 2)
    #expect(try bytes(folder["thesis"]) == Array("precious".utf8))
    #expect(try file.read().emojiCount == 2)
  }

  /// A journal without pages that names another file.
  private static func journal(naming victim: String, pages: Int) -> [UInt8] {
    func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    let head = magic + big(0) + big(0x1234) + big(pages) + big(512) + big(4096)
    let name = Array(victim.utf8)
    return head + [UInt8](repeating: 0, count: 512 - head.count) + big((1 << 30) / 4096 + 1) + name
      + big(name.count)
      + big(name.reduce(0) { $0 + Int($1) }) + magic
  }

  @Test(
    "F26 another program's file at the name of a document's journal is neither used as a journal nor overwritten"
  )
  func otherFiles() throws {
    let folder = try Workspace()
    let file = try folder.document("art")
    try file.fill(emojis: 3, edits: 1, seed: 1)
    let content = try file.read()
    // Another document, which rightly has this name.
    let other = try folder.document("art-journal", seed: 2)
    try other.add(seed: 5)
    let bytesOfOther = try bytes(other.path)
    #expect(failure { try file.add(seed: 6) }?.code == .notADocument)
    #expect(try file.read() == content && bytes(other.path) == bytesOfOther)
    unlink(other.path)
    // A picture that begins with a zero, with a second hard link.
    try write([0] + Array("precious".utf8), to: folder["film.mp4"])
    link(folder["film.mp4"], file.path + "-journal")
    #expect(failure { try file.add(seed: 6) }?.code == .notADocument)
    #expect(try bytes(folder["film.mp4"]) == [0] + Array("precious".utf8) && file.read() == content)
    unlink(folder["film.mp4"])
    // With only one name the file is moved to the quarantine, and a notice names its new path.
    let notices = NoticeLog()
    try DocumentFile(file.path, notice: { notices.append("\($0)") }).add(seed: 6)
    let quarantined = try #require(notices.lines.first?.split(separator: " ").last.map(String.init))
    #expect(try bytes(quarantined) == [0] + Array("precious".utf8))
    #expect(try file.read().emojiCount == content.emojiCount + 1)
  }

  @Test("F20 closing a plain descriptor releases no lock of SQLite")
  func descriptors() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let other = try folder.document("other.emojiart", seed: 2)
    try file.edit { (_: DocumentTransaction) throws(ArtError) in
      let descriptor = open(file.path, O_RDONLY)
      PlainFile.close(descriptor)
      _ = QuickState(file)
      do {
        // Another program must find the lock.
        let ended = try run("sqlite3", [file.path, "BEGIN IMMEDIATE"])
        #expect(ended.status != 0 && ended.errors.contains("locked"), "\(ended.errors)")
        #expect(fcntl(descriptor, F_GETFD) >= 0, "the descriptor is closed with the last handle")
        let plain = open(other.path, O_RDONLY)
        PlainFile.close(plain)
        #expect(fcntl(plain, F_GETFD) < 0, "a descriptor of a file without a handle is closed at once")
      } catch { Issue.record(error) }
    }
    let all = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let left = all.filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == file.path
    }
    #expect(left.isEmpty)
  }

  @Test("F20 the quick state of one document does not depend on which others are open")
  func quickLook() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let other = try folder.document("other.emojiart", seed: 2)
    try other.edit { (_: DocumentTransaction) throws(ArtError) in #expect(QuickState(file) != nil) }
  }

  @Test("F12 a document's name leaves enough bytes for the name of its rollback journal")
  func longNames() throws {
    let folder = try Workspace()
    for length in [247, 248, 255] {
      let name = String(repeating: "a", count: length - 9) + ".emojiart"
      var random = SystemRandomNumberGenerator()
      let file = DocumentFile(folder[name])
      let error = failure { try file.create(canvas: .standard, using: &random) }
      #expect(error?.code == (length == 247 ? nil : .badValue), "\(length)")
      if error == nil { try file.add(seed: 1) }
    }
    #expect(try folder.names.count == 1)
  }
}

/// A lock as a writer holds it: while it is held, a journal counts as that of a running save.
private final class Reservation {
  private let handle: OpaquePointer

  init(_ path: String) throws {
    var (code, system) = (SQLITE_OK, Int32(0))
    handle = try #require(document_open(path, true, &code, &system))
    try #require(document_lock(handle, SQLITE_LOCK_SHARED) == SQLITE_OK)
    try #require(document_lock(handle, SQLITE_LOCK_RESERVED) == SQLITE_OK)
  }

  func release() { document_unlock(handle, SQLITE_LOCK_NONE) }

  deinit {
    release()
    document_close(handle)
  }
}
