// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtSystem

@Suite("Files and folders", .timeLimit(.minutes(10))) struct FileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func names() throws -> [String] {
    var names: [String] = []
    try FolderEntry.each(in: scratch.path) { names.append($0.displayName) }
    return names.sorted()
  }

  @Test("A5 a folder is read to its end: each entry once, with its kind, whatever the bytes of its name are")
  func entries() throws {
    #expect(mkdir(scratch["folder"], 0o700) == 0 && symlink("folder", scratch["link"]) == 0)
    #expect(symlink("nowhere", scratch["dangling"]) == 0 && mkfifo(scratch["pipe"], 0o600) == 0)
    try scratch.write(".hidden")
    let odd = (scratch.path + "/odd").utf8.map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xFF), 0]
    close(open(odd, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
    for number in 0..<500 { try scratch.write("file\(number)") }
    var kinds: [String: FolderEntry.Kind] = [:]
    var (count, nameless) = (0, 0)
    var leading: [String] = []
    try FolderEntry.each(in: scratch.path) { entry in
      count += 1
      if entry.name == nil { nameless += 1 }
      if entry.leadsToFolder { leading.append(entry.displayName) }
      do throws(SystemError) { kinds[entry.displayName] = try entry.kind() } catch {
        #expect(Bool(false), "\(error)")
      }
    }
    #expect(count == 506 && nameless == 1 && kinds["odd\u{FFFD}"] == .file)
    #expect(kinds["folder"] == .folder && kinds["link"] == .link && kinds["pipe"] == .pipe)
    #expect(kinds[".hidden"] == .file && kinds["."] == nil && kinds[".."] == nil)
    #expect(leading.sorted() == ["folder", "link"])
    let error = #expect(throws: SystemError.self) {
      try FolderEntry.each(in: scratch["missing"]) { _ in #expect(Bool(false)) }
    }
    #expect(error == SystemError("opendir", scratch["missing"], number: ENOENT))
    print("A5 entries: \(count)")
  }

  @Test(
    "A6 a file without a name becomes a whole file at its path or replaces another one, or nothing changes",
    arguments: [true, false])
  func unnamed(allowsUnnamed: Bool) throws {
    func begun(_ text: String) throws -> UnnamedFile {
      let file = try UnnamedFile(
        in: scratch.path, mode: 0o600, else: scratch[".hidden"], allowsUnnamed: allowsUnnamed)
      #expect(write(file.descriptor, text, text.utf8.count) == text.utf8.count)
      return file
    }
    func end(_ file: UnnamedFile) {
      file.abandon()
      close(file.descriptor)
    }
    let first = try begun("first")
    #expect(try names() == (allowsUnnamed ? [] : [".hidden"]), "its path has no file before it is linked")
    try first.link(as: scratch["a"])
    end(first)
    #expect(try names() == ["a"] && SmallFile.text(scratch["a"], limit: 9) == "first")

    let second = try begun("second")
    let error = #expect(throws: SystemError.self) { try second.link(as: scratch["a"]) }
    #expect(error?.number == EEXIST)
    #expect(try SmallFile.text(scratch["a"], limit: 9) == "first", "the former file is still there")
    #expect(try !second.replace(scratch["a"], over: scratch[".other"], ifStill: { false }))
    #expect(try SmallFile.text(scratch["a"], limit: 9) == "first")
    end(second)
    #expect(try names() == ["a"])

    let third = try begun("third")
    #expect(try third.replace(scratch["a"], over: scratch[".other"]))
    end(third)
    #expect(try names() == ["a"] && SmallFile.text(scratch["a"], limit: 9) == "third")

    let fourth = try begun("fourth")
    end(fourth)
    #expect(try names() == ["a"])
    let missing = #expect(throws: SystemError.self) {
      _ = try UnnamedFile(in: scratch["b"], mode: 0o600, else: scratch["b/c"], allowsUnnamed: allowsUnnamed)
    }
    #expect(missing?.number == ENOENT)
  }

  @Test(
    "A6 where link(2) or renameat2(2) fails a file with a hidden name gets its name, and replaces no file")
  func renaming() throws {
    let noLinks = ["-e", "inject=?link,linkat:error=EPERM"]
    let noCalls = noLinks + ["-e", "inject=renameat2:error=EINVAL"]
    for (verb, faults) in [
      ("link", []), ("link", noLinks), ("link", noCalls), ("rename", []),
      ("rename", ["-e", "inject=renameat2:error=ENOSYS"]), ("rename", noCalls),
    ] {
      for isThere in [false, true] {
        if isThere { try scratch.write("a", "one") }
        let words = ["strace", "-qq", "-o", "/dev/null"] + faults
        let program = try OtherProcess(
          "/usr/bin/env", words + [try built("WorkerParent").path, verb, scratch[".hidden"], scratch["a"]])
        try #require(program.hasEnded && program.process.terminationStatus == 0)
        let output = String(decoding: program.output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(output == "\(isThere ? EEXIST : 0)\n", "\(verb) \(faults)")
        #expect(try SmallFile.text(scratch["a"], limit: 9) == (isThere ? "one" : "new"), "\(verb) \(faults)")
        #expect(try names() == ["a"], "\(verb) \(faults)")
        unlink(scratch["a"])
      }
    }
  }

  @Test("W10 paths are compared by their bytes, and split at the byte of a slash")
  func paths() {
    #expect(FilePath("e\u{301}") != FilePath("\u{E9}") && "e\u{301}" == "\u{E9}")
    #expect(Set([FilePath("e\u{301}"), FilePath("\u{E9}"), FilePath("\u{E9}")]).count == 2)
    // A skin tone and the slash before it are one character.
    let odd = FilePath("a/\u{1F3FB}/b")
    #expect(
      odd.components == ["a", "\u{1F3FB}", "b"] && odd.parent?.parent == FilePath("a") && odd.depth == 3)
    #expect(FilePath("a/\u{1F3FB}").name == "\u{1F3FB}" && FilePath("a/\u{1F3FB}").prefix == "a/")
    for (path, folder, name) in [
      ("a", ".", "a"), ("/a", "/", "a"), ("/a/b", "/a", "b"), ("a/b/", "a/b", ""), ("", ".", ""),
      ("/", "/", ""),
    ] {
      #expect(FilePath(path).folder == folder && FilePath(path).name == name, "\(path)")
    }
    #expect(FilePath("a/b").isWithin(FilePath("a")) && FilePath("a").isWithin(FilePath("a")))
    #expect(!FilePath("ab").isWithin(FilePath("a")) && FilePath("ab").isWithin(.root))
    #expect(FilePath.root.appending("a").appending("b") == FilePath("a/b") && FilePath.root.parent == nil)
    #expect(
      FilePath("b") > FilePath("a/b") && FilePath("é") > FilePath("z"), "paths are ordered by their bytes")
  }

  @Test("W10 a path is resolved to a path without links in UTF-8, or is an error")
  func resolving() throws {
    #expect(mkdir(scratch["real"], 0o700) == 0 && symlink("real", scratch["link"]) == 0)
    #expect(try FilePath.resolved(scratch["link"]) == scratch["real"])
    #expect(FilePath.resolvedIfThere(scratch["missing"]) == nil)
    let missing = #expect(throws: SystemError.self) { _ = try FilePath.resolved(scratch["missing"]) }
    #expect(missing == SystemError("realpath", scratch["missing"], number: ENOENT))
    #expect(missing?.text == "No such file or directory")
    let odd = (scratch.path + "/odd").utf8.map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xFF), 0]
    #expect(mkdir(odd, 0o700) == 0 && symlink(odd, scratch["to odd"]) == 0)
    let error = #expect(throws: SystemError.self) { _ = try FilePath.resolved(scratch["to odd"]) }
    #expect(error?.number == EILSEQ)
  }

  @Test(
    "A5 a small file is read to its end, is absent, or is an error; a file over the limit is an error"
  )
  func small() throws {
    try scratch.write("a", String(repeating: "x", count: 100_000))
    #expect(try SmallFile.read(scratch["a"], limit: 100_000)?.count == 100_000)
    let large = #expect(throws: SystemError.self) { _ = try SmallFile.read(scratch["a"], limit: 99_999) }
    #expect(large?.number == EFBIG)
    #expect(try SmallFile.read(scratch["missing"], limit: 9) == nil)
    let folder = #expect(throws: SystemError.self) { _ = try SmallFile.read(scratch.path, limit: 9) }
    #expect(folder?.number == EISDIR)
    #expect(try SmallFile.text("/proc/self/comm", limit: 64)?.isEmpty == false, "a file without a size")
  }

  @Test(
    "A5 a file keeps its identity when it is renamed, and shares it with its hard links; a link has its own")
  func identities() throws {
    try scratch.write("a")
    let identity = try #require(FileIdentity(at: scratch["a"]))
    #expect(link(scratch["a"], scratch["b"]) == 0 && rename(scratch["a"], scratch["c"]) == 0)
    #expect(FileIdentity(at: scratch["b"]) == identity && FileIdentity(at: scratch["c"]) == identity)
    #expect(FileIdentity(at: scratch["a"]) == nil)
    #expect(symlink("b", scratch["link"]) == 0 && FileIdentity(at: scratch["link"]) != identity)
    #expect(try FileStatus(at: scratch["link"]).identity == identity)
    #expect(try FileStatus(ofLinkAt: scratch["link"]).isLink)
    #expect(FileStatus.isFolder(at: scratch.path) && !FileStatus.isFolder(at: scratch["b"]))
    #expect(FileStatus.isRegularFile(at: scratch["link"]) && !FileStatus.isRegularFile(at: scratch.path))
    #expect(throws: SystemError("stat", scratch["a"], number: ENOENT)) { try FileStatus(at: scratch["a"]) }
  }
}
