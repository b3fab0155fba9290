// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A document of another program, or our own JSON, as values: what was read, before its picture was looked at.
public struct ForeignArt: Sendable, Equatable {
  /// The picture that it names or holds; both where it holds one and says where it came from.
  public struct Background: Sendable, Equatable {
    /// A URL as it stands there; nobody has looked at it yet.
    public var url: String?
    /// The bytes of a picture; nobody has decoded them yet.
    public var bytes: [UInt8]?

    /// A background of these values.
    public init(url: String? = nil, bytes: [UInt8]? = nil) {
      self.url = url
      self.bytes = bytes
    }
  }

  /// The form that it is written in.
  public let dialect: Dialect
  /// The picture, if any.
  public let background: Background?
  /// How many emoji come in.
  public var emojiCount: Int { 0 }
  /// How many emoji there were: `emojiCount` and those that the report counts as left out.
  public var emojisFound: Int { 0 }
  /// What was left out of it or changed.
  public let report: ExchangeReport

  /// Reads a document's bytes; the form is told by what is in them. Throws `badJSON` with the place, `notADocument` for JSON that is
  /// no document of these, `tooLarge`.
  public init(reading bytes: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    throw ArtError(.notADocument, "not built yet")
  }

  /// The document that it becomes. With a picture the canvas takes its size; without one it is the standard one, grown to hold all
  /// emoji, and a URL that is left stays `pending` with `reason`, anchored as the form measures. Every emoji gets its id from the
  /// generator, but our own JSON's keep theirs. The report is of all that was left out or changed.
  ///
  /// `picture` is what the background became; `url` where it came from, to be kept. Throws `badValue`, `tooLarge`.
  public func content(
    picture: CheckedPicture?, digest: String?, url: String?,
    pending: (url: String, since: Int, reason: String)?,
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> (content: DocumentContent, report: ExchangeReport) {
    throw ArtError(.notADocument, "not built yet")
  }
}
