// SPDX-License-Identifier: Apache-2.0

/// The blocks in which edits leave the log: edits are of one block if their revisions divided by 64 give the same whole number. So which edits
/// the log has, in a file and in memory, follows from the revisions alone.
package enum LogBlock {
  /// The revisions of one block.
  package static let size = 64
  /// The number of edits that the log keeps at least. It has fewer than a block more.
  package static let kept = 1_000

  /// The block of a revision.
  package static func number(of revision: Int) -> Int { revision / size }

  /// Whether an edit is too old for the log of a document at the revision `newest`: `kept` revisions follow its block.
  package static func hasLeft(
    _ revision: Int, at newest: Int, keeping kept: Int = kept, size: Int = size
  ) -> Bool {
    (revision / size + 1) * size - 1 <= newest - kept
  }
}

/// How much the log of a document has: its newest edits, in a file and in memory.
package struct LogBudget: Sendable {
  /// The number of edits that it has at least, if their bytes allow it.
  package var kept: Int
  /// The revisions of a block.
  package var block: Int
  /// The bytes that the edits have at most, as `LoggedEdit.logBytes` counts.
  package var bytes: Int

  /// The budget of the file format, unless a test has a smaller one.
  package init(kept: Int = LogBlock.kept, block: Int = LogBlock.size, bytes: Int = 8 << 20) {
    (self.kept, self.block, self.bytes) = (kept, block, bytes)
  }

  /// Whether the oldest edit of a log leaves it. `newest` is the document's revision, `total` the bytes of the log. The newest edit stays.
  package func isLeaving(_ oldest: Int, at newest: Int, of total: Int) -> Bool {
    oldest < newest && (LogBlock.hasLeft(oldest, at: newest, keeping: kept, size: block) || total > bytes)
  }
}

/// An edit in the document's log: its author and time, its changes, and their inverse.
public struct LoggedEdit: Hashable, Sendable, Identifiable {
  /// What an entry is. Undo and redo take all but undos and redos for edits.
  public enum Kind: Hashable, Sendable {
    /// A user's action.
    case edit
    /// Reverts the edit with that id.
    case undo(EditID)
    /// Reverts the undo with that id.
    case redo(EditID)
    /// The mark at the end of a merged log. It gives the merged state a name, `(revision, head)`, that no other state has.
    case merge
    /// A repair has built the file. It changes nothing, and gives the document a new head.
    case repair
    /// The pending background was refused for good. The name says why.
    case refuse

    /// The entry that this one reverts: that of an undo or a redo.
    package var revertedID: EditID? {
      switch self {
      case .undo(let named), .redo(let named): named
      case .edit, .merge, .repair, .refuse: nil
      }
    }

    /// Whether it is an undo or a redo.
    package var isStep: Bool { revertedID != nil }
  }

  /// The id, the time and the client.
  public let stamp: EditStamp
  /// The edit's number in the document, from 1.
  public let revision: Int
  /// The save that the edit belongs to: the revision of the first edit of that save.
  public let save: Int
  /// What it is.
  public let kind: Kind
  /// The name and the changes. An undo and a redo have the name of the original action.
  public let edit: Edit
  /// The changes that revert it.
  public let inverse: [Change]
  /// The changes that could not be applied because of another program's changes. They are stored for the history.
  public let dropped: [Change]

  /// An entry with these values.
  public init(
    _ stamp: EditStamp, revision: Int, save: Int, kind: Kind = .edit, edit: Edit, inverse: [Change],
    dropped: [Change] = []
  ) {
    self.stamp = stamp
    self.revision = revision
    self.save = save
    self.kind = kind
    self.edit = edit
    self.inverse = inverse
    self.dropped = dropped
  }

  /// The edit's id.
  public var id: EditID { stamp.id }
  /// The time in milliseconds since 1970.
  public var time: Int { stamp.time }
  /// The user's name, if given.
  public var author: String? { stamp.author }
  /// The client's session, if it has one.
  public var session: SessionID? { stamp.session }

  /// The same entry as part of another save.
  public func marked(save: Int) -> LoggedEdit {
    LoggedEdit(
      stamp, revision: revision, save: save, kind: kind, edit: edit, inverse: inverse, dropped: dropped)
  }

  /// The bytes that it takes of the log's capacity: those of its name, and of its tags, changes, inverse and dropped changes in JSON.
  package var logBytes: Int {
    var bytes = edit.name.utf8.count
    var json = JSONWriter()
    func count(_ write: (inout JSONWriter) -> Void) {
      json.restart()
      write(&json)
      bytes += json.bytes.count
    }
    count(edit.changes.write)
    count(inverse.write)
    if !dropped.isEmpty { count(dropped.write) }
    if !stamp.tags.isEmpty {
      count { json in json.array { json in for tag in stamp.tags { json.string(tag.description) } } }
    }
    return bytes
  }

  /// Whether it is the entry that a repair appends to the log.
  var isRepair: Bool { kind == .repair && edit.changes.isEmpty }

  /// Whether the document was the same before it, apart from its revision: an undo of what later edits have set is an entry, too, because it
  /// says what stands.
  public var changesNothing: Bool { ContentEffect(of: edit.changes, inverse: inverse).isEmpty }

  /// The title for users: `move 🐝`, `Undo move 🐝`, `Redo move 🐝`.
  public var title: String {
    switch kind {
    case .edit, .merge, .repair, .refuse: edit.name
    case .undo: "Undo \(edit.name)"
    case .redo: "Redo \(edit.name)"
    }
  }
}

/// The owner to whose edits an undo or a redo is restricted.
public enum EditOwner: Hashable, Sendable {
  /// The edits that one running program makes without a session.
  case origin(Origin)
  /// The edits of one session, across restarts. Edits without a session do not belong to it.
  case session(SessionID)

  /// Whether the entry belongs to the owner.
  public func owns(_ entry: LoggedEdit) -> Bool {
    switch self {
    case .origin(let origin): entry.id.origin == origin && entry.session == nil
    case .session(let session): entry.session == session
    }
  }
}

// MARK: - Summaries

extension LoggedEdit {
  /// A short description of the edit's effect for users: `🐝 moved to 120,80`, `12 emoji removed`, `undo: 🌸 added`.
  ///
  /// `texts` are the texts of the emoji concerned, as far as known. The result may contain text from a document; the
  /// front end escapes it for display.
  public func summary(_ texts: [EmojiID: String] = [:]) -> String {
    if let reason = BackgroundEdit.refusal(in: self) { return "background refused (\(reason.rawValue))" }
    let phrases = EditPhrases(edit.changes, inverse, texts).phrases
    let limit = 3
    let effect: String =
      if phrases.isEmpty {
        kind == .repair ? "repaired" : edit.name
      } else {
        phrases.prefix(limit).joined(separator: ", ") + (phrases.count > limit ? ", and more" : "")
      }
    return switch kind {
    case .edit, .merge, .repair, .refuse: effect
    case .undo: "undo: \(effect)"
    case .redo: "redo: \(effect)"
    }
  }
}

extension BackgroundURL {
  /// The redacted form of a document's URL, for messages.
  static func redacted(_ url: String) -> String {
    do throws(Refusal) { return try BackgroundURL(url).redacted } catch { return "a URL that cannot be read" }
  }
}

/// Groups the changes of an edit by kind; each kind gives one phrase.
private struct EditPhrases {
  /// The largest number of emoji that are named. More are counted.
  private static let nameLimit = 3

  private var texts: [EmojiID: String]
  private var before: [EmojiID: String] = [:]
  private var added: [EmojiID] = []
  private var removed: [EmojiID] = []
  private var groups: [EmojiField: Group] = [:]
  private var others: [String] = []
  private var hasBackground = false

  /// The emoji of which a field was set, with their last values, in the order of their first changes.
  private struct Group {
    private(set) var ids: [EmojiID] = []
    private var values: [EmojiID: EmojiValue] = [:]

    mutating func set(_ id: EmojiID, _ value: EmojiValue) {
      if values.updateValue(value, forKey: id) == nil { ids.append(id) }
    }

    /// The value that all of them have; nil if they differ.
    var common: EmojiValue? {
      guard let first = values.first?.value, values.values.allSatisfy({ $0 == first }) else { return nil }
      return first
    }
  }

  init(_ changes: [Change], _ inverse: [Change], _ texts: [EmojiID: String]) {
    self.texts = texts
    for change in inverse {
      switch change {
      case .add(let emoji): recordText(emoji)
      case .set(let id, .text(let text)): before[id] = text.label
      default: break
      }
    }
    for change in changes { add(change) }
  }

  private mutating func recordText(_ emoji: Emoji) {
    if texts[emoji.id] == nil { texts[emoji.id] = emoji.text.label }
  }

  private mutating func add(_ change: Change) {
    switch change {
    case .add(let emoji):
      recordText(emoji)
      added.append(emoji.id)
    case .remove(let id): removed.append(id)
    case .set(let id, let value): groups[value.field, default: Group()].set(id, value)
    case .setCanvas(let canvas): others.append("canvas set to \(canvas.width)x\(canvas.height)")
    case .setFill(let fill):
      others.append(fill.map { "canvas filled with \($0)" } ?? "canvas no longer filled")
    case .setBackground(let background):
      hasBackground = true
      let source = background?.url.map { " from \(BackgroundURL.redacted($0))" } ?? ""
      others.append(background == nil ? "background removed" : "background set\(source)")
    case .setPending(nil): if !hasBackground { others.append("background no longer to be fetched") }
    case .setPending(let pending?):
      others.append("background to be fetched from \(BackgroundURL.redacted(pending.url))")
    }
  }

  var phrases: [String] {
    var phrases: [String] = []
    if !added.isEmpty { phrases.append("\(names(added)) added") }
    // Emoji are removed from the top down.
    if !removed.isEmpty { phrases.append("\(names(removed.reversed())) removed") }
    for field in [EmojiField.position, .size, .text, .rotation, .mirroring, .color, .order] {
      // An addition may renumber all other emoji, which has no visible effect.
      guard let group = groups[field], field != .order || added.isEmpty else { continue }
      let old = field == .text ? names(group.ids, before) : names(group.ids)
      phrases.append("\(old) \(Self.phrase(of: field, group.common))")
    }
    return phrases + others
  }

  /// What happened to the field; `common` is the value that all its emoji have now.
  private static func phrase(of field: EmojiField, _ common: EmojiValue?) -> String {
    switch common {
    case .position(let place)?: "moved to \(numberText(place.x)),\(numberText(place.y))"
    case .size(let size)?: "resized to \(numberText(size.pixels))"
    case .text(let text)?: "changed to \(text.label)"
    case .rotation(let rotation)?: "turned to \(numberText(rotation.degrees))°"
    case .mirroring(let isMirrored)?: isMirrored ? "mirrored" : "no longer mirrored"
    case .color(let color)?: "coloured \(color.ofLetters?.description ?? "black")"
    case .order?: "brought to another place in the order"
    case nil:
      switch field {
      case .position: "moved"
      case .size: "resized"
      case .text: "changed"
      case .rotation: "turned"
      case .mirroring: "flipped"
      case .color: "coloured"
      case .order: "brought to another place in the order"
      }
    }
  }

  /// `🐝 🌸`, `12 emoji`.
  private func names(_ ids: [EmojiID], _ other: [EmojiID: String]? = nil) -> String {
    let known = ids.prefix(Self.nameLimit).compactMap { (other ?? texts)[$0] }
    if ids.count <= Self.nameLimit, known.count == ids.count { return known.joined(separator: " ") }
    return ids.count == 1 ? "an emoji" : "\(ids.count) emoji"
  }
}

extension Change {
  /// A description of the change for users: `move k3m9abcd to 10,20`. It may contain text from a document; the front
  /// end escapes it for display.
  public var summary: String {
    switch self {
    case .add(let emoji): "add \(emoji.text.label) (\(emoji.id)) at \(Self.text(emoji.position))"
    case .remove(let id): "remove \(id)"
    case .set(let id, let value): Self.summary(value, of: id)
    case .setCanvas(let canvas): "set the canvas to \(canvas.width)x\(canvas.height)"
    case .setFill(let fill): fill.map { "fill the canvas with \($0)" } ?? "fill the canvas with nothing"
    case .setBackground(nil): "clear the background"
    case .setBackground: "set the background"
    case .setPending(nil): "no background to fetch"
    case .setPending(let pending?): "fetch the background \(BackgroundURL.redacted(pending.url))"
    }
  }

  private static func summary(_ value: EmojiValue, of id: EmojiID) -> String {
    switch value {
    case .position(let place): "move \(id) to \(text(place))"
    case .size(let size): "resize \(id) to \(numberText(size.pixels))"
    case .text(let text): "change \(id) to \(text.label)"
    case .order: "order \(id)"
    case .rotation(let rotation): "turn \(id) to \(numberText(rotation.degrees))°"
    case .mirroring(let isMirrored): isMirrored ? "mirror \(id)" : "mirror \(id) no longer"
    case .color(let color): "colour \(id) \(color.ofLetters?.description ?? "black")"
    }
  }

  private static func text(_ position: Point) -> String {
    "\(numberText(position.x)),\(numberText(position.y))"
  }
}
