// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Caption: EmojiCommand {
  static let configuration = CommandConfiguration(
    commandName: "caption",
    abstract: "Add words on top.",
    usage: """
      emojiart caption <doc> <text>
               [--at <place>] [--size <s>] [--color <color>]
      """,
    discussion: """
      Prints the new id. The text is one argument: put it in quotes. `\\n` in it begins a new line; lines are centred. Emoji may be among the \
      words. The words name the caption wherever a REF is taken, as long as they are in quotes, too.

      Examples:
        emojiart caption bees "The secret life of bees" --at top --size 48
        emojiart caption bees "Happy\\nbirthday 🎂" --color '#c00'
        emojiart move bees "The secret life of bees" --to 50%,90%
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(help: "The words.") var text: String
  @Argument(help: .hidden) var more: [String] = []
  @OptionGroup var place: PlaceArguments
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The colour of the letters: #cc0000, #c00 or a name. Without it black.", valueName: "color"))
  var color: String?
  @OptionGroup var options: EditOptions

  func requested() throws(ArtError) -> RequestedEdit {
    guard more.isEmpty else {
      throw ArtError(
        .usage,
        "the words are one argument; put them in quotes: \"\(safe(([text] + more).joined(separator: " ")))\"")
    }
    return .caption(
      .add(
        try Words(typed: text), at: try place.target(), size: try place.lengthOrPreferred(),
        color: try color.map { (typed) throws(ArtError) in try Color(typed: typed) }))
  }

  func line(_ emoji: Emoji) -> String { "\(emoji.id)" }
}

extension Words {
  /// Parses words from a command line, where `\n` is a line feed and `\\` a backslash. Throws `badText`.
  init(typed: String) throws(ArtError) {
    try self.init(Self.untyped(typed))
  }
}
