// SPDX-License-Identifier: Apache-2.0

/// What a palette is called: letters, digits and hyphens, a letter first, at most 64 bytes, in lower case.
public struct PaletteName: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The name as it is kept and shown.
  public let string: String

  /// The palette that keeps itself: what was added last.
  public static let recent = PaletteName(checked: "recent")
  /// UTF-8 bytes in a name.
  public static let byteLimit = 64
  /// What stands for something else behind an `@`.
  static let taken = "last"

  /// Reads what was typed; case does not matter. Throws `badValue`.
  public init(_ typed: String) throws(ArtError) {
    let name = typed.lowercased()
    guard name != Self.taken else { throw .takenPaletteName(typed) }
    guard name.utf8.count <= Self.byteLimit, name.unicodeScalars.first.map(Self.isLetter) == true,
      name.unicodeScalars.allSatisfy(Self.isPlain)
    else { throw .badPaletteName(typed) }
    string = name
  }

  /// A name that stands in the program.
  init(checked name: String) { string = name }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "-" || ("0"..."9").contains(scalar) || isLetter(scalar)
  }

  /// Some emoji are letters, such as 🅰: a word with one of them is a label.
  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic && !scalar.properties.isEmoji
  }

  /// In the order of their letters.
  public static func < (left: PaletteName, right: PaletteName) -> Bool { left.string < right.string }

  /// The name.
  public var description: String { string }
}
