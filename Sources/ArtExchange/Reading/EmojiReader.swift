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
