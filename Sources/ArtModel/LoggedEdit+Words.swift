// SPDX-License-Identifier: Apache-2.0

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
