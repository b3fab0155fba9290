// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("The files of warnings") struct WarningStoreTests {
  private let folder: Workspace
  private let file: DocumentFile

  init() throws {
    folder = try Workspace()
    file = try folder.document()
  }

  private var path: String { folder["state/warnings"] }

  private func store(_ file: DocumentFile) throws -> WarningStore { try WarningStore(for: file, in: path) }

  private func names() throws -> [String] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  @Test(
    "B22 the record of shown, stopped and refused warnings is kept for a document at its path, and can be removed"
  )
  func kept() throws {
    let store = try self.store(file)
    #expect(try store.record() == WarningRecord())
    let before = try store.update {
      $0.wasShown = true
      $0.lastRefused = store.digest(of: "https://example.org/a.png?key=hidden")
    }
    #expect(before == WarningRecord())
    let record = try self.store(file).record()
    #expect(record.wasShown && !record.isStopped)
    #expect(record.lastRefused == store.digest(of: "https://example.org/a.png?key=hidden"))
    #expect(record.lastRefused != store.digest(of: "https://example.org/a.png"))
    try store.update { $0.isStopped = true }
    #expect(try store.record().isStopped && store.record().wasShown)
    // By a link it is the same document; a copy is another one, and so is a later document at the same path.
    symlink("bees.emojiart", folder["link.emojiart"])
    #expect(try self.store(DocumentFile(folder["link.emojiart"])).record().isStopped)
    try write(bytes(file.path), to: folder["copy.emojiart"])
    #expect(try self.store(DocumentFile(folder["copy.emojiart"])).record() == WarningRecord())
    unlink(file.path)
    _ = try folder.document(seed: 2)
    #expect(try self.store(file).record() == WarningRecord())
    try store.update { $0 = WarningRecord() }
    #expect(try names() == [], "an empty record has no file")
    #expect(failure { try self.store(DocumentFile(folder["none.emojiart"])) }?.code == .noSuchDocument)
  }

  @Test("B23 a record has no URL, is small, and is private to its user")
  func secret() throws {
    let store = try self.store(file)
    try store.update { $0.lastRefused = store.digest(of: "https://hidden.example/?key=hidden") }
    let name = try #require(try names().first)
    let kept = try bytes("\(path)/\(name)")
    #expect(!String(decoding: kept, as: UTF8.self).contains("hidden") && kept.count < 200)
    var status = stat()
    try #require(stat("\(path)/\(name)", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    try #require(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
  }

  @Test("B23 a damaged or foreign record counts as empty, and the next update replaces it")
  func damaged() throws {
    let store = try self.store(file)
    try store.update {
      $0.isStopped = true
      $0.lastRefused = store.digest(of: "https://example.org/a.png")
    }
    let path = try "\(self.path)/\(#require(names().first))"
    let whole = try bytes(path)
    var random = SplitMix64(seed: 83)
    var (tried, asNothing) = (0, 0)
    var contents: [[UInt8]] = [
      [], Array("null".utf8), Array("[]".utf8), Array(#"{"told":1}"#.utf8), Array(#"{"other":true}"#.utf8),
      Array(repeating: UInt8(ascii: "["), count: 1_000_000), Array(#"{"told":true,"told":true}"#.utf8),
    ]
    for _ in 0..<300 {
      var content = whole
      for _ in 0...random.below(3) { content[random.below(content.count)] = UInt8(random.below(256)) }
      contents.append(
        Array(content.prefix(random.below(3) == 0 ? random.below(content.count) : content.count)))
    }
    for content in contents {
      try write(content, to: path)
      tried += 1
      if try store.record() == WarningRecord() { asNothing += 1 }
      try store.update { $0.wasShown = true }
      #expect(try store.record().wasShown)
    }
    // A link or a pipe in the place of the file is not read and not written through.
    unlink(path)
    try write(whole, to: folder["elsewhere"])
    symlink(folder["elsewhere"], path)
    #expect(try store.record() == WarningRecord())
    try store.update { $0.wasShown = true }
    #expect(try bytes(folder["elsewhere"]) == whole)
    #expect(try store.record().wasShown && names().count == 1)
    unlink(path)
    mkfifo(path, 0o600)
    #expect(try store.record() == WarningRecord())
    print("B23 warnings: \(tried) damaged or foreign contents, \(asNothing) of them as if nothing was told")
    #expect(tried > 300 && asNothing > 100 && asNothing < tried)
  }

  /// The number of updates that failed, not counting busy ones, which are repeated.
  private static func update(_ store: WarningStore, _ number: Int) -> Int {
    var wrong = 0
    for round in 0..<50 {
      var isDone = false
      while !isDone {
        do throws(ArtError) {
          try store.update {
            if number.isMultiple(of: 2) { $0.lastRefused = "\(round)" } else { $0.isStopped = round == 49 }
            $0.wasShown = true
          }
          isDone = true
        } catch {
          // Eight updates in a row may exceed the timeout on a busy machine, which is reported as busy.
          isDone = error.code != .busy
          wrong += isDone ? 1 : 0
        }
      }
    }
    return wrong
  }

  @Test("B23 several programs change records one after the other, and none loses another one's change")
  func together() async throws {
    let files = try (0..<4).map { try folder.document("\($0).emojiart", seed: UInt64($0)) }
    let stores = try (0..<8).map { try self.store(files[$0 / 2]) }
    let wrong = await withTaskGroup(of: Int.self) { group in
      for (number, store) in stores.enumerated() { group.addTask { Self.update(store, number) } }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
    for store in stores { #expect(try store.record().wasShown) }
    #expect(try names().count == 4)
    let records = try stores.map { try $0.record() }
    #expect(records.allSatisfy { $0.isStopped && $0.lastRefused == "49" })
  }

  @Test("B23 a killed update leaves the old record or the new one")
  func killed() throws {
    let store = try self.store(file)
    try store.update { $0.lastRefused = "old" }
    let name = try "\(path)/\(#require(names().first))"
    let old = try bytes(name)
    // Files of a killed update: part of the new content under the other name, and no lock.
    for count in [0, 1, 20, 60] {
      try write(Array(old.prefix(count)), to: name + ".new")
      #expect(try store.record().lastRefused == "old")
      try store.update { $0.wasShown.toggle() }
      #expect(try names().count == 1)
    }
    let lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try #require(flock(lock, LOCK_EX) == 0)
    #expect(failure { try store.update { $0.isStopped = true } }?.code == .busy)
    #expect(try store.record().lastRefused == "old" && !store.record().isStopped)
    close(lock)
    try store.update { $0.isStopped = true }
    #expect(try store.record().isStopped)
    // A killed update does not hinder the removal of the record, and its file is removed, too.
    try write(Array(old.prefix(20)), to: name + ".new")
    try store.update { $0 = WarningRecord() }
    #expect(try store.record() == WarningRecord() && names() == [])
  }

  @Test("without a state folder every record is empty, and an update is no error")
  func nowhere() throws {
    let store = try WarningStore(for: file, in: nil)
    #expect(try store.record() == WarningRecord())
    #expect(try store.update { $0.isStopped = true } == WarningRecord())
    #expect(try store.record() == WarningRecord())
    #expect(try names() == [])
    let blocked = try WarningStore(for: file, in: file.path + "/warnings")
    #expect(try blocked.record() == WarningRecord())
    #expect(failure { try blocked.update { $0.isStopped = true } } != nil)
  }
}
