// SPDX-License-Identifier: Apache-2.0

/// Which running program made an edit: twelve characters of Crockford's base32, drawn anew by each process.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
  /// Characters in an origin.
  public static let length = 12
  private let bits: UInt64

  /// The origin as a document writes it; nil for anything but twelve characters of the alphabet.
  public init?(_ text: some StringProtocol) {
    guard let bits = Crockford.decode(text.utf8, length: Self.length) else { return nil }
    self.bits = bits
  }

  /// Draws the origin of a program that starts.
  public init(using generator: inout some RandomNumberGenerator) {
    self.init(lowBits: generator.next())
  }

  /// The origin of the lowest 60 bits of a number.
  public init(lowBits: UInt64) { bits = lowBits & (1 << 60 - 1) }

  /// The twelve characters.
  public var description: String { Crockford.encode(bits, length: Self.length) }
}

/// The document's own name for itself, twelve characters of Crockford's base32, drawn when it was made. A copy of
/// the file has the same one.
public struct DocumentID: Hashable, Sendable, CustomStringConvertible {
  /// Characters in an id.
  public static let length = 12
  private let bits: UInt64

  /// The id as a document writes it; nil for anything but twelve characters of the alphabet.
  public init?(_ text: some StringProtocol) {
    guard let bits = Crockford.decode(text.utf8, length: Self.length) else { return nil }
    self.bits = bits
  }

  /// Draws the id of a new document.
  public init(using generator: inout some RandomNumberGenerator) {
    bits = generator.next() & (1 << 60 - 1)
  }

  /// The twelve characters.
  public var description: String { Crockford.encode(bits, length: Self.length) }
}

/// The identity of an edit: its origin, and its number among the edits of that origin, from 1.
public struct EditID: Hashable, Sendable, CustomStringConvertible {
  /// Who made it.
  public let origin: Origin
  /// The how-manieth of that origin, from 1.
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
