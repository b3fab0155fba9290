// SPDX-License-Identifier: Apache-2.0

/// A name of 60 random bits: twelve characters of Crockford's base32, lower case.
public protocol RandomName: Hashable, Sendable, CustomStringConvertible {
  /// The name's bits.
  var bits: UInt64 { get }
  /// The name of the lowest 60 bits of a number.
  init(lowBits: UInt64)
}

extension RandomName {
  /// Characters in a name.
  public static var length: Int { 12 }

  /// The name as a document writes it; nil for anything but twelve characters of the alphabet.
  public init?(_ text: some StringProtocol) {
    guard let bits = Crockford.decode(text.utf8, length: Self.length) else { return nil }
    self.init(lowBits: bits)
  }

  /// Draws a name.
  public init(using generator: inout some RandomNumberGenerator) { self.init(lowBits: generator.next()) }

  /// The twelve characters.
  public var description: String { Crockford.encode(bits, length: Self.length) }
}

/// Which running program made an edit; each process draws a new one.
public struct Origin: RandomName {
  /// The name's bits.
  public let bits: UInt64
  /// The name of the lowest 60 bits of a number.
  public init(lowBits: UInt64) { bits = lowBits & (1 << 60 - 1) }
}

/// The document's own name for itself, drawn when it was made. A copy of the file has the same one.
public struct DocumentID: RandomName {
  /// The name's bits.
  public let bits: UInt64
  /// The name of the lowest 60 bits of a number.
  public init(lowBits: UInt64) { bits = lowBits & (1 << 60 - 1) }
}

/// One client of a document. The client draws the name and keeps it across reloads and restarts: undo and redo are by session.
public struct SessionID: RandomName {
  /// The name's bits.
  public let bits: UInt64
  /// The name of the lowest 60 bits of a number.
  public init(lowBits: UInt64) { bits = lowBits & (1 << 60 - 1) }
}

/// The key of a client's request: 1 to 64 visible ASCII characters, unique within the client's session. A request that is
/// repeated has the same one.
public struct RequestTag: Hashable, Sendable, CustomStringConvertible {
  /// The characters.
  public let description: String

  /// Nil for what is no key.
  public init?(_ text: String) {
    guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return nil
    }
    description = text
  }
}

/// The identity of an edit: its origin, and its number among the edits of that origin, from 1.
public struct EditID: Hashable, Sendable, CustomStringConvertible {
  /// The program that made it.
  public let origin: Origin
  /// The number within the origin, from 1.
  public let sequence: Int

  /// An id; the sequence is at least 1.
  public init(origin: Origin, sequence: Int) {
    precondition(sequence >= 1)
    self.origin = origin
    self.sequence = sequence
  }

  /// The id as a document writes it, `k3m9abcd0f2z:17`; nil for anything else.
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
