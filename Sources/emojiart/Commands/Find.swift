// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtNames

struct Find: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find emoji by their English names and keywords.",
    usage: "emojiart find <word> ... [--tone <tone>] [--limit <n>] [--json]",
    discussion: """
      Prints what can be typed for each in `emojiart add`, and the emoji: best first, those whose name it is, then those \
      that have the words, then those that have words that begin so. An emoji in a word's place is told by its name.

      Examples:
        emojiart find bee
        emojiart find heart --limit 50
        emojiart find waving --tone medium-dark
        emojiart add bees :honeybee:
      """)

  @Argument(help: ArgumentHelp("What it is called or is about, or an emoji.", valueName: "word"))
  var words: [String]
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "In a skin tone: light, medium-light, medium, medium-dark, dark, or all of them.", valueName: "tone"),
    completion: .list(ToneChoice.words))
  var tone: String?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Print at most that many (default: 20).", valueName: "n"))
  var limit: String?
  @Flag(help: "Write the result as one JSON value.") var json = false

  func run() throws {
    let choice = try tone.map { (word) throws(ArtError) in try ToneChoice(typed: word) } ?? .none
    guard let most = Int(limit ?? "20"), most > 0 else {
      throw ArtError(.badValue, "\(shown(limit ?? "")) is no limit; give a number from 1 up")
    }
    let found = try found(choice, most)
    guard !found.emojis.isEmpty else { throw nothing() }
    if json {
      try Output.json(.array(found.emojis.map(\.json)))
    } else {
      try write(found.emojis)
    }
    let left = found.count - found.emojis.count
    // Who gave a limit knows.
    if left > 0, limit == nil {
      try Output.flush()
      Output.complain("\(left) more; --limit \(found.count) shows all")
    }
  }

  private func write(_ emojis: [NamedEmoji]) throws(ArtError) {
    let width = emojis.map(\.shortcode.count).max() ?? 0
    for emoji in emojis {
      // The emoji is last: terminals disagree on how wide it is.
      try Output.line(":\(emoji.shortcode):".padded(to: width + 2) + "  " + emoji.emoji)
    }
  }

  private func found(_ tone: ToneChoice, _ limit: Int) throws(ArtError) -> EmojiNames.Found {
    let named = words.map { EmojiNames.names(of: $0, tone: tone) }
    if !named.contains([]) {
      let all = named.flatMap { $0 }
      return EmojiNames.Found(emojis: Array(all.prefix(limit)), count: all.count)
    }
    guard named.allSatisfy(\.isEmpty) else {
      throw ArtError(.badValue, "give words, such as bee, or emoji, not both")
    }
    if let bad = words.first(where: { !EmojiNames.canSearch($0) }) {
      throw ArtError(
        .badValue,
        "\(shown(bad)[...].shortened(to: 60)) is neither a word nor one emoji; give words, such as bee, or emoji"
      )
    }
    return EmojiNames.search(words, tone: tone, limit: limit) ?? EmojiNames.Found(emojis: [], count: 0)
  }

  private func nothing() -> ArtError {
    let near = EmojiNames.names(near: words.joined(separator: " ")).map { ":\($0.shortcode): \($0.emoji)" }
    let hint =
      near.isEmpty ? "try fewer or other English words" : "did you mean \(near.joined(separator: " or "))?"
    let wanted = words.joined(separator: " ")[...].shortened(to: 60)
    return ArtError(.noSuchEmoji, "no emoji is found by \(wanted); \(hint)")
  }
}
