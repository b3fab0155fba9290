// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

extension DocumentFile {
  /// Saves these edits together, each with its changes.
  @discardableResult
  func save(_ edits: [Change]...) throws -> DocumentBase {
    var random = SystemRandomNumberGenerator()
    var author = try Author(origin: Origin(using: &random))
    try edit { (transaction: DocumentTransaction) throws(ArtError) in
      for changes in edits {
        _ = try transaction.perform(
          Edit(name: "edit", changes: changes), stamp: author.stamp(at: 1_800_000_000_000))
      }
    }
    return try base()
  }

  /// Adds one bee in a save of its own.
  @discardableResult
  func addBee() throws -> EmojiID {
    let bee = try Emoji.one()
    try save([.add(bee)])
    return bee.id
  }
}

extension Emoji {
  static func one(_ text: String = "🐝", x: Double = 1) throws -> Emoji {
    var random = SystemRandomNumberGenerator()
    return Emoji(
      id: .random(using: &random), text: try EmojiText(text), position: try Point(x: x, y: 2),
      size: try FontSize(40), z: 0)
  }
}
