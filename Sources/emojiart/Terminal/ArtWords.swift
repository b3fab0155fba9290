// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace

/// A document in sentences, for screen readers: what it is, and then each emoji by its name, from the bottom to the top.
///
///     bees.emojiart: 800 x 600, filled with #ffcc00, 2 emoji from the bottom to the top.
///     2: honeybee at 320,300, size 96.
///     q: caption "Happy birthday" at 400,50, size 40, colour #ff0000, turned by 30 degrees.
///
/// Each sentence begins with the beginning of the emoji's id that names it.
enum ArtWords {
  /// At most that many emoji, from the top of the z-order.
  static func lines(of content: DocumentContent, _ path: String, most: Int? = nil) -> [String] {
    let emojis = content.emojisInOrder()
    let lengths = emojis.typedLengths
    // A name is searched in a table. A large document has the same texts many times.
    var names: [EmojiText: String] = [:]
    let rows = emojis.suffix(most ?? emojis.count).map { emoji in
      let id = emoji.id.description.prefix(lengths[emoji.id] ?? emoji.id.description.count)
      let name = names[emoji.text] ?? Self.name(of: emoji.text)
      names[emoji.text] = name
      return "\(id): \(sentence(about: emoji, named: name))."
    }
    return [safe(head(of: content, path))] + rows.map(safe)
  }

  private static func head(of content: DocumentContent, _ path: String) -> String {
    let behind = [
      content.fill.map { "filled with \($0)" }, content.background.map { "background \($0.text)" },
      content.pending.map { "background \($0.text) still to be fetched" },
    ].compactMap(\.self)
    let background = behind.isEmpty ? "no background" : behind.joined(separator: ", ")
    let count = content.countText + (content.emojiCount > 1 ? " from the bottom to the top" : "")
    return "\(path): \(content.canvas.width) x \(content.canvas.height), \(background), \(count)."
  }

  /// `honeybee at 320,300, size 96, turned by 30 degrees, mirrored`.
  static func sentence(about emoji: Emoji) -> String { sentence(about: emoji, named: name(of: emoji.text)) }

  private static func sentence(about emoji: Emoji, named name: String) -> String {
    let place = "\(numberText(emoji.position.x)),\(numberText(emoji.position.y))"
    let parts = [
      "\(name) at \(place)", "size \(numberText(emoji.size.pixels))",
      emoji.color.ofLetters.map { "colour \($0)" },
      emoji.rotation == .zero ? nil : "turned by \(numberText(emoji.rotation.degrees)) degrees",
      emoji.isMirrored ? "mirrored" : nil,
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }

  /// The names of the emoji; those without a name, and letters, as they are.
  static func name(of text: EmojiText) -> String {
    if text.isCaption {
      return "caption \"\(text.string.split(whereSeparator: \.isNewline).joined(separator: " "))\""
    }
    return text.string.map { EmojiSearch.name(of: String($0), in: .english) ?? String($0) }.joined(
      separator: ", ")
  }
}
