// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore
@testable import ArtSystem

/// Files that replace others, and files in folders that others may write to.
@Suite struct FileRightsTests {
  /// A document that needs a repair.
  private func broken(_ folder: Workspace) throws -> DocumentFile {
    let file = try folder.document()
    try file.fill(emojis: 3, edits: 2, seed: 1)
    try shell(file.path, "UPDATE edit SET time = 1 WHERE revision = 2")
    return file
  }

  private func list(_ path: String) throws -> String {
    let ended = try run("getfacl", ["--absolute-names", "--omit-header", "--numeric", path])
    try #require(ended.status == 0, "\(ended.errors)")
    return ended.output
  }

  @Test(
    "F21 a repaired document has the access control list of the old one, and its group gets no right from the mask"
  )
  func accessControlList() throws {
    let folder = try Workspace()
    let file = try broken(folder)
    chmod(file.path, 0o600)
    let set = try run("setfacl", ["--modify", "user:1502:rw", file.path])
    guard set.status == 0 else {
      return Skip("no access control lists")("F21 the list of a repaired document")
    }
    let before = try list(file.path)
    #expect(before.contains("user:1502:rw-") && before.contains("group::---") && before.contains("mask::rw-"))
    #expect(try run(emojiart, ["check", file.path, "--repair", "--yes"]).status == 0)
    #expect(try list(file.path) == before)
    guard !AddressSanitizer.prevents("F21 the list of a replaced picture") else { return }
    // The default list of the folder is not applied to a file that replaces another one.
    let plain = folder["plain.png"]
    #expect(try run(emojiart, ["render", file.path, "-o", plain]).status == 0)
    chmod(plain, 0o640)
    let own = try list(plain)
    #expect(try run("setfacl", ["--default", "--modify", "user:1503:rwx", folder.path]).status == 0)
    #expect(try run(emojiart, ["render", file.path, "-o", plain]).status == 0)
    #expect(try list(plain) == own)
  }

  @Test(
    "F42 rights are limited to those of a file with the same list, whatever its mask; of another list nothing is left"
  )
  func limitedLists() throws {
    let folder = try Workspace()
    let (one, other) = (folder["one"], folder["other"])
    for path in [one, other] { try write([], to: path) }
    let set = try run("setfacl", ["--modify", "user:1502:rw,mask::rw", one, other])
    guard set.status == 0 else {
      return Skip("no access control lists")("F42 rights with a list")
    }
    try #require(chmod(one, 0o664) == 0 && chmod(other, 0o640) == 0)
    let (wide, narrow) = (try FileRights(at: one), try FileRights(at: other))
    #expect(narrow.limited(to: wide) == narrow && narrow.isReadable(onlyWhere: wide))
    #expect(wide.limited(to: narrow) == narrow && !wide.isReadable(onlyWhere: narrow))
    #expect(try run("setfacl", ["--modify", "user:1503:r", other]).status == 0)
    let listed = try FileRights(at: other)
    #expect(!listed.isReadable(onlyWhere: wide) && listed.limited(to: wide).mode & 0o077 == 0)
  }

  @Test("F21 where the group of the old file cannot be kept, the new group gets the rights of all others")
  func otherGroup() throws {
    guard isRoot(for: "F21 a group that cannot be kept") else { return }
    let folder = try Workspace()
    let file = try broken(folder)
    let state = folder["state"]
    mkdir(state, 0o700)
    for path in [folder.path, state] { #expect(chown(path, 1_502, 1_502) == 0) }
    #expect(chown(file.path, 1_502, 4_321) == 0 && chmod(file.path, 0o664) == 0)
    let ended = try run(
      "setpriv",
      [
        "--reuid", "1502", "--regid", "1502", "--clear-groups", emojiart, "check", file.path, "--repair",
        "--yes",
      ],
      environment: ["EMOJIART_STATE": state, "TMPDIR": state])
    #expect(ended.status == 0, "\(ended.errors)")
    var status = stat()
    #expect(stat(file.path, &status) == 0 && status.st_gid == 1_502 && status.st_mode & 0o777 == 0o644)
  }

  @Test("U17 in a folder of a group a colleague's picture that is replaced keeps its mode and group")
  func groupFolder() throws {
    guard isRoot(for: "U17 the folder of a group"), !AddressSanitizer.prevents("U17 the folder of a group")
    else { return }
    let folder = try Workspace()
    let file = try folder.document()
    let (state, picture) = (folder["state"], folder["poster.png"])
    mkdir(state, 0o700)
    let program = try copyOfProgram(with: ["emojiart-worker"], in: folder["programs"])
    #expect(try run(emojiart, ["render", file.path, "-o", picture]).status == 0)
    #expect(chown(picture, 1_503, 4_321) == 0 && chmod(picture, 0o664) == 0)
    #expect(chown(state, 1_502, 1_502) == 0 && chmod(file.path, 0o644) == 0)
    #expect(chown(folder.path, 1_504, 4_321) == 0)
    var status = stat()
    for (mode, kept) in [(0o2775, 0o664), (0o2777, 0o644)] as [(mode_t, mode_t)] {
      #expect(
        chmod(folder.path, mode) == 0 && chown(picture, 1_503, 4_321) == 0 && chmod(picture, 0o664) == 0)
      let ended = try run(
        "setpriv",
        [
          "--reuid", "1502", "--regid", "1502", "--groups", "4321", "sh", "-c", "umask 022; exec \"$@\"",
          "sh",
          program, "render", file.path, "-o", picture,
        ],
        environment: ["EMOJIART_STATE": state, "TMPDIR": state, "XDG_CACHE_HOME": "/dev/null"])
      #expect(ended.status == 0, "\(ended.errors)")
      #expect(stat(picture, &status) == 0 && status.st_uid == 1_502 && status.st_gid == 4_321)
      #expect(status.st_mode & 0o777 == kept, "\(mode)")
    }
  }

  @Test(
    "F26 the error for a journal of another user in a sticky folder names its owner, and the journal is never copied"
  )
  func stickyFolder() throws {
    guard isRoot(for: "F26 a journal of another user") else { return }
    let folder = try Workspace()
    let (file, _) = try folder.crashed()
    let state = folder["state"]
    mkdir(state, 0o700)
    #expect(chown(state, 1_502, 1_502) == 0 && chown(file.path, 1_502, 1_502) == 0)
    #expect(chown(file.path + "-journal", 1_503, 1_503) == 0 && chmod(file.path + "-journal", 0o644) == 0)
    #expect(chmod(folder.path, 0o1777) == 0)
    for _ in 0..<3 {
      let ended = try run(
        "setpriv", ["--reuid", "1502", "--regid", "1502", "--clear-groups", emojiart, "add", file.path, "🐝"],
        environment: ["EMOJIART_STATE": state, "TMPDIR": state])
      #expect(ended.status == 77 && ended.errors.contains("1503"), "\(ended.status) \(ended.errors)")
    }
    #expect(access("\(state)/aside", F_OK) != 0, "nothing was moved to the quarantine")
    // A user who may remove the journal can edit.
    #expect(
      try run(emojiart, ["add", file.path, "🐝"], environment: ["EMOJIART_STATE": folder["other"]]).status == 0
    )
  }

  @Test(
    "F10 a repair removes what a killed one has left, and what others have put under such names does not stop it"
  )
  func temporaryNames() throws {
    let folder = try Workspace()
    let file = try broken(folder)
    let name = FilePath(file.path).name
    let mark = Array(name.utf8).withUnsafeBufferPointer { ContentDigest.mark(of: $0) }
    let (left, planted) = (folder[".\(mark)-k3m9abcd0f2z.tmp"], folder[".\(mark)-k3m9abcd0f2y.tmp"])
    try write([1], to: left)
    // The name that repairs had before.
    let former = folder[".\(Array(name.utf8).withUnsafeBufferPointer { ContentDigest.of($0) }).tmp"]
    for path in [planted, former] { #expect(mkdir(path, 0o700) == 0) }
    #expect(try run(emojiart, ["check", file.path, "--repair", "--yes"]).status == 0)
    #expect(access(left, F_OK) != 0 && access(planted, F_OK) == 0 && access(former, F_OK) == 0)
    #expect(try file.check().faults == [])
  }

  @Test(
    "F10 a repair keeps and writes nothing where a file beside the document cannot be removed, and names its owner"
  )
  func siblingOfAnother() throws {
    guard isRoot(for: "F10 a file of another user beside the document") else { return }
    let folder = try Workspace()
    let file = try broken(folder)
    let state = folder["state"]
    mkdir(state, 0o700)
    #expect(chown(state, 1_502, 1_502) == 0 && chown(file.path, 1_502, 1_502) == 0)
    try write([], to: file.path + "-wal")
    #expect(chown(file.path + "-wal", 1_503, 1_503) == 0 && chmod(folder.path, 0o1777) == 0)
    let before = try bytes(file.path)
    let ended = try run(
      "setpriv",
      [
        "--reuid", "1502", "--regid", "1502", "--clear-groups", emojiart, "check", file.path, "--repair",
        "--yes",
      ],
      environment: ["EMOJIART_STATE": state, "TMPDIR": state])
    #expect(ended.status == 77 && ended.errors.contains("1503"), "\(ended.status) \(ended.errors)")
    #expect(try access("\(state)/kept", F_OK) != 0 && bytes(file.path) == before)
  }

  @Test(
    "F27 the next program removes the private copy of a killed one, and leaves copies in use and foreign folders"
  )
  func orphans() throws {
    let folder = try Workspace()
    let (file, _) = try folder.crashed()
    let temporary = folder["tmp"]
    for name in [
      "tmp", "tmp/emojiart.abcdef", "tmp/emojiart.locked", "tmp/emojiart.strang", "tmp/emojiart.longer7",
    ] {
      mkdir(folder[name], 0o700)
    }
    for name in ["abcdef/document", "abcdef/document-journal", "locked/document", "strang/letter"] {
      try write([1], to: "\(temporary)/emojiart.\(name)")
    }
    let lock = open("\(temporary)/emojiart.locked", O_RDONLY | O_DIRECTORY)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX) == 0)
    // A reader of a document with a hot journal makes a copy.
    let ended = try run(emojiart, ["show", file.path], environment: ["TMPDIR": temporary])
    #expect(ended.status == 0, "\(ended.errors)")
    let left = try FileManager.default.contentsOfDirectory(atPath: temporary).sorted()
    #expect(left == ["emojiart.locked", "emojiart.longer7", "emojiart.strang"])
  }

  @Test(
    "F10 the quarantine keeps equal bytes once, and removes the oldest files that it has stored above its limit"
  )
  func quarantine() throws {
    let folder = try Workspace()
    let place = folder["aside"]
    func store(_ bytes: [UInt8], limit: Int? = 10) throws -> String {
      try Quarantine.store(bytes, as: "bees", in: place, limit: limit)
    }
    func date(_ path: String) {
      var time = [timeval(tv_sec: 1_000, tv_usec: 0), timeval(tv_sec: 1_000, tv_usec: 0)]
      #expect(utimes(path, &time) == 0)
    }
    let first = try store([1, 2, 3])
    #expect(try store([1, 2, 3]) == first)
    #expect(
      try bytes(first) == [1, 2, 3] && FileManager.default.contentsOfDirectory(atPath: place).count == 1)
    // Files of others stay, whatever their names and their sizes are.
    let foreign = ["notes.txt", "0123456789ab-bees", "0123456789ab.new"].map { "\(place)/\($0)" }
    for path in foreign {
      try write([0], to: path)
      date(path)
    }
    date(first)
    let second = try store([4, 5, 6, 7])
    let third = try store([8, 9, 10, 11])
    #expect(access(first, F_OK) != 0, "the oldest file is removed")
    #expect(foreign.allSatisfy { access($0, F_OK) == 0 })
    #expect(try bytes(second) == [4, 5, 6, 7] && bytes(third) == [8, 9, 10, 11])
  }

  @Test(
    "F36 what exists nowhere else is removed by nobody but its user, and is listed with the document that it is of"
  )
  func kept() throws {
    let folder = try Workspace()
    let place = folder["kept"]
    let files = try (0..<9).map { number in
      try Quarantine.store([UInt8](repeating: UInt8(number), count: 9), as: "bees", in: place, limit: nil)
    }
    #expect(files.allSatisfy { access($0, F_OK) == 0 } && Set(files).count == 9)
    let document = try folder.document("kept-state.emojiart", seed: 77)
    let path = try #require(try HeldFile(document.path)).setAside()
    let found = try #require(try Quarantine.kept.files(of: document.read().id).first)
    #expect(try found.path == path && found.name == "kept-state.emojiart" && found.size == bytes(path).count)
    #expect(try Quarantine.kept.files().contains(found) && !Quarantine.aside.files().contains(found))
  }
}
