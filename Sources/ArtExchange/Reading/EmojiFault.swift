// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Why an emoji of a document is left out.
enum EmojiFault: String, CaseIterable, Sendable, Error {
  case notAnObject
  case noText
  case emptyText
  case longText
  case controlInText
  case manyCharacters
  case noEmojiInText
  case twoNames
  case noPlace
  case placeOutOfBounds
  case noSize
  case sizeOutOfBounds
  case tooMany

  init(_ fault: ArtError.TextFault) {
    self =
      switch fault {
      case .empty: .emptyText
      case .bytes: .longText
      case .control: .controlInText
      case .characters: .manyCharacters
      case .noEmoji: .noEmojiInText
      }
  }

  /// What people are told of so many.
  func words(_ count: Int) -> String {
    switch self {
    case .notAnObject:
      "\(count) \(count == 1 ? "entry" : "entries") of the list of emoji that \(isAre(count)) no object"
    case .noText: "\(labels(count)) without a text"
    case .emptyText: "\(labels(count)) with an empty text"
    case .longText: "\(labels(count)) of more than \(Limits.textBytes) bytes"
    case .controlInText: "\(labels(count)) with a control or an unknown character"
    case .manyCharacters: "\(labels(count)) of more than \(Limits.textCharacters) characters"
    case .noEmojiInText: "\(labels(count)) without an emoji"
    case .twoNames: "\(labels(count)) with two texts or two places"
    case .noPlace: "\(labels(count)) without a place"
    case .placeOutOfBounds: "\(labels(count)) more than 1,000,000 pixels away"
    case .noSize: "\(labels(count)) without a size"
    case .sizeOutOfBounds: "\(labels(count)) whose size is not above 0 and up to 100,000"
    case .tooMany: "\(labels(count)) beyond the 1,000,000 that a document holds"
    }
  }

  private func labels(_ count: Int) -> String { count == 1 ? "1 label" : "\(count) labels" }
  private func isAre(_ count: Int) -> String { count == 1 ? "is" : "are" }
}

/// How many emoji were left out for each reason, and which were the first.
struct FaultTally: Sendable, Equatable {
  private struct Entry: Sendable, Equatable {
    var count = 0
    var examples: [String] = []
  }

  private static let exampleCount = 3
  private var entries: [EmojiFault: Entry] = [:]

  /// How many in all.
  var count: Int { entries.values.reduce(0) { $0 + $1.count } }

  /// Counts the emoji of that number, from 1; its text is shown where it has one.
  mutating func note(_ fault: EmojiFault, number: Int, text: String?) {
    entries[fault, default: Entry()].count += 1
    guard entries[fault, default: Entry()].examples.count < Self.exampleCount else { return }
    let example = text.flatMap { $0.isEmpty ? nil : "\"\(shortened($0, to: 24))\"" } ?? "number \(number)"
    entries[fault, default: Entry()].examples.append(example)
  }

  /// A note for each reason.
  var notes: [ExchangeReport.Note] {
    EmojiFault.allCases.compactMap { fault in
      guard let entry = entries[fault] else { return nil }
      let more = entry.count > entry.examples.count ? ", …" : ""
      let words = "\(fault.words(entry.count)): \(entry.examples.joined(separator: ", "))\(more)"
      return .init(.leftOut, code: fault.rawValue, emojis: entry.count, words: words)
    }
  }
}

/// Of a text of any length, as much as fits into a sentence.
func shortened(_ text: String, to count: Int) -> String {
  let scalars = text.unicodeScalars
  guard scalars.dropFirst(count).first != nil else { return text }
  return String(scalars.prefix(count - 1)) + "…"
}

/// Names that are not known, the first of them.
struct UnknownKeys: Sendable, Equatable {
  private static let nameCount = 8
  private var names: [String] = []
  private var hasMore = false

  /// Takes a name, and what it stands in where that is not the document or one of its emoji: `canvas`.
  mutating func note(_ name: String, in place: String? = nil) {
    let name = (place.map { "\($0)." } ?? "") + shortened(name, to: 40)
    guard !names.contains(name) else { return }
    if names.count < Self.nameCount { names.append(name) } else { hasMore = true }
  }

  /// Takes those of another list.
  mutating func join(_ other: UnknownKeys) {
    for name in other.names { note(name) }
    hasMore = hasMore || other.hasMore
  }

  /// A note of them all, where there are any.
  var note: ExchangeReport.Note? {
    guard !names.isEmpty else { return nil }
    let list = names.sorted().map { "\"\($0)\"" }.joined(separator: ", ") + (hasMore ? ", …" : "")
    let what = names.count == 1 ? "a name that is not known" : "names that are not known"
    return .init(.leftOut, code: "unknownKeys", words: "what stands under \(what): \(list)")
  }
}
