// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("Named versions in a file") struct VersionTests {
  private let folder: Workspace
  private let file: DocumentFile
  private let id: DocumentID

  init() throws {
    folder = try Workspace()
    file = DocumentFile(folder["bees.emojiart"])
    var random = SplitMix64(seed: 1)
    _ = try file.create(using: &random)
    id = try file.base().id
  }

  private func stamp(_ number: UInt64, _ author: String? = "Ada") -> EditStamp {
    EditStamp(id: EditID(origin: Origin(lowBits: number), sequence: 1), time: Int(number), author: author)
  }

  private func keep(_ name: String, _ number: UInt64 = 1) throws -> NamedVersion {
    try file.keepVersion(named: name, stamp: stamp(number), in: id)
  }

  private func add(_ text: String) throws {
    var random = SystemRandomNumberGenerator()
    var author = try Author(origin: Origin(using: &random))
    _ = try file.perform(
      .add([EmojiText(text)], at: .center, size: .standard), by: &author, at: 1)
  }

  private func code<Value>(_ body: () throws -> Value) -> ArtError.Code? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? ArtError)?.code
    }
  }

  @Test("F33 a version keeps the art, and neither revision nor head changes")
  func kept() throws {
    try add("🐝")
    let before = try file.read()
    let made = try keep(" draft ")
    #expect(made.name == "draft" && made.revision == 1 && made.head == before.head && made.author == "Ada")
    #expect(try file.read() == before)
    try add("🌸")
    let (found, art) = try file.version("draft")
    #expect(found == made && art.emojis.map(\.text.string) == ["🐝"])
    #expect(try file.version(made.id.description).version == made)
    #expect(try file.versions() == [made])
    #expect(code { try keep("draft", 2) } == .exists)
    #expect(code { try keep("7", 2) } == .badValue)
    #expect(code { try file.version("drat") } == .noSuchRevision)
    #expect(
      code { try file.keepVersion(named: "x", stamp: stamp(2), in: DocumentID(lowBits: 5)) } == .replaced)
    #expect(try file.versions() == [made])
    #expect(try file.check().faults.isEmpty)
  }

  @Test("F33 a removed version leaves a trace, so that a copy does not bring it back")
  func removed() throws {
    let made = try keep("draft")
    _ = try keep("other", 2)
    let copy = DocumentFile(folder["copy.emojiart"])
    try FileManager.default.copyItem(atPath: file.path, toPath: copy.path)
    #expect(try file.removeVersion("draft", in: id) == made)
    #expect(try file.versions().map(\.name) == ["other"])
    #expect(code { try file.removeVersion("draft", in: id) } == .noSuchRevision)
    #expect(try file.check().faults.isEmpty)
    _ = try keep("draft", 3)
    _ = try file.merge([copy])
    #expect(try file.versions().map(\.id) == [stamp(2).id, stamp(3).id])
  }

  @Test("F33 after a merge two versions may have one name; the id tells them apart")
  func ambiguous() throws {
    let copy = DocumentFile(folder["copy.emojiart"])
    try FileManager.default.copyItem(atPath: file.path, toPath: copy.path)
    let one = try keep("draft", 1)
    let two = try copy.keepVersion(named: "draft", stamp: stamp(2), in: id)
    _ = try file.merge([copy])
    #expect(try file.versions() == [one, two])
    #expect(code { try file.version("draft") } == .ambiguous)
    #expect(try file.version(two.id.description).version == two)
    _ = try file.removeVersion(one.id.description, in: id)
    #expect(try file.version("draft").version == two)
  }

  @Test("F34 the picture of a version stays, and goes with it")
  func pictures() throws {
    func picture(_ byte: UInt8) throws -> CheckedPicture {
      CheckedPicture(
        bytes: Array(repeating: byte, count: 1_000), mediaType: "image/png",
        size: try Canvas(width: 1, height: 1), isAnimated: false)
    }
    func set(_ byte: UInt8) throws {
      let picture = try picture(byte)
      var random = SystemRandomNumberGenerator()
      var author = try Author(origin: Origin(using: &random))
      try file.edit { (transaction) throws(ArtError) in
        try transaction.keep(picture)
        let background = try Background(picture, from: nil)
        let edit = try BackgroundEdit.set(background, keepsCanvas: true, pending: nil).plan(on: transaction)
        if let edit { _ = try transaction.perform(edit, stamp: author.stamp(at: 1)) }
      }
    }
    try set(1)
    _ = try keep("one")
    for byte in 2...9 as ClosedRange<UInt8> { try set(byte) }
    let first = try picture(1).digest
    #expect(try file.picture(first) != nil, "pinned")
    #expect(try file.picture(picture(3).digest) == nil, "not pinned")
    #expect(try file.version("one").content.background?.digest == first)
    #expect(try file.check().faults.isEmpty)
    _ = try file.removeVersion("one", in: id)
    #expect(try file.picture(first) == nil)
    #expect(try file.picture(picture(9).digest) != nil)
    #expect(try file.check().faults.isEmpty)
  }

  /// Makes the change in a copy of the file, saves an edit there, and puts the copy in the place of the file while the same change is
  /// committed to that.
  private func replacing<Value>(_ change: (DocumentTransaction) throws(ArtError) -> Value) throws -> Value {
    let copy = DocumentFile(folder["copy.emojiart"])
    try FileManager.default.copyItem(atPath: file.path, toPath: copy.path)
    _ = try copy.edit(change)
    var random = SystemRandomNumberGenerator()
    var author = try Author(origin: Origin(using: &random))
    _ = try copy.perform(.add([EmojiText("🌸")], at: .center, size: .standard), by: &author, at: 1)
    var runs = 0
    defer { #expect(runs == 1) }
    return try file.edit { (transaction) throws(ArtError) in
      let value = try change(transaction)
      runs += 1
      if runs == 1 { rename(copy.path, file.path) }
      return value
    }
  }

  @Test("F16 a version that was kept or removed is found although another program has saved since")
  func savedSince() throws {
    try add("🐝")
    let stamp = stamp(1)
    let kept = try replacing { (transaction) throws(ArtError) in
      try transaction.keepVersion(named: "draft", stamp: stamp)
    }
    #expect(try file.versions() == [kept] && file.base().revision == 2)
    let removed = try replacing { (transaction) throws(ArtError) in
      try transaction.removeVersion("draft")
    }
    #expect(try removed == kept && file.versions().isEmpty && file.base().revision == 3)
    #expect(try file.check().faults.isEmpty)
  }

  @Test("F33 a version of an id that was kept before is returned as it was, also after its removal")
  func keptBefore() throws {
    try add("🐝")
    let kept = try keep("draft")
    try add("🌸")
    #expect(try keep("draft") == kept)
    #expect(try keep("other") == kept)
    _ = try file.removeVersion("draft", in: id)
    #expect(try keep("draft") == kept && file.versions().isEmpty)
    #expect(code { try keep("12") } == .badValue)
    #expect(
      code {
        try file.keepVersion(
          named: "x", stamp: stamp(2), in: id, of: DocumentBase(id: id, revision: 1, head: nil))
      }
        == .movedOn)
    #expect(try file.versions().isEmpty && file.base().revision == 2 && file.check().faults.isEmpty)
  }

  @Test("F16 a version that was kept in a file which another one replaces is kept in that one, too")
  func replaced() throws {
    try add("🐝")
    let copy = DocumentFile(folder["copy.emojiart"])
    try FileManager.default.copyItem(atPath: file.path, toPath: copy.path)
    let (stamp, old) = (stamp(1), folder["old.emojiart"])
    var runs = 0
    let kept = try file.edit { (transaction) throws(ArtError) in
      let version = try transaction.keepVersion(named: "draft", stamp: stamp)
      runs += 1
      if runs == 1 {
        link(file.path, old)
        rename(copy.path, file.path)
      }
      return version
    }
    #expect(runs == 2)
    for file in [file, DocumentFile(old)] {
      #expect(try file.versions() == [kept] && file.check().faults.isEmpty)
    }
  }
}
