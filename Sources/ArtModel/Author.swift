// SPDX-License-Identifier: Apache-2.0

/// The client that makes a request: the user's name and the client's session, both optional.
public struct DocumentClient: Hashable, Sendable {
  /// The user's name, as the history shows it.
  public let author: String?
  /// The session; nil for a program without sessions.
  public let session: SessionID?

  /// Throws `badValue` for a name that is empty, longer than 64 bytes, or contains control characters.
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

extension String {
  /// The text without blanks around it; nil if nothing is left.
  var trimmed: String? {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return nil }
    return String(scalars[first...last])
  }
}

/// One running program as the author of edits. It numbers the edits.
public struct Author: Sendable, Hashable {
  /// The program.
  public let origin: Origin
  /// The client of edits for which no other client is given.
  public let client: DocumentClient
  /// The user's name, as the history shows it.
  public var name: String? { client.author }
  private var sequence = 0

  /// An author without edits so far. Throws `badValue` for a name that is empty, longer than 64 bytes, or contains
  /// control characters.
  public init(origin: Origin, name: String? = nil, session: SessionID? = nil) throws(ArtError) {
    self.origin = origin
    client = try DocumentClient(author: name, session: session)
  }

  /// Stamps the next edit. `time` is in milliseconds since 1970; `tag` is the key of the request.
  public mutating func stamp(
    at time: Int, by other: DocumentClient? = nil, tag: RequestTag? = nil
  ) -> EditStamp {
    sequence += 1
    let client = other ?? client
    return EditStamp(
      id: EditID(origin: origin, sequence: sequence), time: time, author: client.author,
      session: client.session,
      tags: tag.map { [$0] } ?? [])
  }
}

/// The metadata of an edit: its id, its time and its client.
public struct EditStamp: Sendable, Hashable {
  /// The edit's id.
  public let id: EditID
  /// The time of the edit in milliseconds since 1970.
  public let time: Int
  /// The user's name; nil without one.
  public let author: String?
  /// The client's session; nil without one.
  public let session: SessionID?
  /// The keys of the requests that led to the edit: at most one, except for a restore, which has those of all its
  /// edits.
  public let tags: [RequestTag]

  /// A stamp with these values.
  public init(
    id: EditID, time: Int, author: String? = nil, session: SessionID? = nil, tags: [RequestTag] = []
  ) {
    self.id = id
    self.time = time
    self.author = author
    self.session = session
    self.tags = tags
  }

  /// A stamp with this time and another stamp's client and tags. `id` replaces the id.
  public func on(behalfOf other: EditStamp, as id: EditID? = nil) -> EditStamp {
    EditStamp(id: id ?? self.id, time: time, author: other.author, session: other.session, tags: other.tags)
  }
}

// MARK: - Identities

/// A random name of 60 bits: twelve characters of Crockford's base32 in lower case.
public protocol RandomName: Hashable, Sendable, CustomStringConvertible {
  /// The name's bits.
  var bits: UInt64 { get }
  /// The name made of the lowest 60 bits of a number.
  init(lowBits: UInt64)
}

extension RandomName {
  /// Characters in a name.
  public static var length: Int { 12 }

  /// Parses the stored form; nil unless it is twelve characters of the alphabet.
  public init?(_ text: some StringProtocol) {
    guard let bits = Crockford.decode(text.utf8, length: Self.length) else { return nil }
    self.init(lowBits: bits)
  }

  /// Draws a random name.
  public init(using generator: inout some RandomNumberGenerator) { self.init(lowBits: generator.next()) }

  /// The twelve characters.
  public var description: String { Crockford.encode(bits, length: Self.length) }
}

/// The identity of a running program that makes edits. Each process draws a new one.
public struct Origin: RandomName {
  /// The name's bits.
  public let bits: UInt64
  /// The name made of the lowest 60 bits of a number.
  public init(lowBits: UInt64) { bits = lowBits & (1 << 60 - 1) }
}

/// The identity of a document, drawn when it is created. A copy of the file has the same one.
public struct DocumentID: RandomName {
  /// The name's bits.
  public let bits: UInt64
  /// The name made of the lowest 60 bits of a number.
  public init(lowBits: UInt64) { bits = lowBits & (1 << 60 - 1) }
}

/// The identity of one client. The client draws it and keeps it across reloads and restarts. Undo and redo are by
/// session.
public struct SessionID: RandomName {
  /// The name's bits.
  public let bits: UInt64
  /// The name made of the lowest 60 bits of a number.
  public init(lowBits: UInt64) { bits = lowBits & (1 << 60 - 1) }
}

/// The key of a client's request: 1 to 64 visible ASCII characters, unique within the session. A repeated request has
/// the same key.
public struct RequestTag: Hashable, Sendable, CustomStringConvertible {
  /// The characters.
  public let description: String

  /// Nil unless the text is a valid key.
  public init?(_ text: String) {
    guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return nil
    }
    description = text
  }
}

/// The identity of an edit: its origin, and its sequence number within that origin.
public struct EditID: Hashable, Sendable, CustomStringConvertible {
  /// The program that made the edit.
  public let origin: Origin
  /// The sequence number within the origin, from 1.
  public let sequence: Int

  /// An id. `sequence` is at least 1.
  public init(origin: Origin, sequence: Int) {
    precondition(sequence >= 1)
    self.origin = origin
    self.sequence = sequence
  }

  /// Parses the stored form, `k3m9abcd0f2z:17`; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let origin = Origin(parts[0]), let sequence = Int(parts[1]), sequence >= 1,
      String(sequence) == parts[1]
    else { return nil }
    self.init(origin: origin, sequence: sequence)
  }

  /// `k3m9abcd0f2z:17`.
  public var description: String { "\(origin):\(sequence)" }
}

// MARK: - Base32

/// Crockford's base32 in lower case: 5 bits a character. The text sorts like the number.
///
/// Source: https://www.crockford.com/base32.html. The decoder for user input follows it: case is ignored, `i` and `l`
/// are 1, `o` is 0, hyphens are skipped.
enum Crockford {
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  static func encode(_ bits: UInt64, length: Int) -> String {
    String(unsafeUninitializedCapacity: length) { buffer in
      for index in 0..<length {
        buffer[index] = alphabet[Int((bits >> UInt64(5 * (length - 1 - index))) & 31)]
      }
      return length
    }
  }

  /// Decodes exactly `length` characters of the stored alphabet; nil for anything else.
  static func decode(_ text: some Sequence<UInt8>, length: Int) -> UInt64? {
    var bits: UInt64 = 0
    var count = 0
    for byte in text {
      guard count < length, let value = value(of: byte) else { return nil }
      bits = bits << 5 | value
      count += 1
    }
    return count == length ? bits : nil
  }

  /// The value of a character of the stored alphabet.
  static func value(of byte: UInt8) -> UInt64? {
    let value = values[Int(byte)]
    return value < 32 ? value : nil
  }

  /// The value of each byte; 32 for bytes outside the alphabet.
  private static let values: [UInt64] = {
    var values = [UInt64](repeating: 32, count: 256)
    for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt64(value) }
    return values
  }()

  /// The value of a character in user input.
  static func typedValue(of byte: UInt8) -> UInt64? {
    let lower = (0x41...0x5a).contains(byte) ? byte + 0x20 : byte
    switch lower {
    case UInt8(ascii: "i"), UInt8(ascii: "l"): return 1
    case UInt8(ascii: "o"): return 0
    default: return value(of: lower)
    }
  }
}
