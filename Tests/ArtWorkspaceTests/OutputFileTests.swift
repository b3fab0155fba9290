// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("Output files, which appear whole or not at all")
struct OutputFileTests {
  private final class Folder {
    let url: URL

    init() throws {
      url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appending(path: "emojiart-new-\(UUID())")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit {
      // A file that is left in the temporary folder fails no test.
      try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String { url.appending(path: name).path }
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    func text(_ name: String) throws -> String {
      try String(contentsOf: url.appending(path: name), encoding: .utf8)
    }
    func put(_ text: String, _ name: String) throws {
      try Data(text.utf8).write(to: url.appending(path: name))
    }
    func mode(_ name: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }
  }

  @Test("U4 a new output file appears when it is finished, and not before", arguments: [true, false])
  func new(isUnnamed: Bool) throws {
    let folder = try Folder()
    let file = try OutputFile(
      OutputLocation(folder.path("a.png"), replacing: .pictures), isUnnamed: isUnnamed)
    let isTaken = file.write(Array("one ".utf8)) && file.write(Array("two".utf8))
    #expect(isTaken && file.size == 7)
    #expect(try folder.names().filter { !$0.hasPrefix(".") } == [])
    #expect(try folder.names().isEmpty == isUnnamed)
    try file.finish()
    #expect(try folder.names() == ["a.png"])
    #expect(try folder.text("a.png") == "one two")
    file.discard()
    #expect(!file.write([1]))
    #expect(try folder.names() == ["a.png"])
  }

  @Test("U4 a discarded or released output file leaves nothing", arguments: [true, false])
  func discarded(isUnnamed: Bool) throws {
    let folder = try Folder()
    try folder.put("%PDF-1", "old.pdf")
    for name in ["new.pdf", "old.pdf"] {
      let place = try OutputLocation(folder.path(name), replacing: .pictures)
      let given = try OutputFile(place, isUnnamed: isUnnamed)
      _ = given.write([1, 2, 3])
      given.discard()
      #expect(throws: ArtError.self) { try given.finish() }
      _ = try OutputFile(place, isUnnamed: isUnnamed).write([1, 2, 3])
      #expect(try folder.names() == ["old.pdf"])
      #expect(try folder.text("old.pdf") == "%PDF-1")
    }
  }

  @Test("U4 discarding an output file does not wait for a write that blocks in a full pipe")
  func stuck() throws {
    let folder = try Folder()
    let path = folder.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDWR | O_CLOEXEC)
    defer { close(reader) }
    let file = try OutputFile(OutputLocation(path, replacing: .pictures))
    let (isWritten, isDiscarded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let length = 1 << 20
    Thread.detachNewThread {
      _ = file.write([UInt8](repeating: 7, count: length))
      isWritten.signal()
    }
    // No pipe holds this many bytes: when the first byte is there, the write blocks.
    try waitUntilReadable(reader, for: "the first byte of a pipe")
    Thread.detachNewThread {
      file.discard()
      isDiscarded.signal()
    }
    try isDiscarded.wait(for: "the end of a discard")
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var count = 0
    while count < length {
      let more = read(reader, &buffer, buffer.count)
      try #require(more > 0)
      count += more
    }
    try isWritten.wait(for: "the end of a write")
  }

  @Test("U4 an output file has the mode of the file that it replaces", arguments: [true, false])
  func replacing(isUnnamed: Bool) throws {
    let folder = try Folder()
    try folder.put("<svg/>", "old.svg")
    try #require(chmod(folder.path("old.svg"), 0o604) == 0)
    let file = try OutputFile(
      OutputLocation(folder.path("old.svg"), replacing: .pictures), isUnnamed: isUnnamed)
    _ = file.write(Array("<svg>new</svg>".utf8))
    #expect(try folder.text("old.svg") == "<svg/>")
    try file.finish()
    #expect(try folder.text("old.svg") == "<svg>new</svg>")
    #expect(try folder.mode("old.svg") == 0o604)
    #expect(try folder.names() == ["old.svg"])
  }

  @Test("U4 a file that others put at the path meanwhile stays", arguments: [true, false])
  func others(isUnnamed: Bool) throws {
    let folder = try Folder()
    try folder.put("%PDF-1", "old.pdf")
    for name in ["new.pdf", "old.pdf"] {
      let file = try OutputFile(OutputLocation(folder.path(name), replacing: .pictures), isUnnamed: isUnnamed)
      _ = file.write([1, 2, 3])
      try folder.put("theirs", "theirs")
      try #require(rename(folder.path("theirs"), folder.path(name)) == 0)
      #expect { try file.finish() } throws: { ($0 as? ArtError)?.code == .exists }
      #expect(try folder.text(name) == "theirs")
    }
    #expect(try folder.names() == ["new.pdf", "old.pdf"])
  }

  @Test("U4 a write of others into the file that was to be replaced stays", arguments: [true, false])
  func written(isUnnamed: Bool) throws {
    let folder = try Folder()
    for isRemoved in [true, false] {
      try folder.put("%PDF-1", "old.pdf")
      let file = try OutputFile(
        OutputLocation(folder.path("old.pdf"), replacing: .pictures), isUnnamed: isUnnamed)
      _ = file.write([1, 2, 3])
      if isRemoved { try #require(unlink(folder.path("old.pdf")) == 0) }
      try folder.put("theirs", "old.pdf")
      #expect { try file.finish() } throws: { ($0 as? ArtError)?.code == .exists }
      #expect(try folder.text("old.pdf") == "theirs")
      #expect(try folder.names() == ["old.pdf"])
    }
  }

  @Test(
    "U17 through a link or a pipe of another user nothing is written, and a file of another user gives no rights"
  )
  func others() throws {
    let folder = try Folder()
    try folder.put("%PDF-1", "own.pdf")
    try #require(symlink("own.pdf", folder.path("link.pdf")) == 0 && chmod(folder.path(""), 0o1777) == 0)
    func write(_ name: String) -> ArtError.Code? {
      do {
        let file = try OutputFile(OutputLocation(folder.path(name), replacing: .pictures))
        _ = file.write(Array("%PDF-2".utf8))
        try file.finish()
        return nil
      } catch {
        return error.code
      }
    }
    #expect(write("link.pdf") == nil)
    #expect(try folder.text("own.pdf") == "%PDF-2")
    guard isRoot(for: "U17 a link of another user") else { return }
    try folder.put("%PDF-1", "own.pdf")
    try #require(lchown(folder.path("link.pdf"), 65534, 65534) == 0)
    #expect(write("link.pdf") == .notPermitted)
    #expect(try folder.text("own.pdf") == "%PDF-1")
    // A reader is there: it would not even wait.
    try #require(mkfifo(folder.path("pipe"), 0o666) == 0)
    let reader = open(folder.path("pipe"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    var bytes = [UInt8](repeating: 0, count: 16)
    for (owner, mode, code) in [
      (uid_t(0), mode_t(0o1777), ArtError.Code?.none), (65534, 0o1777, .notPermitted),
      (65534, 0o777, .notPermitted),
      (65534, 0o755, nil),
    ] {
      try #require(chown(folder.path("pipe"), owner, owner) == 0 && chmod(folder.path(""), mode) == 0)
      #expect(write("pipe") == code, "\(owner) \(mode)")
      #expect(read(reader, &bytes, bytes.count) == (code == nil ? 6 : -1), "\(owner) \(mode)")
    }
    // In a folder of theirs it stays theirs.
    var status = stat()
    // Other tests make files meanwhile, so the mask stays as it is.
    let about = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let mask = about.split(separator: "\n").first { $0.hasPrefix("Umask:") }?.split(separator: "\t").last
    let own = 0o666 & ~(try #require(mask.flatMap { mode_t($0, radix: 8) }))
    for (mode, owner, rights) in [(0o1777, 0, own), (0o755, 65534, 0o666)] as [(mode_t, uid_t, mode_t)] {
      try #require(chmod(folder.path(""), mode) == 0 && chown(folder.path(""), owner, owner) == 0)
      try folder.put("%PDF-1", "theirs.pdf")
      try #require(
        chmod(folder.path("theirs.pdf"), 0o666) == 0 && chown(folder.path("theirs.pdf"), 65534, 65534) == 0)
      #expect(write("theirs.pdf") == nil)
      try #require(stat(folder.path("theirs.pdf"), &status) == 0)
      #expect(status.st_uid == owner && status.st_mode & 0o777 == rights, "\(mode)")
    }
  }

  @Test("U18 a document that is exported gets no name that is the same text as that of a file beside it")
  func twin() throws {
    let folder = try Folder()
    try folder.put("", "caf\u{E9}.emojiart")
    let twin = folder.path("cafe\u{301}.emojiart")
    #expect { try OutputLocation(twin, replacing: .exchanges(mayHaveOurEnding: true)) } throws: {
      ($0 as? ArtError)?.code == .exists
    }
    _ = try OutputLocation(folder.path("cafe.emojiart"), replacing: .exchanges(mayHaveOurEnding: true))
  }

  @Test("U4 an output path with the ending of a document or its -wal file is refused, compared by bytes")
  func names() throws {
    let folder = try Folder()
    // A mark that forms one character with the full stop after it.
    for name in ["bees.emojiart", "bees\u{600}.emojiart", "bees\u{600}.emojiart-wal"] {
      #expect(throws: ArtError.self) { try OutputLocation(folder.path(name), replacing: .pictures) }
    }
    _ = try OutputLocation(folder.path("bees.emojiart.png"), replacing: .pictures)
  }

  @Test(
    "U4 only files that begin as one of our own output files are replaced",
    arguments: [
      ("", true, true), ("%PDF-1.7\n", true, false), ("\u{89}PNG", false, false), ("<svg width", true, false),
      ("<?xml version=\"1.0\"?>\n<svg ", true, false), ("<html><body><p>", false, false),
      ("<html><body><svg width", false, false), ("<!DOCTYPE html>\n<svg>", false, false),
      ("<!-- <svg> --><p>", false, false), ("<svgs>", false, false), ("<svg", false, false),
      ("<?xml version=\"1.0\"?><!-- by hand -->\n<!DOCTYPE svg PUBLIC \"\" \"\">\n<svg>", true, false),
      ("<!-- <svg>", false, false), ("%PDF", false, false),
      ("\u{89}PN", false, false), (" <svg ", false, false), ("hello", false, false),
      ("SQLite format 3\0", false, false),
      (GalleryPage.mark + "0.1.0\">", false, true), ("<!DOCTYPE html>\n<html lang=\"en\">\n", false, false),
    ])
  func contents(text: String, asPicture: Bool, asGallery: Bool) throws {
    let folder = try Folder()
    try folder.put(text, "there")
    for (kind, isReplaced) in [
      (OutputLocation.Replaceable.pictures, asPicture), (.galleries, asGallery), (.nothing, false),
    ] {
      let place = try? OutputLocation(folder.path("there"), replacing: kind)
      #expect((place != nil) == isReplaced, "\(kind) \(text)")
    }
    try Data([0x89] + Array("PNG\r\n".utf8)).write(to: folder.url.appending(path: "there"))
    _ = try OutputLocation(folder.path("there"), replacing: .pictures)
  }
}
