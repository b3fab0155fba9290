// SPDX-License-Identifier: Apache-2.0

/// What went wrong: a code for programs, a line for people that says what happened, to what, and what to do.
///
/// The wording of every error stands in `ArtError+Wording.swift`.
public struct ArtError: Error, Sendable, Hashable {
  /// What kind of thing went wrong.
  public enum Code: String, Sendable, CaseIterable {
    /// The command's words are off.
    case usage
    /// A value that a person gave is out of bounds.
    case badValue
    /// A text that is no emoji.
    case badText
    /// JSON that cannot be read.
    case badJSON
    /// The file is not an emojiart document.
    case notADocument
    /// The document's format is newer than this program.
    case newerFormat
    /// The content does not fit its sums.
    case damaged
    /// A limit on what a document may hold.
    case tooLarge
    /// There is no such document.
    case noSuchDocument
    /// There is no such emoji.
    case noSuchEmoji
    /// A reference fits several emoji.
    case ambiguous
    /// There is nothing to undo or redo.
    case nothingToUndo
    /// There is no background, or none of the kind that is meant.
    case noBackground
    /// Something by that name exists.
    case exists
    /// Reading or writing failed.
    case inputOutput
    /// The disk is full.
    case diskFull
    /// Another program holds the document.
    case busy
    /// The document has moved on since the revision that was named.
    case movedOn
    /// Another document stands where the one was that was opened.
    case replaced
    /// The system does not permit it.
    case notPermitted
    /// Something outside, a helper program for one, cannot be reached.
    case unavailable
    /// The document is closed, or cannot be edited.
    case closed
  }

  /// What kind of thing went wrong.
  public let code: Code
  /// One line for people. May hold text from a document or a path: it is made safe where it is printed.
  public let message: String

  /// An error of that kind.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension ArtError: CustomStringConvertible {
  /// The line for people.
  public var description: String { message }
}
