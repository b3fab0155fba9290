// SPDX-License-Identifier: Apache-2.0

/// A state of the document that somebody has named. It stays, however many edits follow; see `docs/FORMAT.md`, `version`.
public struct NamedVersion: Sendable, Hashable, Identifiable {
  /// Its identity, which no edit has.
  public let id: EditID
  /// Its name: 1 to 256 bytes. After a merge two versions may have the same.
  public let name: String
  /// The revision that it is of.
  public let revision: Int
  /// The last edit of that revision; nil at revision 0.
  public let head: EditID?
  /// Who made it; nil without a name.
  public let author: String?
  /// When it was made, in milliseconds since 1970.
  public let time: Int

  /// A version with these values.
  public init(id: EditID, name: String, revision: Int, head: EditID?, author: String?, time: Int) {
    (self.id, self.name, self.revision, self.head) = (id, name, revision, head)
    (self.author, self.time) = (author, time)
  }

  /// The most bytes of a name.
  package static let nameBytes = 256

  /// A typed name without blanks around it. Throws `badValue` for one that is empty, too long, has control characters, or could be taken
  /// for a revision or a version's id.
  public static func checkedName(_ typed: String) throws(ArtError) -> String {
    guard let name = typed.trimmed, name.utf8.count <= nameBytes,
      !name.unicodeScalars.contains(where: \.isUnsafeOnTerminal), !name.utf8.allSatisfy(isDigit),
      EditID(name) == nil
    else { throw .badVersionName(typed) }
    return name
  }

  fileprivate static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// How a user names an earlier state of a document.
public enum RevisionReference: Hashable, Sendable {
  /// A revision, by its number.
  case number(Int)
  /// A version, by its name or its id.
  case version(String)

  /// Parses `12` as a revision, and anything else as the name of a version. Throws `badValue` for an empty text and a number that is too
  /// large.
  public init(typed: String) throws(ArtError) {
    guard let word = typed.trimmed else { throw .badRevision(typed) }
    guard word.utf8.allSatisfy(NamedVersion.isDigit) else {
      self = .version(word)
      return
    }
    guard let number = Int(word) else { throw .badRevision(typed) }
    self = .number(number)
  }
}

/// The art of a named version.
public struct VersionContent: Sendable, Equatable {
  /// The size of the picture in pixels.
  public let canvas: Canvas
  /// The colour of the canvas; nil for none.
  public let fill: Color?
  /// The background picture, whose bytes are kept with the version.
  public let background: Background?
  /// The emoji, bottom to top, with new z-order values.
  public let emojis: [Emoji]

  /// Reads the JSON of a stored version: what `DocumentContent.writeJSON` writes of a document without a pending background. Throws
  /// `badJSON`, and what the initializers of the values throw.
  package init(_ json: String) throws(ArtError) {
    self = try JSONReader.read(json) { (reader) throws(ArtError) in try VersionContent(from: &reader) }
  }

  private init(from reader: inout JSONReader) throws(ArtError) {
    var canvas: (canvas: Canvas, fill: Color?)?
    var background: Background?
    var emojis: [Emoji]?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "background": background = reader.null() ? nil : try Background(from: &reader)
      case "canvas": canvas = try Canvas.filled(from: &reader)
      case "emojis": emojis = try Self.emojis(from: &reader)
      case "revision": _ = try reader.integer()
      default: throw reader.error("a version with the key \"\(key.prefix(40))\"")
      }
    }
    guard let canvas, let emojis else { throw reader.error("a version without canvas or emojis") }
    (self.canvas, fill, self.background, self.emojis) = (canvas.canvas, canvas.fill, background, emojis)
  }

  private static func emojis(from reader: inout JSONReader) throws(ArtError) -> [Emoji] {
    var emojis: [Emoji] = []
    var ids: Set<EmojiID> = []
    try reader.array { (reader) throws(ArtError) in
      let members = try EmojiMembers(from: &reader)
      guard let id = members.id, members.z == nil else {
        throw reader.error("an emoji without id, or with z")
      }
      guard ids.insert(id).inserted else { throw reader.error("the emoji \(id) twice") }
      guard emojis.count < Limits.emojiCount else { throw reader.error("too many emoji") }
      emojis.append(try members.emoji(id, z: emojis.count * Limits.zStep, &reader))
    }
    return emojis
  }

  /// The emoji with z-order values that differ as little as possible from those of the present ones, but for the order of the version.
  fileprivate func emojis(like present: [EmojiID: Emoji]) -> [Emoji] {
    var emojis = emojis
    for index in emojis.indices {
      if let z = present[emojis[index].id]?.z { emojis[index].set(.order(z)) }
    }
    return Self.fit(&emojis, emojis.map { present[$0.id] != nil }) ? emojis : self.emojis
  }

  /// Gives new emoji values between those of their neighbours. Returns false if the order does not permit that.
  private static func fit(_ emojis: inout [Emoji], _ isPresent: [Bool]) -> Bool {
    var (index, below) = (0, nil as Int?)
    while index < emojis.count {
      let end = isPresent[index...].firstIndex(of: true) ?? emojis.count
      let above = end < emojis.count ? emojis[end].z : nil
      let count = end - index
      guard let step = step(count, between: below, and: above) else { return false }
      let first = below.map { $0 + step } ?? above.map { $0 - count * step } ?? 0
      for offset in 0..<count {
        let z = first + offset * step
        guard Limits.zOrder.contains(z) else { return false }
        emojis[index + offset].set(.order(z))
      }
      guard let above else { return true }
      (below, index) = (above, end + 1)
    }
    return true
  }

  /// The distance of that many values from each other and from their neighbours; nil if there are not as many between these.
  private static func step(_ count: Int, between below: Int?, and above: Int?) -> Int? {
    guard let below, let above else { return Limits.zStep }
    // Both are within 2^60 of zero.
    let step = (above - below) / (count + 1)
    return step > 0 ? min(step, Limits.zStep) : nil
  }
}

extension DocumentContent {
  /// The content of a named version, with its revision, its head, and the log until then as far as it reaches. The version's JSON has no
  /// z-order values: the emoji get new ones.
  public func content(of version: NamedVersion, _ art: VersionContent) throws(ArtError) -> DocumentContent {
    let content = DocumentContent(
      id: id, canvas: art.canvas, fill: art.fill, background: art.background, emojis: art.emojis, log: log,
      revision: revision, head: head, pictures: pictures)
    // A version has each emoji once, which its reader checks.
    guard var content else { throw .badJSON("a version with two equal emoji") }
    content.cutLog(at: version.revision, head: version.head)
    return content
  }
}

extension RevertPlan {
  /// The name of the edit: `back to version "draft"`.
  public static func name(_ version: NamedVersion) -> String { "back to version \"\(version.name)\"" }

  /// Plans the edit that leads to a named version. Where it sets the background, nothing is pending afterwards: a version has nothing pending.
  public init(to version: NamedVersion, _ content: VersionContent, in art: some ArtReading) throws(ArtError) {
    var added: [Emoji] = []
    var updated: [ContentEffect.Update] = []
    var present: [EmojiID: Emoji] = [:]
    for emoji in try art.emojisInOrder() { present[emoji.id] = emoji }
    for emoji in content.emojis(like: present) {
      if let old = present.removeValue(forKey: emoji.id) {
        if let update = ContentEffect.Update(from: old, to: emoji) { updated.append(update) }
      } else {
        added.append(emoji)
      }
    }
    self.init(
      name: Self.name(version), revision: version.revision,
      effect: ContentEffect(
        added: added, updated: updated, removed: Array(present.keys),
        canvas: content.canvas == art.canvas ? nil : content.canvas,
        fill: content.fill == art.fill ? nil : .some(content.fill),
        background: content.background == art.background ? nil : .some(content.background),
        pending: art.pending == nil || content.background == art.background ? nil : .some(nil)))
  }
}

extension ArtError {
  /// A version that a document does not have. `names` are those of its versions.
  public static func noSuchVersion(_ name: String, among names: [String]) -> ArtError {
    let near = nearest(to: name, among: names)
    let hint =
      if names.isEmpty {
        "no version of the document has a name yet"
      } else if near.isEmpty {
        "there \(names.count == 1 ? "is" : "are") "
          + names.prefix(9).map { "\"\($0)\"" }.joined(separator: ", ")
          + (names.count > 9 ? " and others" : "")
      } else {
        "did you mean \(near.map { "\"\($0)\"" }.joined(separator: " or "))?"
      }
    return ArtError(
      .noSuchRevision, "no version \"\(name[...].shortened(to: 60))\"; \(hint)", about: name,
      remedy: names.isEmpty ? .listEdits : nil)
  }

  /// Several versions have that name.
  package static func ambiguousVersion(_ name: String, _ ids: [EditID]) -> ArtError {
    ArtError(
      .ambiguous,
      "several versions have the name \"\(name[...].shortened(to: 60))\"; name one by its id: \(ids.prefix(9).map(\.description).joined(separator: ", "))",
      about: name)
  }

  /// A name that another version has.
  package static func versionExists(_ name: String) -> ArtError {
    ArtError(
      .exists,
      "there is a version \"\(name[...].shortened(to: 60))\" already; choose another name, or remove that one first",
      about: name)
  }

  /// A name that no version may have.
  static func badVersionName(_ name: String) -> ArtError {
    ArtError(
      .badValue,
      "\"\(name[...].shortened(to: 60))\" is no name for a version; give up to \(NamedVersion.nameBytes) bytes of plain text that are not only a number",
      about: name)
  }

  /// A text that is no revision and no version's name.
  static func badRevision(_ text: String) -> ArtError {
    ArtError(
      .badValue,
      "\"\(text[...].shortened(to: 60))\" is no revision and no name of a version; give one, such as 12 or draft",
      about: text)
  }
}
