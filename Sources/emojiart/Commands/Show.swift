// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a document as a table.",
    discussion: """
      The beginning of each id that names it alone is marked: in bold on a terminal, by a hyphen elsewhere, and \
      both can be typed. Looking changes nothing.

      Examples:
        emojiart show bees
        emojiart show bees --json | jq '.emojis | length'
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var common: CommonOptions

  func run() throws {
    let file = try common.file(doc)
    let content = try Restoring.read(file)
    if common.json {
      try content.writeJSON { (piece) throws(ArtError) in try Output.write(piece) }
      return try Output.line("")
    }
    try Self.write(content, of: file.path)
  }

  /// The table.
  static func write(_ content: DocumentContent, of path: String) throws(ArtError) {
    let count = content.emojiCount == 0 ? "no emoji" : "\(content.emojiCount) emoji"
    let size = "\(content.canvas.width) x \(content.canvas.height)"
    try Output.line(Style.bold(safe(path)))
    try Output.line("\(size), \(count), revision \(content.revision)")
    if let background = content.background { try Output.line(safe("background: \(background.words)")) }
    if let pending = content.pending { try Output.line(safe("pending: \(pending.words)")) }
    guard content.emojiCount > 0 else { return }
    try writeTable(content)
  }

  /// The emoji stands last on its line: terminals do not agree on its width.
  private static func writeTable(_ content: DocumentContent) throws(ArtError) {
    let emojis = content.emojisInOrder()
    let ids = emojis.map(\.id).sorted()
    var marked: [EmojiID: Int] = [:]
    for (index, id) in ids.enumerated() {
      let before = index > 0 ? ids[index - 1] : nil
      let after = index + 1 < ids.count ? ids[index + 1] : nil
      marked[id] = id.uniquePrefixLength(between: before, after)
    }
    let placeWidth = max(5, emojis.lazy.map { place($0).count }.max() ?? 0)
    let sizeWidth = max(4, emojis.lazy.map { numberText($0.size.pixels).count }.max() ?? 0)
    try Output.line("ID         \("PLACE".padded(to: placeWidth))  \("SIZE".padded(to: sizeWidth))  EMOJI")
    for emoji in emojis {
      let id = emoji.id.description
      let length = marked[emoji.id] ?? id.count
      let place = place(emoji).padded(to: placeWidth)
      let size = numberText(emoji.size.pixels).padded(to: sizeWidth)
      try Output.line("\(mark(id, length))  \(place)  \(size)  \(safe(emoji.text.string))")
    }
  }

  private static func place(_ emoji: Emoji) -> String {
    "\(numberText(emoji.position.x)),\(numberText(emoji.position.y))"
  }

  private static func mark(_ id: String, _ length: Int) -> String {
    let (head, tail) = (String(id.prefix(length)), String(id.dropFirst(length)))
    if Style.isColored { return Style.bold(head) + Style.faint(tail) + " " }
    return tail.isEmpty ? head + " " : "\(head)-\(tail)"
  }
}

extension String {
  /// Plain text filled up with spaces.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

  /// Plain text moved to the right by spaces.
  func indented(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
