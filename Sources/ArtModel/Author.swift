// SPDX-License-Identifier: Apache-2.0

/// Who makes edits: one running program, and the name that its person gave, if any. Numbers the edits.
public struct Author: Sendable, Hashable {
  /// The program.
  public let origin: Origin
  /// The person's name, as `history` shows it.
  public let name: String?
  private var made = 0

  /// A program that has made no edit yet. Throws `badValue` for a name that is empty, longer than 64 bytes, or
  /// holds control characters.
  public init(origin: Origin, name: String? = nil) throws(ArtError) {
    if let name {
      guard !name.isEmpty, name.utf8.count <= Limits.authorBytes,
        !name.unicodeScalars.contains(where: \.isUnsafeOnTerminal)
      else { throw .badAuthor(name) }
    }
    self.origin = origin
    self.name = name
  }

  /// The stamp of the next edit. `time` is in milliseconds since 1970.
  public mutating func stamp(at time: Int) -> EditStamp {
    made += 1
    return EditStamp(id: EditID(origin: origin, sequence: made), time: time, author: name)
  }
}

/// What an edit is marked with when it is made.
public struct EditStamp: Sendable, Hashable {
  /// Its identity.
  public let id: EditID
  /// When, in milliseconds since 1970.
  public let time: Int
  /// The person's name, if given.
  public let author: String?

  /// The same mark for an edit that somebody else made, under another id if one is given.
  public func on(behalfOf author: String?, as other: EditID? = nil) -> EditStamp {
    EditStamp(id: other ?? id, time: time, author: author)
  }
}
