// SPDX-License-Identifier: Apache-2.0

/// One who asks for edits: the user's name, if given, and the session through which the request came, if there is one.
public struct DocumentClient: Hashable, Sendable {
  /// The user's name, as `history` shows it.
  public let author: String?
  /// The session; nil for a program that keeps no session.
  public let session: SessionID?

  /// Throws `badValue` for a name that is empty, longer than 64 bytes, or holds control characters.
  public init(author: String? = nil, session: SessionID? = nil) throws(ArtError) {
    if let author {
      guard !author.isEmpty, author.utf8.count <= Limits.authorBytes,
        !author.unicodeScalars.contains(where: \.isUnsafeOnTerminal)
      else { throw .badAuthor(author) }
    }
    self.author = author
    self.session = session
  }
}

/// One running program that makes edits, and its own client. It numbers the edits.
public struct Author: Sendable, Hashable {
  /// The program.
  public let origin: Origin
  /// The client whose edits these are unless another one is named.
  public let client: DocumentClient
  /// The user's name, as `history` shows it.
  public var name: String? { client.author }
  private var made = 0

  /// A program that has made no edit yet. Throws `badValue` for a name that is empty, longer than 64 bytes, or
  /// holds control characters.
  public init(origin: Origin, name: String? = nil, session: SessionID? = nil) throws(ArtError) {
    self.origin = origin
    client = try DocumentClient(author: name, session: session)
  }

  /// The stamp of the next edit. `time` is in milliseconds since 1970; `tag` is the key of the request.
  public mutating func stamp(
    at time: Int, by other: DocumentClient? = nil, tag: RequestTag? = nil
  ) -> EditStamp {
    made += 1
    let client = other ?? client
    return EditStamp(
      id: EditID(origin: origin, sequence: made), time: time, author: client.author, session: client.session,
      tags: tag.map { [$0] } ?? [])
  }
}

/// What an edit is marked with when it is made.
public struct EditStamp: Sendable, Hashable {
  /// Its identity.
  public let id: EditID
  /// When, in milliseconds since 1970.
  public let time: Int
  /// The user's name, if given.
  public let author: String?
  /// The client's session, if it has one.
  public let session: SessionID?
  /// The keys of the requests that the edit answers: at most one, but for a restore, which keeps those of all its edits.
  public let tags: [RequestTag]

  /// A mark of these values.
  public init(
    id: EditID, time: Int, author: String? = nil, session: SessionID? = nil, tags: [RequestTag] = []
  ) {
    self.id = id
    self.time = time
    self.author = author
    self.session = session
    self.tags = tags
  }

  /// The same time for what another client's edits came to, under another id if one is given.
  public func on(behalfOf other: EditStamp, as id: EditID? = nil) -> EditStamp {
    EditStamp(id: id ?? self.id, time: time, author: other.author, session: other.session, tags: other.tags)
  }
}
