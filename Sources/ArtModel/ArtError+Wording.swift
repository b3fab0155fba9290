// SPDX-License-Identifier: Apache-2.0

// What happened, to what, and what to do next: one line each.

extension ArtError {
  /// Why a text is no emoji label.
  public enum TextFault: Error, Sendable {
    case empty
    case bytes
    case control
    case characters
    case noEmoji
  }

  /// A text that cannot be an emoji label.
  public static func badText(_ text: String, _ fault: TextFault) -> ArtError {
    let shown = "\"\(text.prefix(24))\(text.count > 24 ? "…" : "")\""
    switch fault {
    case .empty: return ArtError(.badText, "an empty text is no emoji; give one, such as 🐝")
    case .bytes:
      return ArtError(.badText, "\(shown) is longer than \(Limits.textBytes) bytes; an emoji label is short")
    case .control:
      return ArtError(
        .badText, "\(shown) holds a control or an unknown character; give emoji and letters only")
    case .characters:
      return ArtError(
        .badText, "\(shown) has \(text.count) characters; a label has at most \(Limits.textCharacters)")
    case .noEmoji:
      return ArtError(.badText, "\(shown) has no emoji in it; give at least one, such as 🐝")
    }
  }

  /// A word that means nothing here, such as a key or an option; the message names the near ones among those that do. `all` says which
  /// there are, where these are too many for a message.
  public static func unknown(
    _ what: String, _ word: String, among known: [String], all: String? = nil
  ) -> ArtError {
    let near = nearest(to: word, among: known)
    let list = all ?? "there are \(known.joined(separator: ", "))"
    let hint = near.isEmpty ? list : "did you mean \(near.joined(separator: " or "))?"
    let typed = word.isEmpty ? "\"\"" : String(word.prefix(40))
    return ArtError(.usage, "\(what) \(typed); \(hint)")
  }

  /// A place out of bounds.
  public static func badPlace(_ text: String) -> ArtError {
    ArtError(
      .badValue, "\"\(text)\" is no place; give X,Y in pixels or percent, within 1,000,000 of the origin")
  }

  /// A font size out of bounds.
  public static func badSize(_ text: String) -> ArtError {
    ArtError(.badValue, "\"\(text)\" is no size; give a number above 0 and up to 100,000")
  }

  /// A factor that is none.
  public static func badFactor(_ text: String) -> ArtError {
    ArtError(.badValue, "\"\(text)\" is no factor; give a number above 0, such as 1.5")
  }

  /// A canvas out of bounds.
  public static func badCanvas(_ text: String) -> ArtError {
    ArtError(.badValue, "\"\(text)\" is no canvas; give WIDTHxHEIGHT, each from 1 to 100,000 pixels")
  }

  /// A part of the canvas that is none.
  public static func badRegion(_ text: String) -> ArtError {
    ArtError(
      .badValue,
      "\"\(text)\" is no region; give X,Y,WIDTHxHEIGHT in pixels or percent, its sides at least 0.000001, within 1,000,000 of the origin"
    )
  }

  /// A reference that cannot name an emoji.
  public static func badReference(_ text: String) -> ArtError {
    ArtError(.badValue, "\"\(text)\" names no emoji; give an id or its beginning, an emoji, 🐝:2 or @last")
  }

  /// Nothing fits the reference.
  public static func noSuchEmoji(_ text: String) -> ArtError {
    ArtError(.noSuchEmoji, "no emoji \(text) in the document; `emojiart show` lists what is there")
  }

  /// Several emoji fit the reference.
  public static func ambiguous(_ text: String, _ candidates: [String], more: Bool) -> ArtError {
    let list = candidates.joined(separator: ", ") + (more ? ", …" : "")
    return ArtError(.ambiguous, "\(text) fits several emoji: \(list); name one of them")
  }

  /// Two references of one command name the same emoji.
  public static func namedTwice(_ text: String) -> ArtError {
    ArtError(.badValue, "\(text) is named twice; name each emoji once")
  }

  /// The document is full.
  public static func tooManyEmoji() -> ArtError {
    ArtError(.tooLarge, "a document holds at most 1,000,000 emoji; begin another one")
  }

  /// An edit of more changes than the log keeps of one.
  static func tooManyChanges() -> ArtError {
    ArtError(.tooLarge, "an edit makes at most 4,000,000 changes; make several edits of it")
  }

  /// A name that cannot stand for a person.
  public static func badAuthor(_ text: String) -> ArtError {
    ArtError(.badValue, "\"\(text.prefix(40))\" is no author's name; give up to 64 bytes of plain text")
  }

  /// An emoji is to be put above itself.
  public static func aboveItself(_ text: String) -> ArtError {
    ArtError(.badValue, "\(text) cannot be put above itself; name another emoji")
  }

  /// A z-order value out of bounds.
  public static func badOrder(_ z: Int) -> ArtError {
    ArtError(.badValue, "\(z) is no place in the z-order; give a value within 2^60 of zero")
  }

  /// A background, or one that is still to come, that no document may hold.
  public static func badBackground(_ what: String) -> ArtError {
    ArtError(.badValue, "a background with \(what)")
  }

  /// Nothing to undo or redo.
  public static func nothingTo(_ word: String) -> ArtError {
    ArtError(.nothingToUndo, "nothing to \(word); `emojiart history` lists the edits")
  }

  /// Nothing of a program's own to undo or redo.
  public static func nothingOwnTo(_ word: String) -> ArtError {
    ArtError(
      .nothingToUndo, "nothing of one's own to \(word): the edits of others and of earlier sessions stay")
  }

  /// A count out of bounds, in what two of our programs say to each other.
  static func badCount(_ count: Int, _ unit: String) -> ArtError {
    ArtError(.badValue, "\(count) \(unit) are out of bounds")
  }

  /// JSON that cannot be read.
  public static func badJSON(_ what: String, atByte index: Int) -> ArtError {
    ArtError(.badJSON, "JSON with \(what), at byte \(index)")
  }
}
