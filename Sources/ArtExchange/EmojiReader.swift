// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// One emoji as a document measures it.
struct ForeignEmoji: Sendable, Equatable {
  var text: EmojiText
  var x: Double
  var y: Double
  var size: FontSize
  /// Only our own JSON's are kept.
  var id: EmojiID?
}

/// Reads the list of emoji, whatever year wrote it: what is wrong with one of them leaves that one out.
struct EmojiReader: Sendable {
  /// The form that the first emoji with a text tells.
  private(set) var dialect: Dialect?
  private(set) var emojis: [ForeignEmoji] = []
  private(set) var faults = FaultTally()
  /// How many entries the list has.
  private(set) var found = 0
  /// How many texts got the selector that makes an emoji of them.
  private(set) var styledTexts = 0
  /// How many ids were none.
  private(set) var brokenIDs = 0
  private(set) var unknown = UnknownKeys()

  /// How many are taken.
  var limit = Limits.emojiCount

  /// No place on a canvas is farther from the middle of one.
  private static let farthest = Limits.coordinate + Double(Limits.canvasSide) / 2

  /// Reads the whole list.
  mutating func read(_ reader: inout JSONReader) throws(ArtError) {
    try reader.array { (reader) throws(ArtError) in try readOne(&reader) }
  }

  private mutating func readOne(_ reader: inout JSONReader) throws(ArtError) {
    found += 1
    guard reader.kind() == .object else {
      try reader.skip()
      return faults.note(.notAnObject, number: found, text: nil)
    }
    var members = Members()
    try reader.object { (key, reader) throws(ArtError) in
      try members.read(key, &reader, &unknown)
    }
    if dialect == nil { dialect = members.dialect }
    do throws(EmojiFault) { try take(members) } catch {
      faults.note(error, number: found, text: members.text)
    }
  }

  /// Leaves out what is out of bounds where places are measured from the top left, once that is known.
  mutating func leaveOutFarAway() {
    let isNear = { (emoji: ForeignEmoji) in
      abs(emoji.x) <= Limits.coordinate && abs(emoji.y) <= Limits.coordinate
    }
    guard !emojis.allSatisfy(isNear) else { return }
    for emoji in emojis where !isNear(emoji) {
      faults.note(.placeOutOfBounds, number: found, text: emoji.text.string)
    }
    emojis.removeAll { !isNear($0) }
  }

  private mutating func take(_ members: Members) throws(EmojiFault) {
    guard !members.hasTwoNames else { throw .twoNames }
    guard let typed = members.text else { throw .noText }
    let text: EmojiText
    do throws(ArtError.TextFault) { text = try EmojiText(checking: typed) } catch { throw EmojiFault(error) }
    guard let x = members.x, let y = members.y else { throw .noPlace }
    guard abs(x) <= Self.farthest, abs(y) <= Self.farthest else { throw .placeOutOfBounds }
    guard let pixels = members.size else { throw .noSize }
    let size: FontSize
    do throws(ArtError) { size = try FontSize(pixels) } catch { throw .sizeOutOfBounds }
    guard emojis.count < limit else { throw .tooMany }
    if text.string.utf8.count != typed.utf8.count { styledTexts += 1 }
    let id = members.id.flatMap { EmojiID($0) }
    if members.id != nil, id == nil { brokenIDs += 1 }
    emojis.append(ForeignEmoji(text: text, x: x, y: y, size: size, id: id))
  }
}

/// The members of one emoji that were there and had the right type.
private struct Members {
  var text: String?
  var x: Double?
  var y: Double?
  var size: Double?
  var id: String?
  var hasTwoNames = false
  private var hasString = false
  private var hasText = false
  private var hasID = false
  private var hasPlace = false
  private var hasPoint = false

  /// What the names say, as soon as there is a text.
  var dialect: Dialect? {
    if hasString, hasPoint { return .emojiart2023 }
    guard hasText else { return nil }
    return hasID ? .emojiart2020 : .emojiart2017
  }

  /// Reads a member; notes a name that is not known.
  mutating func read(
    _ key: String, _ reader: inout JSONReader, _ unknown: inout UnknownKeys
  ) throws(ArtError) {
    switch key {
    case "text":
      hasTwoNames = hasTwoNames || hasString
      hasText = true
      text = try reader.stringIfAny()
    case "string":
      hasTwoNames = hasTwoNames || hasText
      hasString = true
      text = try reader.stringIfAny()
    case "x":
      noteCoordinate()
      x = try reader.numberIfAny()
    case "y":
      noteCoordinate()
      y = try reader.numberIfAny()
    case "position", "location", "point":
      hasTwoNames = hasTwoNames || hasPlace || hasPoint
      hasPoint = true
      try readPoint(key, &reader, &unknown)
    case "size": size = try reader.numberIfAny()
    case "id":
      hasID = true
      id = try reader.stringIfAny()
    default:
      unknown.note(key)
      try reader.skip()
    }
  }

  private mutating func noteCoordinate() {
    hasTwoNames = hasTwoNames || hasPoint
    hasPlace = true
  }

  /// `{"x":…,"y":…}`, or `[x,y]` as Swift codes a point.
  private mutating func readPoint(
    _ name: String, _ reader: inout JSONReader, _ unknown: inout UnknownKeys
  ) throws(ArtError) {
    switch reader.kind() {
    case .object:
      try reader.object { (key, reader) throws(ArtError) in
        switch key {
        case "x": x = try reader.numberIfAny()
        case "y": y = try reader.numberIfAny()
        default:
          unknown.note(key, in: name)
          try reader.skip()
        }
      }
    case .array:
      var numbers: [Double?] = []
      try reader.array { (reader) throws(ArtError) in
        let number = try reader.numberIfAny()
        if numbers.count < 3 { numbers.append(number) }
      }
      if numbers.count == 2 { (x, y) = (numbers[0], numbers[1]) }
    default: try reader.skip()
    }
  }
}

extension JSONReader {
  /// Reads a string; passes over anything else.
  mutating func stringIfAny() throws(ArtError) -> String? {
    guard kind() == .string else {
      try skip()
      return nil
    }
    return try string()
  }

  /// Reads a number; passes over anything else.
  mutating func numberIfAny() throws(ArtError) -> Double? {
    guard kind() == .number else {
      try skip()
      return nil
    }
    return try number()
  }
}

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
