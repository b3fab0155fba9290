// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import Foundation
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("Duplicating, renaming and deleting documents") struct DocumentsTests {
  private let watched: WatchedFolder
  private let file: DocumentFile
  private let reports = Reports()

  init() throws {
    watched = try WatchedFolder()
    file = try watched.make()
  }

  private var documents: Documents { Documents(by: watched.recovery(reports)) }

  /// The trash of the home file system, on which the folder of this test is.
  private var trash: Trash {
    Trash(home: watched["data/Trash"], time: { 1_800_000_000 }, topOf: { _ in nil })
  }

  @Test("U6 a duplicate has the content and the log of its document, and an id of its own")
  func duplicate() async throws {
    try file.addBee()
    try await watched.orphan(2, of: file)
    let before = try watched.bytes("bees.emojiart")
    let copy = try documents.duplicate(file)
    #expect(copy.path == watched["bees copy.emojiart"] && reports.duplicated == 2 && reports.included == 0)
    let (old, new) = (try file.read(), try copy.read())
    #expect(new.id != old.id && new.emojiCount == 3)
    #expect(new.log.prefix(1).map(\.edit) == old.log.map(\.edit))
    // The duplicate includes the orphaned edits, which stay orphaned for the original.
    #expect(try watched.bytes("bees.emojiart") == before)
    #expect(try watched.recovery().content(of: file).emojiCount == 3)
    #expect(try documents.duplicate(file).path == watched["bees copy 2.emojiart"])
    #expect(code { try documents.duplicate(file, as: copy) } == .exists)
    // The edits of the original can be undone in the duplicate.
    _ = try FileEditing(copy, by: watched.recovery()).step(.undo, 2)
    #expect(try copy.read().emojiCount == 0)
    try watched.overwrite("bees.emojiart", [1, 2, 3])
    #expect(code { try documents.duplicate(file) } == .notADocument)
    #expect(watched.names == ["bees copy 2.emojiart", "bees copy.emojiart", "bees.emojiart"])
  }

  @Test("U7 a rename restores orphaned edits first, and does not replace another file")
  func rename() async throws {
    try await watched.orphan(2, of: file)
    let renamed = try documents.rename(file, to: watched["meadow"])
    #expect(renamed.path == watched["meadow.emojiart"] && reports.restored == 2)
    #expect(try renamed.read().emojiCount == 2 && watched.names == ["meadow.emojiart"])
    try watched.make("ants.emojiart")
    let ants = try watched.bytes("ants.emojiart")
    #expect(code { try documents.rename(renamed, to: watched["ants"]) } == .exists)
    #expect(code { try documents.rename(renamed, to: watched[".."]) } == .badValue)
    #expect(code { try documents.rename(renamed, to: watched["no/where"]) } == .noSuchDocument)
    // SQLite would play back a journal beside the new name.
    try watched.overwrite("new.emojiart-journal", [0])
    #expect(code { try documents.rename(renamed, to: watched["new"]) } == .exists)
    try #require(symlink("meadow.emojiart", watched["link.emojiart"]) == 0)
    let link = DocumentFile(watched["link.emojiart"])
    #expect(code { try documents.rename(link, to: watched["other"]) } == .badValue)
    #expect(try watched.bytes("ants.emojiart") == ants && renamed.read().emojiCount == 2)
  }

  @Test(
    "U7 a hot journal is resolved before its document is renamed, and no journal stays beside the old name"
  )
  func hotJournal() throws {
    try file.save(try (0..<400).map { _ in .add(try Emoji.one()) })
    let whole = try file.read()
    let crashed = DocumentFile(watched["crashed.emojiart"])
    let copies = ["", "-journal"].map { "cp '\(file.path)\($0)' '\(crashed.path)\($0)'" }
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    shell.arguments = [
      "-bail", file.path, "PRAGMA cache_size=2", "BEGIN IMMEDIATE", "PRAGMA user_version=1",
      "UPDATE emoji SET z = z + 7", ".shell \(copies.joined(separator: " && "))", "ROLLBACK",
    ]
    shell.standardOutput = FileHandle.nullDevice
    try shell.start()
    shell.waitUntilExit()
    try #require(try watched.bytes("crashed.emojiart-journal").first == 0xD9)
    let renamed = try documents.rename(crashed, to: watched["mended"])
    #expect(try renamed.read().emojisInOrder() == whole.emojisInOrder())
    #expect(!watched.everything.contains { $0.contains("crashed") || $0.hasSuffix("-journal") })
  }

  @Test("U7 a document that another program has locked for a write is not renamed")
  func inUse() throws {
    let held = DocumentFile(file.path, timeout: .milliseconds(1))
    let target = watched["other.emojiart"]
    try file.edit { (_: DocumentTransaction) throws(ArtError) in
      #expect(code { try held.move(to: target) } == .busy)
    }
    #expect(watched.names == ["bees.emojiart"])
  }

  @Test("U8 the trash records the path and the time of a deleted document, and restores it")
  func trashed() async throws {
    try await watched.orphan(2, of: file)
    let trashed = try documents.delete(file, into: trash)
    #expect(reports.restored == 2 && watched.names == ["data/Trash/files/bees.emojiart"])
    let info = try watched.text("data/Trash/info/bees.emojiart.trashinfo").split(separator: "\n")
    #expect(info.first == "[Trash Info]" && info.count == 3)
    #expect(info[1] == "Path=\(Trash.encoded(trashed.original))")
    #expect(try info[2].wholeMatch(of: Regex(#"DeletionDate=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"#)) != nil)
    var status = stat()
    #expect(stat(watched["data/Trash"], &status) == 0 && status.st_mode & 0o777 == 0o700)
    let back = try documents.undelete(trashed)
    #expect(try back.path == trashed.original && back.read().emojiCount == 2)
    #expect(watched.names == ["bees.emojiart"] && !watched.everything.contains { $0.hasSuffix(".trashinfo") })
    #expect(code { try documents.undelete(trashed) } == .noSuchDocument)
    _ = try documents.delete(back, into: trash)
    #expect(Trash.encoded("/a b/🐝%") == "/a%20b/%F0%9F%90%9D%25")
  }

  @Test("U8 a document is not restored from the trash over a new document of the same name")
  func comesBack() throws {
    let trashed = try documents.delete(file, into: trash)
    let new = try watched.make()
    let bytes = try watched.bytes("bees.emojiart")
    #expect(code { try documents.undelete(trashed) } == .exists)
    #expect(try watched.bytes("bees.emojiart") == bytes)
    // A second document of the same name gets a place of its own in the trash.
    let second = try documents.delete(new, into: trash)
    #expect(second.path == watched["data/Trash/files/bees.2.emojiart"])
    #expect(second.info == watched["data/Trash/info/bees.2.emojiart.trashinfo"])
    try documents.undelete(trashed)
    #expect(watched.names == ["bees.emojiart", "data/Trash/files/bees.2.emojiart"])
  }

  @Test("U8 of several documents from one path the one that was deleted last comes back first")
  func newest() throws {
    #expect(code { try trash.newest(from: file.path) } == .noSuchDocument)
    #expect(!watched.everything.contains("data"), "looking makes no folder")
    for count in 1...11 {
      for _ in 0..<count { try file.addBee() }
      _ = try documents.delete(file, into: trash)
      try documents.create(file)
    }
    // Others: of another path, without its file, and what other programs have written.
    try watched.make("a.emojiart")
    _ = try documents.delete(DocumentFile(watched["a.emojiart"]), into: trash)
    let real = FilePath(try trash.newest(from: file.path).original).folder
    let path = "Path=\(Trash.encoded("\(real)/bees.emojiart"))"
    try watched.overwrite("data/Trash/info/z.trashinfo", Array("[Trash Info]\n\(path)\nDeletionDate=9".utf8))
    try watched.overwrite("data/Trash/info/y.trashinfo", Array(repeating: 0xFF, count: 100_000))
    try watched.overwrite("data/Trash/info/x.trashinfo", [])
    for count in (1...11).reversed() {
      _ = try documents.delete(file, into: Trash(home: watched["other"], time: { 0 }, topOf: { _ in nil }))
      let back = try documents.undelete(trash.newest(from: file.path))
      #expect(try back.read().emojiCount == count)
    }
    #expect(code { try trash.newest(from: file.path) } == .noSuchDocument)
    #expect(code { try trash.newest(from: watched["no/such"]) } == .noSuchDocument)
  }

  @Test("U8 a path is recognised however another program has encoded it")
  func otherEncoding() throws {
    let name = "bees (1)!.emojiart"
    let document = try watched.make(name)
    try document.addBee()
    let trashed = try documents.delete(document, into: trash)
    #expect(Trash.encoded(trashed.original).hasSuffix("/bees%20(1)!.emojiart"))
    // Another program deletes a later one, and encodes more characters.
    let later = try watched.make(name)
    try watched.move(name, "data/Trash/files/later")
    let path = trashed.original.utf8.map { "%" + String($0, radix: 16) }.joined()
    let info = "[Trash Info]\r\nPath=\(path)\r\nDeletionDate=2099-01-01T00:00:00\r\n"
    try watched.overwrite("data/Trash/info/later.trashinfo", Array(info.utf8))
    // What only looks like the path is another one.
    for (name, path) in [("half", trashed.original + "%2"), ("sign", trashed.original + "%+1"), ("none", "")]
    {
      try watched.overwrite("data/Trash/files/\(name)", [])
      try watched.overwrite(
        "data/Trash/info/\(name).trashinfo", Array("Path=\(path)\nDeletionDate=2999-01-01T00:00:00".utf8))
    }
    #expect(try documents.undelete(trash.newest(from: later.path)).read().emojiCount == 0)
    try watched.remove(name)
    #expect(try documents.undelete(trash.newest(from: later.path)).read().emojiCount == 1)
  }

  @Test(
    "U8 a document comes back from the trash at a folder above, where a program puts it that sees that folder alone"
  )
  func boundFolder() throws {
    for name in ["art", "art/deep"] { try #require(mkdir(watched[name], 0o700) == 0) }
    let art = String(cString: try #require(realpath(watched["art"], nil)))
    let document = try watched.make("art/deep/bees.emojiart")
    // As in a service to which the folder is bound: no home, and the folder is the top.
    let service = Trash(home: nil, time: { 1_800_000_001 }, topOf: { _ in art })
    let own = "art/.Trash-\(geteuid())"
    for count in 1...2 {
      try document.addBee()
      if count == 2 { try document.addBee() }
      _ = try documents.delete(document, into: count == 1 ? trash : service)
      try documents.create(document)
    }
    #expect(try watched.text("\(own)/info/bees.emojiart.trashinfo").contains("\nPath=deep/bees.emojiart\n"))
    try watched.remove("art/deep/bees.emojiart")
    // The newest of both comes back first.
    #expect(try documents.undelete(trash.newest(from: document.path)).read().emojiCount == 2)
    try watched.remove("art/deep/bees.emojiart")
    #expect(try documents.undelete(trash.newest(from: document.path)).read().emojiCount == 1)
    #expect(code { try trash.newest(from: document.path) } == .noSuchDocument)
    // A link at the place of a trash is not followed.
    _ = try documents.delete(document, into: service)
    try watched.move(own, "theirs")
    try #require(symlink("../theirs", watched[own]) == 0)
    #expect(code { try trash.newest(from: document.path) } == .noSuchDocument)
  }

  @Test(
    "U8 a trash in which a folder belongs to another user is not used: neither what it holds, nor for a document"
  )
  func foreignTrash() throws {
    guard isRoot(for: "U8 a trash of another user") else { return }
    try documents.create(DocumentFile(watched["ants.emojiart"]))
    _ = try documents.delete(DocumentFile(watched["ants.emojiart"]), into: trash)
    for name in ["Trash/files", "Trash/info", "Trash"] {
      let path = watched["data/\(name)"]
      try #require(chown(path, 65534, 65534) == 0)
      #expect(code { try documents.delete(file, into: trash) } == .notPermitted, "\(name)")
      #expect(code { try trash.newest(from: watched["ants.emojiart"]) } == .noSuchDocument, "\(name)")
      try #require(chown(path, 0, 0) == 0)
    }
    // A link of this user may lead to it.
    try watched.move("data/Trash", "elsewhere")
    try #require(symlink("../elsewhere", watched["data/Trash"]) == 0)
    _ = try documents.delete(file, into: trash)
    #expect(try documents.undelete(trash.newest(from: watched["ants.emojiart"])).read().emojiCount == 0)
    try #require(lchown(watched["data/Trash"], 65534, 65534) == 0)
    #expect(code { try trash.newest(from: file.path) } == .noSuchDocument)
  }

  @Test("U8 two programs that delete documents of the same name at once leave both documents in the trash")
  func together() async throws {
    mkdir(watched["a"], 0o700)
    mkdir(watched["b"], 0o700)
    let files = try [watched.make("a/bees.emojiart"), watched.make("b/bees.emojiart")]
    let (documents, trash) = (documents, trash)
    async let one = onThread { try documents.delete(files[0], into: trash) }
    async let two = onThread { try documents.delete(files[1], into: trash) }
    let trashed = try await [one, two]
    #expect(Set(trashed.map(\.path)).count == 2 && trashed.map(\.original) == files.map(\.path))
    for each in trashed { try documents.undelete(each) }
    #expect(watched.names == ["a/bees.emojiart", "b/bees.emojiart", "bees.emojiart"])
  }

  @Test("U8 a document on another file system goes into the trash at its top, with a relative path")
  func topFolder() throws {
    mkdir(watched["deep"], 0o700)
    let deep = try watched.make("deep/bees.emojiart")
    let top = String(cString: try #require(realpath(watched.path, nil)))
    let other = Trash(home: nil, user: geteuid(), time: { 0 }, topOf: { _ in top })
    let trashed = try documents.delete(deep, into: other)
    let own = ".Trash-\(geteuid())"
    #expect(trashed.path == "\(top)/\(own)/files/bees.emojiart")
    #expect(try watched.text("\(own)/info/bees.emojiart.trashinfo").contains("\nPath=deep/bees.emojiart\n"))
    try documents.undelete(trashed)
    // A folder that an administrator made for all users is used only if it has the sticky bit.
    mkdir(watched[".Trash"], 0o777)
    #expect(try documents.delete(deep, into: other).path.contains(own))
    try watched.move("\(own)/files/bees.emojiart", "deep/bees.emojiart")
    try #require(chmod(watched[".Trash"], 0o1777) == 0)
    #expect(
      try documents.delete(deep, into: other).path == "\(top)/.Trash/\(geteuid())/files/bees.emojiart")
    // Another user who has made it could exchange what is in it.
    if isRoot(for: "U8 a folder of trashes of another user") {
      try documents.create(deep)
      try #require(chown(watched[".Trash"], 65534, 65534) == 0)
      #expect(try documents.delete(deep, into: other).path.contains(own))
      try #require(chown(watched[".Trash"], 0, 0) == 0)
    }
    // A symbolic link at the place of the trash is not followed.
    try documents.create(deep)
    try #require(
      Glibc.rename(watched[".Trash"], watched["elsewhere"]) == 0
        && Glibc.rename(watched[own], watched["theirs"]) == 0)
    try #require(symlink("theirs", watched[own]) == 0)
    #expect(code { try documents.delete(deep, into: other) } == .notPermitted)
    #expect(try deep.read().emojiCount == 0)
  }

  @Test(
    "U8 unsaved edits of a running program are saved after their deleted document is restored from the trash")
  func unsaved() async throws {
    let document = try await watched.opened(file)
    try await document.perform(Edit(name: "edit", changes: [.add(try Emoji.one())]))
    let trashed = try documents.delete(file, into: trash)
    do {
      try await document.save()
      #expect(Bool(false), "it was saved into nothing")
    } catch {
      #expect(error.code == .noSuchDocument)
    }
    #expect(await document.unsavedChanges == 1)
    try documents.undelete(trashed)
    try await document.save()
    try await document.close()
    #expect(try file.read().emojiCount == 1)
  }

  @Test("U8 orphaned edits of a deleted document are restored after it is restored from the trash")
  func orphanedInTrash() async throws {
    let document = try await watched.opened(file)
    try await document.perform(Edit(name: "edit", changes: [.add(try Emoji.one())]))
    let trashed = try documents.delete(file, into: trash)
    await document.abandon()
    #expect(watched.recovery().journals().count == 1)
    try documents.undelete(trashed)
    #expect(try watched.recovery().content(of: file).emojiCount == 1)
    _ = try documents.rename(file, to: watched["meadow"])
    #expect(try DocumentFile(watched["meadow.emojiart"]).read().emojiCount == 1)
  }
}
