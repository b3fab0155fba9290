// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

@testable import ArtModel

/// A program that edits a document in a stream until it is killed: it moves its own emoji by one pixel at a time, adds
/// others, saves now and then, and remembers what was answered.
struct StreamWriter {
  enum Line {
    case move
    case add
    case save
  }

  /// What it moves, and where that was.
  let emoji: EmojiID
  let start: Double
  /// The y of what it adds; the x is the number of the line.
  let row: Int
  private(set) var sent: [Line] = []
  /// The ids that were answered for each line, empty where none is due.
  private(set) var answered: [String] = []
  /// An answer that should not be.
  private(set) var odd: String?

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

  /// Takes what the program says. Answers come in order, events between them.
  mutating func heard(_ lines: [String]) {
    for line in lines where line.hasPrefix(#"{"ok":"#) || line.hasPrefix(#"{"error":"#) {
      let number = answered.count
      guard number < sent.count, line.hasPrefix(#"{"ok":"#), line.hasSuffix(#","tag":\#(number)}"#) else {
        odd = odd ?? line
        return
      }
      let parts = line.components(separatedBy: #""id":""#)
      answered.append(sent[number] == .add && parts.count == 2 ? String(parts[1].prefix(8)) : "")
    }
  }

  /// How a document compares with what was sent and answered.
  enum Verdict: Equatable {
    /// So many lines from the first one on are in the document, each once, and all that were answered.
    case kept(Int)
    /// So many answered lines are not.
    case lost(Int)
    /// What is there are not the first so many lines, each once.
    case wrong(String)
  }

  func verdict(on content: DocumentContent) -> Verdict {
    if let odd { return .wrong("answered \(odd)") }
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

  /// How many of the first lines make the document what it is, as many as can be; nil when no number does.
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

  /// What it added, by the numbers of the lines.
  private func added(in content: DocumentContent) -> [(line: Int, id: EmojiID)] {
    content.emojisInOrder().filter { $0.position.y == Double(row) }.map { (Int($0.position.x), $0.id) }
      .sorted { $0.0 < $1.0 }
  }
}
