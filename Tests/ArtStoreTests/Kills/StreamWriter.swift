// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

@testable import ArtModel

/// A client that edits a document in a stream until the program is killed: it moves its own emoji by one pixel at a time, adds
/// others, saves now and then, and records the answers.
struct StreamWriter {
  enum Line {
    case move
    case add
    case save
  }

  /// The emoji that it moves, and its place at the beginning.
  let emoji: EmojiID
  let start: Double
  /// The y of the emoji that it adds; their x is the number of the line.
  let row: Int
  private(set) var sent: [Line] = []
  /// The ids in the answers of the lines, empty where there is none.
  private(set) var answered: [String] = []
  /// An unexpected answer.
  private(set) var unexpected: String?

  init(_ emoji: EmojiID, in content: DocumentContent, row: Int) throws {
    guard let start = content.emoji(emoji)?.position.x else { throw ProgramError(what: "\(emoji) is gone") }
    (self.emoji, self.start, self.row) = (emoji, start, row)
  }

  /// The next lines to send.
  mutating func lines(_ count: Int, _ random: inout SplitMix64) -> [UInt8] {
    var text = ""
    for _ in 0..<count {
      let line: Line = [.move, .move, .add][random.below(3)]
      sent.append(random.below(100) == 0 ? .save : line)
      text += json(sent.count - 1) + "\n"
    }
    return Array(text.utf8)
  }

  /// A line that saves.
  mutating func saveLine() -> [UInt8] {
    sent.append(.save)
    return Array("\(json(sent.count - 1))\n".utf8)
  }

  private func json(_ number: Int) -> String {
    switch sent[number] {
    case .move: #"{"move":{"by":[1,0],"ref":"\#(emoji)"},"tag":\#(number)}"#
    case .add: #"{"add":{"size":10,"text":"🌸","x":\#(number),"y":\#(row)},"tag":\#(number)}"#
    case .save: #"{"save":true,"tag":\#(number)}"#
    }
  }

  /// Reads output of the program. Answers come in order, with events between them.
  mutating func receive(_ lines: [String]) {
    for line in lines where line.hasPrefix(#"{"ok":"#) || line.hasPrefix(#"{"error":"#) {
      let number = answered.count
      guard number < sent.count, line.hasPrefix(#"{"ok":"#), line.hasSuffix(#","tag":\#(number)}"#) else {
        unexpected = unexpected ?? line
        return
      }
      let parts = line.components(separatedBy: #""id":""#)
      answered.append(sent[number] == .add && parts.count == 2 ? String(parts[1].prefix(8)) : "")
    }
  }

  /// The comparison of a document with the lines sent and the answers received.
  enum Verdict: Equatable {
    /// This number of first lines is in the document, each once, and among them are all answered ones.
    case kept(Int)
    /// This number of answered lines is missing.
    case lost(Int)
    /// The document is not the result of any number of first lines, each once.
    case wrong(String)
  }

  func verdict(on content: DocumentContent) -> Verdict {
    if let unexpected { return .wrong("answered \(unexpected)") }
    guard let found = lines(in: content) else {
      let place = content.emoji(emoji).map { "\($0.position)" } ?? "nowhere"
      return .wrong("\(emoji) from \(start) to \(place), added \(added(in: content).map(\.line))")
    }
    guard found >= answered.count else { return .lost(answered.count - found) }
    let ids = Dictionary(uniqueKeysWithValues: added(in: content).map { ($0.line, $0.id.description) })
    for (number, id) in answered.enumerated() where sent[number] == .add && ids[number] != id {
      return .wrong("line \(number) was answered with \(id), and \(ids[number] ?? "nothing") is there")
    }
    return .kept(found)
  }

  /// The largest number of first lines that give the document as it is; nil when no number does.
  func lines(in content: DocumentContent) -> Int? {
    guard let place = content.emoji(emoji)?.position.x else { return nil }
    // Coordinates are rounded to a millionth.
    let moved = (place - start).rounded()
    let there = added(in: content).map(\.line)
    var moves = 0.0
    var adds: [Int] = []
    var found: Int?
    for count in 0...sent.count {
      if moves == moved, adds == there { found = count }
      guard count < sent.count else { break }
      switch sent[count] {
      case .move: moves += 1
      case .add: adds.append(count)
      case .save: break
      }
    }
    return found
  }

  /// The emoji that it added, by the numbers of the lines.
  private func added(in content: DocumentContent) -> [(line: Int, id: EmojiID)] {
    content.emojisInOrder().filter { $0.position.y == Double(row) }.map { (Int($0.position.x), $0.id) }
      .sorted { $0.0 < $1.0 }
  }
}
