// SPDX-License-Identifier: Apache-2.0

/// An edit as the document's log keeps it: who made it and when, what it did, and what takes it back.
public struct LoggedEdit: Hashable, Sendable, Identifiable {
  /// What the edit is to undo and redo.
  public enum Kind: Hashable, Sendable {
    /// A user's action.
    case edit
    /// Takes back the edit of that id.
    case undo(EditID)
    /// Takes back the undo of that id.
    case redo(EditID)
  }

  /// Its identity, its time, and who made it.
  public let stamp: EditStamp
  /// Which edit of the document it is, from 1.
  public let revision: Int
  /// The save it came with: the revision of the first edit of that save.
  public let save: Int
  /// What it is to undo and redo.
  public let kind: Kind
  /// What it did. An undo and a redo keep the name of the action they are about.
  public let edit: Edit
  /// What takes it back.
  public let inverse: [Change]
  /// What it would have done, but could not: somebody else's change stood there. Kept for the history.
  public let dropped: [Change]

  /// A logged edit of these values.
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

  /// Its identity.
  public var id: EditID { stamp.id }
  /// When it was made, in milliseconds since 1970.
  public var time: Int { stamp.time }
  /// The name that its user gave, if any.
  public var author: String? { stamp.author }
  /// The session of the client that asked for it, if it has one.
  public var session: SessionID? { stamp.session }

  /// The same entry as part of that save.
  public func marked(save: Int) -> LoggedEdit {
    LoggedEdit(
      stamp, revision: revision, save: save, kind: kind, edit: edit, inverse: inverse, dropped: dropped)
  }

  /// What a person reads: `move 🐝`, `Undo move 🐝`, `Redo move 🐝`.
  public var title: String {
    switch kind {
    case .edit: edit.name
    case .undo: "Undo \(edit.name)"
    case .redo: "Redo \(edit.name)"
    }
  }
}

/// Whose edits an undo or a redo is about.
public enum EditOwner: Hashable, Sendable {
  /// Those that one running program makes for itself, without a session.
  case origin(Origin)
  /// Those of one session, also from before a restart. An edit without a session is nobody's then.
  case session(SessionID)

  /// Whether the entry is the owner's.
  public func owns(_ entry: LoggedEdit) -> Bool {
    switch self {
    case .origin(let origin): entry.id.origin == origin && entry.session == nil
    case .session(let session): entry.session == session
    }
  }
}

extension LoggedEdit {
  /// What the edit did, for people, in a few words: `🐝 moved to 120,80`, `12 emoji removed`, `undo: 🌸 added`.
  ///
  /// `texts` are those of the emoji that it is about, as far as they are known. May hold text from a document: it is
  /// made safe where it is printed.
  public func words(_ texts: [EmojiID: String] = [:]) -> String {
    if kind == .edit, let reason = BackgroundEdit.refusal(in: edit) {
      return "background refused (\(reason.rawValue))"
    }
    let phrases = EditPhrases(edit.changes, inverse, texts).phrases
    let most = 3
    let what: String =
      if phrases.isEmpty {
        edit.name == Edit.repairName ? "repaired" : edit.name
      } else {
        phrases.prefix(most).joined(separator: ", ") + (phrases.count > most ? ", and more" : "")
      }
    return switch kind {
    case .edit: what
    case .undo: "undo: \(what)"
    case .redo: "redo: \(what)"
    }
  }
}

extension BackgroundURL {
  /// What people are shown of a URL in a document.
  static func words(_ url: String) -> String {
    do throws(Refusal) { return try BackgroundURL(url).shown } catch { return "a URL that cannot be read" }
  }
}

/// The changes of an edit, those of one kind together, each kind one phrase.
private struct EditPhrases {
  /// At most so many emoji are named, more are counted.
  private static let named = 3

  private var texts: [EmojiID: String]
  private var before: [EmojiID: String] = [:]
  private var added: [EmojiID] = []
  private var removed: [EmojiID] = []
  private var moved = Group<Point>()
  private var resized = Group<FontSize>()
  private var changed = Group<EmojiText>()
  private var ordered = Group<Int>()
  private var others: [String] = []
  private var hasBackground = false

  /// Emoji of one kind of change, each with the last value it got, in the order of their first change.
  private struct Group<Value: Hashable> {
    private(set) var ids: [EmojiID] = []
    private var values: [EmojiID: Value] = [:]

    mutating func set(_ id: EmojiID, _ value: Value) {
      if values.updateValue(value, forKey: id) == nil { ids.append(id) }
    }

    /// The value that all of them got; nil where they differ.
    var common: Value? {
      guard let first = values.first?.value, values.values.allSatisfy({ $0 == first }) else { return nil }
      return first
    }
  }

  init(_ changes: [Change], _ inverse: [Change], _ texts: [EmojiID: String]) {
    self.texts = texts
    for change in inverse {
      switch change {
      case .add(let emoji): learn(emoji)
      case .setText(let id, let text): before[id] = text.string
      default: break
      }
    }
    for change in changes { take(change) }
  }

  private mutating func learn(_ emoji: Emoji) {
    if texts[emoji.id] == nil { texts[emoji.id] = emoji.text.string }
  }

  private mutating func take(_ change: Change) {
    switch change {
    case .add(let emoji):
      learn(emoji)
      added.append(emoji.id)
    case .remove(let id): removed.append(id)
    case .move(let id, let place): moved.set(id, place)
    case .resize(let id, let size): resized.set(id, size)
    case .setText(let id, let text): changed.set(id, text)
    case .order(let id, let z): ordered.set(id, z)
    case .setCanvas(let canvas): others.append("canvas set to \(canvas.width)x\(canvas.height)")
    case .setBackground(let background):
      hasBackground = true
      let source = background?.url.map { " from \(BackgroundURL.words($0))" } ?? ""
      others.append(background == nil ? "background removed" : "background set\(source)")
    case .setPending(nil): if !hasBackground { others.append("background no longer to be fetched") }
    case .setPending(let pending?):
      others.append("background to be fetched from \(BackgroundURL.words(pending.url))")
    }
  }

  var phrases: [String] {
    var phrases: [String] = []
    if !added.isEmpty { phrases.append("\(names(added)) added") }
    // They are removed from the top down.
    if !removed.isEmpty { phrases.append("\(names(removed.reversed())) removed") }
    if !moved.ids.isEmpty {
      let place = moved.common.map { " to \(numberText($0.x)),\(numberText($0.y))" } ?? ""
      phrases.append("\(names(moved.ids)) moved\(place)")
    }
    if !resized.ids.isEmpty {
      phrases.append(
        "\(names(resized.ids)) resized\(resized.common.map { " to \(numberText($0.pixels))" } ?? "")")
    }
    if !changed.ids.isEmpty {
      let old = names(changed.ids, before)
      phrases.append("\(old) changed\(changed.common.map { " to \($0)" } ?? "")")
    }
    // New emoji may have all others numbered anew, which nobody sees.
    if !ordered.ids.isEmpty, added.isEmpty {
      phrases.append("\(names(ordered.ids)) brought to another place in the order")
    }
    return phrases + others
  }

  /// `🐝 🌸`, `12 emoji`.
  private func names(_ ids: [EmojiID], _ other: [EmojiID: String]? = nil) -> String {
    let known = ids.prefix(Self.named).compactMap { (other ?? texts)[$0] }
    if ids.count <= Self.named, known.count == ids.count { return known.joined(separator: " ") }
    return ids.count == 1 ? "an emoji" : "\(ids.count) emoji"
  }
}

extension Change {
  /// What the change does, for people: `move k3m9abcd to 10,20`. May hold text from a document: it is made safe where it
  /// is printed.
  public var words: String {
    switch self {
    case .add(let emoji): "add \(emoji.text) (\(emoji.id)) at \(Self.words(emoji.position))"
    case .remove(let id): "remove \(id)"
    case .move(let id, let place): "move \(id) to \(Self.words(place))"
    case .resize(let id, let size): "resize \(id) to \(numberText(size.pixels))"
    case .setText(let id, let text): "change \(id) to \(text)"
    case .order(let id, _): "order \(id)"
    case .setCanvas(let canvas): "set the canvas to \(canvas.width)x\(canvas.height)"
    case .setBackground(nil): "clear the background"
    case .setBackground: "set the background"
    case .setPending(nil): "no background to fetch"
    case .setPending(let pending?): "fetch the background \(BackgroundURL.words(pending.url))"
    }
  }

  private static func words(_ place: Point) -> String { "\(numberText(place.x)),\(numberText(place.y))" }
}
