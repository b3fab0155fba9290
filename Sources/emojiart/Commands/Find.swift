// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct Find: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find emoji by their names and keywords, in English and in your language.",
    usage: """
      emojiart find <word> ... [--lang <language>] [--tone <tone>]
               [--limit <n>] [--json]
      """,
    discussion: """
      Prints for each emoji the name to type in `emojiart add`, its name in another language than English, and the emoji. \
      The best match comes first: emoji with exactly this name, then emoji with all of the words, then emoji with words \
      that begin with them. What is found in your language comes before what is found in English. For an emoji in place \
      of a word, its name is printed.

      The language is that of --lang, else of the setting `language`, else of the locale (LC_ALL, LC_MESSAGES, LANG). \
      There are \(EmojiLanguage.list).

      Examples:
        emojiart find bee
        emojiart find heart --limit 50
        emojiart find waving --tone medium-dark
        emojiart find Biene --lang de
        emojiart add bees :honeybee:
      """)

  @Argument(help: ArgumentHelp("A word of the name or a keyword, or an emoji.", valueName: "word"))
  var words: [String]
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("In this language and in English, such as de.", valueName: "language"),
    completion: .list(EmojiLanguage.allCases.map(\.rawValue)))
  var lang: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "In a skin tone: light, medium-light, medium, medium-dark, dark, or all of them.", valueName: "tone"),
    completion: .list(ToneChoice.words))
  var tone: String?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Print at most this many (default: 20).", valueName: "n"))
  var limit: String?
  @Flag(help: "Write the result as one JSON value.") var json = false

  func run() throws {
    let choice = try tone.map { (word) throws(ArtError) in try ToneChoice(typed: word) } ?? .none
    guard let most = Int(limit ?? "20"), most > 0 else {
      throw ArtError(.badValue, "\(shown(limit ?? "")) is no limit; give a number from 1 up")
    }
    let language = try language()
    let found = try found(choice, language, most)
    if json {
      try Output.json(.array(found.emojis.map(\.json)))
    } else {
      try Pager.show { try write(found.emojis, language) }
    }
    let left = found.count - found.emojis.count
    // A user who set a limit expects that more may exist.
    if left > 0, limit == nil {
      try Output.flush()
      Output.printError("\(left) more; --limit \(found.count) shows all")
    }
  }

  /// What the words find, without emoji that the font lacks; with them where no other program can be started to ask.
  private func found(
    _ tone: ToneChoice, _ language: EmojiLanguage, _ most: Int
  ) throws(ArtError) -> EmojiSearch {
    let (words, font) = (words, FontCoverage(font: try CurrentSettings.ofCommand[.font]?.text))
    do { try prepareThreads() } catch {
      // Without threads the program that draws cannot be asked, and a search needs nothing else of it.
      do throws(EmojiSearch.Failure) {
        return try EmojiSearch(words, tone: tone, in: language, limit: most)
      } catch {
        throw ArtError(error)
      }
    }
    return try Outcome {
      await result { () async throws(ArtError) in
        do throws(EmojiSearch.Failure) {
          return try await EmojiSearch(words, tone: tone, in: language, limit: most, drawnBy: font)
        } catch {
          throw ArtError(error)
        }
      }
    }
    .wait().get()
  }

  /// The language of the option, else of the setting, else of the locale; English for one without names. Throws `badValue`
  /// for an option that is no language here.
  private func language() throws(ArtError) -> EmojiLanguage {
    if let lang {
      guard let language = EmojiLanguage(tag: lang) ?? EmojiLanguage(locale: lang) else {
        throw ArtError(.badValue, "no names in the language \(shown(lang)); there are \(EmojiLanguage.list)")
      }
      return language
    }
    if let setting = try CurrentSettings.ofCommand[.language] {
      return EmojiLanguage(tag: setting.text) ?? .english
    }
    let locale = environment("LC_ALL") ?? environment("LC_MESSAGES") ?? environment("LANG")
    return locale.flatMap { EmojiLanguage(locale: $0) } ?? .english
  }

  private func write(_ emojis: [NamedEmoji], _ language: EmojiLanguage) throws(ArtError) {
    let width = emojis.map(\.shortcode.count).max() ?? 0
    for emoji in emojis {
      let name = language == .english ? "" : "\(emoji.name)  "
      // The emoji is printed last because terminals disagree on its width.
      try Output.line(":\(emoji.shortcode):".padded(to: width + 2) + "  " + name + emoji.emoji)
    }
  }
}

extension ArtError {
  /// Words the failure for the command line.
  fileprivate init(_ failure: EmojiSearch.Failure) {
    switch failure {
    case .mixed: self.init(.badValue, "give words, such as bee, or emoji, not both")
    case .unsearchable(let word):
      self.init(
        .badValue,
        "\(shown(word)[...].shortened(to: 60)) is neither a word nor one emoji; give words, such as bee, or emoji"
      )
    case .lacking(let words, let named):
      let lacking = named.prefix(3).map { ":\($0.shortcode): \($0.emoji)" }.joined(separator: ", ")
      self.init(
        .noSuchEmoji,
        "the font lacks all emoji that are found by \(words[...].shortened(to: 60)), such as \(lacking)")
    case .nothing(let words, let named):
      let near = named.map { ":\($0.shortcode): \($0.emoji)" }.joined(separator: " or ")
      let hint =
        near.isEmpty ? "try fewer or other words, or --lang with a language" : "did you mean \(near)?"
      self.init(.noSuchEmoji, "no emoji is found by \(words[...].shortened(to: 60)); \(hint)")
    }
  }
}

extension EmojiLanguage {
  /// The codes, for messages.
  fileprivate static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension ToneChoice {
  /// The words that a user may type.
  static let words = SkinTone.allCases.map(\.rawValue) + ["all"]

  /// Reads a skin tone or `all`. Throws `badValue`.
  init(typed word: String) throws(ArtError) {
    if let tone = SkinTone(rawValue: word) {
      self = .tone(tone)
    } else if word == "all" {
      self = .all
    } else {
      let known = Self.words.dropLast().joined(separator: ", ")
      throw ArtError(.badValue, "\(shown(word)) is no skin tone; give \(known) or all")
    }
  }
}

extension NamedEmoji {
  /// The entry in the output of `find --json`.
  var json: JSON {
    .object([
      "aliases": .array(aliases.map { .string($0) }), "emoji": .string(emoji),
      "keywords": .array(keywords.map { .string($0) }),
      "name": .string(name),
      "shortcode": .string(shortcode), "tones": .array(tones.map { .string($0.rawValue) }),
    ])
  }
}
