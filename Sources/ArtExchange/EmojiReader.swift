// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// An emoji with the coordinates of its document.
struct ForeignEmoji: Sendable, Equatable {
  var text: EmojiText
  var x: Double
  var y: Double
  var size: FontSize
  /// Kept only from our own JSON, as all that follows.
  var id: EmojiID?
  var rotation = Rotation.zero
  var isMirrored = false
  var color = Color.black
  /// Why it is no caption in our own JSON, which says that it is one; in other forms it is a label.
  var captionFault: EmojiFault?
}

/// Reads a list of emoji of any format; leaves out invalid ones.
struct EmojiReader: Sendable {
  /// The format, as far as the first emoji with a text shows it.
  private(set) var dialect: Dialect?
  private(set) var emojis: [ForeignEmoji] = []
  private(set) var faults = FaultTally()
  /// The number of entries in the list.
  private(set) var found = 0
  /// The number of texts to which U+FE0F was added.
  private(set) var styledTexts = 0
  /// The number of invalid ids.
  private(set) var brokenIDs = 0
  /// The number of emoji with an invalid rotation, mirroring or colour.
  private(set) var brokenStyles = 0
  private(set) var unknown = UnknownKeys()
  /// Keys that only our own JSON has.
  private(set) var ownKeys = UnknownKeys()

  /// The number of emoji that are read.
  var limit = Limits.emojiCount

  /// The largest valid coordinate, from the centre of the largest canvas.
  private static let maxCoordinate = Limits.coordinate + Double(Limits.canvasSide) / 2

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
      if try members.readStyle(key, &reader) { return ownKeys.note(key) }
      try members.read(key, &reader, &unknown)
    }
    if dialect == nil { dialect = members.dialect }
    do throws(EmojiFault) { try append(members) } catch {
      faults.note(error, number: found, text: members.text)
    }
  }

  /// Removes emoji that are out of bounds, once it is known that coordinates are from the top left.
  mutating func removeOutOfBounds() {
    let isNear = { (emoji: ForeignEmoji) in
      abs(emoji.x) <= Limits.coordinate && abs(emoji.y) <= Limits.coordinate
    }
    guard !emojis.allSatisfy(isNear) else { return }
    for emoji in emojis where !isNear(emoji) {
      faults.note(.placeOutOfBounds, number: found, text: emoji.text.string)
    }
    emojis.removeAll { !isNear($0) }
  }

  /// Leaves out captions that are none, once it is known that the document is our own JSON.
  mutating func removeBrokenCaptions() {
    guard ownKeys.note != nil else { return }
    for emoji in emojis {
      if let fault = emoji.captionFault { faults.note(fault, number: found, text: emoji.text.string) }
    }
    emojis.removeAll { $0.captionFault != nil }
  }

  /// Makes plain labels of the emoji, once it is known that the document is not our own JSON, and leaves out captions that are none.
  mutating func removeStyles() {
    guard ownKeys.note != nil else { return }
    brokenStyles = 0
    var labels: [ForeignEmoji] = []
    labels.reserveCapacity(emojis.count)
    for emoji in emojis {
      var label = ForeignEmoji(text: emoji.text, x: emoji.x, y: emoji.y, size: emoji.size, id: emoji.id)
      do throws(EmojiFault) {
        if emoji.text.isCaption { label.text = try Self.label(emoji.text.string) }
        labels.append(label)
      } catch {
        faults.note(error, number: found, text: emoji.text.string)
      }
    }
    emojis = labels
  }

  private static func label(_ typed: String) throws(EmojiFault) -> EmojiText {
    do throws(ArtError.TextFault) { return try EmojiText(checking: typed) } catch { throw EmojiFault(error) }
  }

  private static func caption(_ typed: String, _ box: TextBox?) throws(EmojiFault) -> EmojiText {
    guard let box else { throw .captionWithoutBox }
    do throws(ArtError) { return EmojiText(try Words(typed), box: box) } catch { throw .badCaption }
  }

  /// A caption's text; or a label's, with why it is no caption. Throws why it is neither.
  private static func captionOrLabel(
    _ typed: String, _ box: TextBox?
  ) throws(EmojiFault) -> (EmojiText, EmojiFault?) {
    let fault: EmojiFault
    do throws(EmojiFault) { return (try caption(typed, box), nil) } catch { fault = error }
    do throws(ArtError.TextFault) { return (try EmojiText(checking: typed), fault) } catch { throw fault }
  }

  private mutating func append(_ members: Members) throws(EmojiFault) {
    guard !members.hasTwoNames else { throw .twoNames }
    guard let typed = members.text else { throw .noText }
    let style = members.style
    var captionFault: EmojiFault?
    let text: EmojiText
    if style.isCaption {
      (text, captionFault) = try Self.captionOrLabel(typed, style.box)
    } else {
      text = try Self.label(typed)
    }
    guard let x = members.x, let y = members.y else { throw .noPlace }
    guard abs(x) <= Self.maxCoordinate, abs(y) <= Self.maxCoordinate else { throw .placeOutOfBounds }
    guard let pixels = members.size else { throw .noSize }
    let size: FontSize
    do throws(ArtError) { size = try FontSize(pixels) } catch { throw .sizeOutOfBounds }
    guard emojis.count < limit else { throw .tooMany }
    if !text.isCaption, text.string.utf8.count > typed.utf8.count { styledTexts += 1 }
    let id = members.id.flatMap { EmojiID($0) }
    if members.id != nil, id == nil, captionFault == nil { brokenIDs += 1 }
    if style.isBroken, captionFault == nil { brokenStyles += 1 }
    emojis.append(
      ForeignEmoji(
        text: text, x: x, y: y, size: size, id: id, rotation: style.rotation, isMirrored: style.isMirrored,
        color: style.color, captionFault: captionFault))
  }
}

/// The members of one emoji that were present and of the right type.
private struct Members {
  var text: String?
  var x: Double?
  var y: Double?
  var size: Double?
  var id: String?
  private(set) var style = ForeignStyle()
  var hasTwoNames = false
  private var hasString = false
  private var hasText = false
  private var hasID = false
  private var hasPlace = false
  private var hasPoint = false

  /// The format that the names of the members belong to, as soon as there is a text.
  var dialect: Dialect? {
    if hasString, hasPoint { return .emojiart2023 }
    guard hasText else { return nil }
    return hasID ? .emojiart2020 : .emojiart2017
  }

  /// Reads a member; notes an unknown name.
  mutating func read(
    _ key: String, _ reader: inout JSONReader, _ unknown: inout UnknownKeys
  ) throws(ArtError) {
    switch key {
    case "text":
      hasTwoNames = hasTwoNames || hasString
      hasText = true
      text = try reader.stringOrSkip()
    case "string":
      hasTwoNames = hasTwoNames || hasText
      hasString = true
      text = try reader.stringOrSkip()
    case "x":
      noteCoordinate()
      x = try reader.numberOrSkip()
    case "y":
      noteCoordinate()
      y = try reader.numberOrSkip()
    case "position", "location", "point":
      hasTwoNames = hasTwoNames || hasPlace || hasPoint
      hasPoint = true
      try readPoint(key, &reader, &unknown)
    case "size": size = try reader.numberOrSkip()
    case "id":
      hasID = true
      id = try reader.stringOrSkip()
    default:
      unknown.note(key)
      try reader.skip()
    }
  }

  /// Reads a member that only our own JSON has; false for any other one.
  mutating func readStyle(_ key: String, _ reader: inout JSONReader) throws(ArtError) -> Bool {
    try style.read(key, &reader)
  }

  private mutating func noteCoordinate() {
    hasTwoNames = hasTwoNames || hasPoint
    hasPlace = true
  }

  /// `{"x":…,"y":…}`, or `[x,y]` as Swift encodes a point.
  private mutating func readPoint(
    _ name: String, _ reader: inout JSONReader, _ unknown: inout UnknownKeys
  ) throws(ArtError) {
    switch reader.kind() {
    case .object:
      try reader.object { (key, reader) throws(ArtError) in
        switch key {
        case "x": x = try reader.numberOrSkip()
        case "y": y = try reader.numberOrSkip()
        default:
          unknown.note(key, in: name)
          try reader.skip()
        }
      }
    case .array:
      var numbers: [Double?] = []
      try reader.array { (reader) throws(ArtError) in
        let number = try reader.numberOrSkip()
        if numbers.count < 3 { numbers.append(number) }
      }
      if numbers.count == 2 { (x, y) = (numbers[0], numbers[1]) }
    default: try reader.skip()
    }
  }
}

/// The members that only some emoji of our own JSON have.
struct ForeignStyle {
  private(set) var rotation = Rotation.zero
  private(set) var isMirrored = false
  private(set) var color = Color.black
  private(set) var isCaption = false
  /// The box of a caption, if there is a valid one.
  private(set) var box: TextBox?
  private var hasBox = false
  private var hasBrokenValue = false

  /// Whether one of its values is invalid, and the usual one stands for it.
  var isBroken: Bool { hasBrokenValue || hasBox && !isCaption }

  /// Reads a member with the bounds of the model; false for one of another name.
  mutating func read(_ key: String, _ reader: inout JSONReader) throws(ArtError) -> Bool {
    switch key {
    case "box":
      hasBox = true
      var sides: [Double?] = []
      if reader.kind() == .array {
        try reader.array { (reader) throws(ArtError) in
          let side = try reader.numberOrSkip()
          if sides.count < 3 { sides.append(side) }
        }
      } else {
        try reader.skip()
      }
      guard sides.count == 2, let width = sides[0], let height = sides[1] else { return true }
      do throws(ArtError) { box = try TextBox(width: width, height: height) } catch { box = nil }
    case "color":
      guard !reader.null() else { return true }
      guard let typed = try reader.stringOrSkip() else {
        hasBrokenValue = true
        return true
      }
      do throws(ArtError) { color = try Color(typed: typed) } catch { hasBrokenValue = true }
    case "kind":
      isCaption = try reader.stringOrSkip() == "caption"
      if !isCaption { hasBrokenValue = true }
    case "mirrored":
      if reader.kind() == .boolean {
        isMirrored = try reader.boolean()
      } else {
        try reader.skip()
        hasBrokenValue = true
      }
    case "rotation":
      guard let degrees = try reader.numberOrSkip() else {
        hasBrokenValue = true
        return true
      }
      do throws(ArtError) { rotation = try Rotation(degrees: degrees) } catch { hasBrokenValue = true }
    default: return false
    }
    return true
  }
}

// MARK: - Optional values

extension JSONReader {
  /// Reads a string; skips any other value.
  mutating func stringOrSkip() throws(ArtError) -> String? {
    guard kind() == .string else {
      try skip()
      return nil
    }
    return try string()
  }

  /// Reads a number; skips any other value.
  mutating func numberOrSkip() throws(ArtError) -> Double? {
    guard kind() == .number else {
      try skip()
      return nil
    }
    return try number()
  }
}

// MARK: - Faults

/// Why an emoji is left out.
enum EmojiFault: String, CaseIterable, Sendable, Error {
  case notAnObject
  case noText
  case emptyText
  case longText
  case controlInText
  case manyCharacters
  case noEmojiInText
  case badCaption
  case captionWithoutBox
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

  /// The message for that many emoji.
  func text(_ count: Int) -> String {
    switch self {
    case .notAnObject:
      "\(count) \(count == 1 ? "entry" : "entries") of the list of emoji that \(isAre(count)) no object"
    case .noText: "\(emojis(count)) without a text"
    case .emptyText: "\(emojis(count)) with an empty text"
    case .longText: "\(texts(count)) of more than \(Limits.textBytes) bytes"
    case .controlInText: "\(texts(count)) with a control or an unknown character"
    case .manyCharacters: "\(texts(count)) of more than \(Limits.textCharacters) characters"
    case .noEmojiInText: "\(texts(count)) without an emoji"
    case .badCaption:
      "\(captions(count)) whose words are not 1 to 1,000 bytes in up to 100 lines, without control characters"
    case .captionWithoutBox: "\(captions(count)) without a box, or with one of more than 2,000 ems a side"
    case .twoNames: "\(emojis(count)) with two texts or two places"
    case .noPlace: "\(emojis(count)) without a place"
    case .placeOutOfBounds: "\(emojis(count)) more than 1,000,000 pixels away"
    case .noSize: "\(emojis(count)) without a size"
    case .sizeOutOfBounds: "\(emojis(count)) whose size is not above 0 and up to 100,000"
    case .tooMany: "\(emojis(count)) beyond the 1,000,000 that a document holds"
    }
  }

  private func texts(_ count: Int) -> String { count == 1 ? "1 text" : "\(count) texts" }
  private func emojis(_ count: Int) -> String { "\(count) emoji" }
  private func captions(_ count: Int) -> String { count == 1 ? "1 caption" : "\(count) captions" }
  private func isAre(_ count: Int) -> String { count == 1 ? "is" : "are" }
}

/// Counts the emoji left out for each reason, with examples.
struct FaultTally: Sendable, Equatable {
  private struct Entry: Sendable, Equatable {
    var count = 0
    var examples: [String] = []
  }

  private static let exampleCount = 3
  private var entries: [EmojiFault: Entry] = [:]

  /// The number of all of them.
  var count: Int { entries.values.reduce(0) { $0 + $1.count } }

  /// Counts an emoji by its number in the list, from 1; its text serves as an example, if it has one.
  mutating func note(_ fault: EmojiFault, number: Int, text: String?) {
    entries[fault, default: Entry()].count += 1
    guard entries[fault, default: Entry()].examples.count < Self.exampleCount else { return }
    let example = text.flatMap { $0.isEmpty ? nil : "\"\(shortened($0, to: 24))\"" } ?? "number \(number)"
    entries[fault, default: Entry()].examples.append(example)
  }

  /// One note for each reason.
  var notes: [ExchangeReport.Note] {
    EmojiFault.allCases.compactMap { fault in
      guard let entry = entries[fault] else { return nil }
      let more = entry.count > entry.examples.count ? ", …" : ""
      let text = "\(fault.text(entry.count)): \(entry.examples.joined(separator: ", "))\(more)"
      return .init(.leftOut, code: fault.rawValue, emojis: entry.count, text: text)
    }
  }
}

/// A text, shortened for a message.
func shortened(_ text: String, to count: Int) -> String {
  let scalars = text.unicodeScalars
  guard scalars.dropFirst(count).first != nil else { return text }
  return String(scalars.prefix(count - 1)) + "…"
}

// MARK: - Unknown names

/// Unknown names of members, the first few.
struct UnknownKeys: Sendable, Equatable {
  private static let nameCount = 8
  private var names: [String] = []
  private var hasMore = false

  /// Adds a name, with its container unless that is the document or an emoji: `canvas`.
  mutating func note(_ name: String, in container: String? = nil) {
    let name = (container.map { "\($0)." } ?? "") + shortened(name, to: 40)
    guard !names.contains(name) else { return }
    if names.count < Self.nameCount { names.append(name) } else { hasMore = true }
  }

  /// Adds the names of another list.
  mutating func merge(_ other: UnknownKeys) {
    for name in other.names { note(name) }
    hasMore = hasMore || other.hasMore
  }

  /// One note for all names; nil where there are none.
  var note: ExchangeReport.Note? {
    guard !names.isEmpty else { return nil }
    let list = names.sorted().map { "\"\($0)\"" }.joined(separator: ", ") + (hasMore ? ", …" : "")
    let what = names.count == 1 ? "a name that is not known" : "names that are not known"
    return .init(.leftOut, code: "unknownKeys", text: "what stands under \(what): \(list)")
  }
}
