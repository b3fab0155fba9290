// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// A document with two emoji and a state folder, each in a folder of its own, and the numbered edits of a stream.
///
/// The edits 1, 3, 5 … move the first emoji by one pixel, the edits 2, 4, 6 … put the second one at their own number: the two
/// places show which edits are in a document, and that each is there once and in order.
final class StreamCase {
  /// The places of the two emoji.
  struct Places: Equatable {
    var first = 0.0
    var second = 0.0

    init(first: Double, second: Double) { (self.first, self.second) = (first, second) }

    init(after edits: some Sequence<Int>) {
      for edit in edits {
        if edit.isMultiple(of: 2) { second = Double(edit) } else { first += 1 }
      }
    }

    init?(in content: DocumentContent) {
      guard let first = content.emoji(StreamCase.first), let second = content.emoji(StreamCase.second) else {
        return nil
      }
      (self.first, self.second) = (first.position.x, second.position.x)
    }
  }

  private static let first = EmojiID(bits: 1)
  private static let second = EmojiID(bits: 1 << 39)

  let space: Workspace
  let file: DocumentFile
  let state: String
  private let start: [UInt8]

  init(emojis: Int = 0) throws {
    space = try Workspace()
    state = space["state"]
    mkdir(space["documents"], 0o755)
    file = try space.document("documents/bees.emojiart")
    if emojis > 0 { try file.fill(emojis: emojis, edits: 1, seed: 9) }
    var author = try EditMaker(seed: 3)
    let (origin, size) = (try Point(x: 0, y: 0), try FontSize(40))
    let added = try ["🐝", "🌸"].enumerated().map { index, text in
      Change.add(
        Emoji(
          id: index == 0 ? Self.first : Self.second, text: try EmojiText(text), position: origin, size: size,
          z: 1 << 20 + index))
    }
    let stamp = author.stamp()
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(Edit(name: "add 🐝 🌸", changes: added), stamp: stamp)
    }
    start = try bytes(file.path)
  }

  var journals: JournalFolder { JournalFolder(state + "/journal") }
  var environment: [String: String] { ["EMOJIART_STATE": state, "TMPDIR": space.path] }

  /// Puts the document back, without a state folder.
  func reset() throws {
    for name in try names where name != "bees.emojiart" { unlink("\(space["documents"])/\(name)") }
    try write(start, to: file.path)
    try? FileManager.default.removeItem(atPath: state)
  }

  /// The names in the document's folder.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: space["documents"]).sorted() }
  }

  /// The files of the journals, and folders that are empty.
  var journalNames: [String] {
    get throws { try leaves(of: journals.path) }
  }
  /// The folder of the document's journals.
  var ownJournals: String {
    get throws { journals.path(of: try file.base().id) }
  }

  /// The line of an edit.
  static func line(_ edit: Int) -> String {
    edit.isMultiple(of: 2)
      ? #"{"move":{"ref":"\#(second)","to":[\#(edit),0]},"tag":\#(edit)}"#
      : #"{"move":{"ref":"\#(first)","by":[1,0]},"tag":\#(edit)}"#
  }

  static let save = #"{"save":true,"tag":"save"}"#

  /// A copy of the program without its helper. Nothing makes it refresh then on other threads in each run, and the numbers of its
  /// system calls stay the same.
  func programWithoutHelper() throws -> String { try copyOfProgram(in: space["alone"]) }

  /// Runs an editing command, which restores orphaned edits first.
  func edit() throws {
    let ended = try run(emojiart, ["add", file.path, "🌼"], environment: environment)
    try #require(ended.status == 0, "\(ended)")
  }

  /// The places as a reading command shows them; the command must change nothing.
  func shown() throws -> Places? {
    let before = try fingerprint(file.path)
    let (beside, journal) = (try names, try journalNames)
    let ended = try run(emojiart, ["show", "--json", file.path], environment: environment)
    #expect(try ended.status == 0 && fingerprint(file.path) == before, "\(ended)")
    #expect(try names == beside && journalNames == journal)
    let document = try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any]
    let emojis = document?["emojis"] as? [[String: Any]] ?? []
    func x(_ id: EmojiID) -> Double? {
      (emojis.first { $0["id"] as? String == id.description })?["x"] as? Double
    }
    guard let first = x(Self.first), let second = x(Self.second) else { return nil }
    return Places(first: first, second: second)
  }

  /// The number of first edits in the file; nil where the file holds anything else.
  func saved(atMost sent: Int) throws -> Int? {
    let found = Places(in: try file.read())
    return (0...sent).first { Places(after: 1..<$0 + 1) == found }
  }

  /// Runs a stream that acknowledges this number of edits, and is killed before it saves the last of them.
  func leaveJournal(_ lines: [String], edits: Int, under wrapper: [String] = []) throws -> StreamEnd {
    let end = try stream(lines, StreamCase.options + ["--simulate-kill-after", "\(edits)"], as: wrapper)
    try #require(end.isCrash && end.acknowledged.count == edits, "\(end)")
    return end
  }

  /// The files of the document and of the orphaned journals.
  var leftFiles: TracedFiles {
    get throws {
      let journal = try journalNames.map { "\(journals.path)/\($0)" }
      return TracedFiles(
        name: "what was left", paths: documentFiles.paths + [state, journals.path, try ownJournals] + journal)
    }
  }

  /// The bytes of the document and of the folder of journals.
  func snapshot() throws -> [String: [UInt8]] {
    var all = [file.path: try bytes(file.path)]
    for name in try journalNames { all["\(journals.path)/\(name)"] = try bytes("\(journals.path)/\(name)") }
    return all
  }

  func putBack(_ snapshot: [String: [UInt8]]) throws {
    try reset()
    try FileManager.default.createDirectory(atPath: ownJournals, withIntermediateDirectories: true)
    for (path, bytes) in snapshot { try write(bytes, to: path) }
  }
}
