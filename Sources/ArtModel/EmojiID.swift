// SPDX-License-Identifier: Apache-2.0

/// The identity of one emoji in its document: eight characters of Crockford's base32, drawn at random, so
/// that edits made apart can be joined.
public struct EmojiID: Hashable, Sendable {
  /// Characters in an id.
  public static let length = 8
  /// The eight characters, 5 bits each, the first one highest.
  let bits: UInt64

  init(bits: UInt64) { self.bits = bits }

  /// The id as a document writes it; nil for anything but eight characters of the lower-case alphabet.
  public init?(_ text: some StringProtocol) {
    self.init(utf8: text.utf8)
  }

  /// The same from UTF-8 bytes.
  public init?(utf8: some Sequence<UInt8>) {
    guard let bits = Crockford.decode(utf8, length: Self.length) else { return nil }
    self.bits = bits
  }

  /// Draws an id. The caller draws again when it is taken.
  public static func random(using generator: inout some RandomNumberGenerator) -> EmojiID {
    EmojiID(bits: generator.next() & (1 << 40 - 1))
  }
}

extension EmojiID: Comparable {
  /// The order of the bits is the order of the text.
  public static func < (left: EmojiID, right: EmojiID) -> Bool { left.bits < right.bits }
}

extension EmojiID: CustomStringConvertible {
  /// The eight characters.
  public var description: String { Crockford.encode(bits, length: Self.length) }
}

extension EmojiID {
  /// The first characters of an id, as a person types them.
  public struct Prefix: Hashable, Sendable, CustomStringConvertible {
    let bits: UInt64
    /// Characters given, 1 to 8.
    public let length: Int

    /// Reads what was typed: any case, Crockford's look-alikes, hyphens passed over; nil when that leaves
    /// no character, more than eight, or one that is not of the alphabet.
    public init?(typed: some StringProtocol) {
      var bits: UInt64 = 0
      var length = 0
      for byte in typed.utf8 where byte != UInt8(ascii: "-") {
        guard length < EmojiID.length, let value = Crockford.typedValue(of: byte) else { return nil }
        bits = bits << 5 | value
        length += 1
      }
      guard length > 0 else { return nil }
      self.bits = bits
      self.length = length
    }

    /// Whether the id begins with these characters.
    public func matches(_ id: EmojiID) -> Bool { id.bits >> free == bits }

    /// The lowest and the highest id that begin with these characters.
    public var range: ClosedRange<EmojiID> {
      EmojiID(bits: bits << free)...EmojiID(bits: bits << free | (1 << free - 1))
    }

    /// The characters.
    public var description: String { Crockford.encode(bits, length: length) }

    private var free: UInt64 { UInt64(5 * (EmojiID.length - length)) }
  }

  /// How many characters name this id alone among its neighbours in sorted order.
  public func uniquePrefixLength(between neighbours: EmojiID?...) -> Int {
    var length = 1
    for case let other? in neighbours where other != self {
      let shared = ((bits ^ other.bits) << 24).leadingZeroBitCount / 5
      length = max(length, min(shared + 1, Self.length))
    }
    return length
  }
}
