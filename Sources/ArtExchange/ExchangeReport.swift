// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// What of a document could not be carried into another form: left out, or changed.
public struct ExchangeReport: Sendable, Equatable {
  /// One thing that people are told of.
  public struct Note: Sendable, Equatable {
    /// What became of it.
    public enum Kind: String, Sendable {
      case leftOut
      case changed
    }

    /// What became of it.
    public let kind: Kind
    /// A stable word for programs, such as `noEmojiInText`.
    public let code: String
    /// How many emoji it is about; 0 where it is about something else.
    public let emojis: Int
    /// For people, without the document's name: `2 labels without an emoji: "Hello", "Bob"`. May hold text of the document: it is
    /// made safe where it is printed.
    public let words: String

    /// A note of these values.
    public init(_ kind: Kind, code: String, emojis: Int = 0, words: String) {
      self.kind = kind
      self.code = code
      self.emojis = emojis
      self.words = words
    }
  }

  /// All notes, what was left out first.
  public private(set) var notes: [Note] = []

  /// Nothing to tell.
  public init() {}

  /// How many emoji are left out.
  public var emojisLeftOut: Int {
    notes.reduce(0) { $0 + ($1.kind == .leftOut ? $1.emojis : 0) }
  }

  /// Takes a note; what is left out stands before what is changed.
  public mutating func note(_ note: Note) {
    let firstChanged = notes.firstIndex { $0.kind == .changed } ?? notes.endIndex
    notes.insert(note, at: note.kind == .leftOut ? firstChanged : notes.endIndex)
  }
}
