// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Glibc

/// Candidates for the shell's tab completion. Errors yield no candidates, because they cannot be shown there.
enum Completion {
  /// The documents in the folder of the word, without their file extension.
  @Sendable static func documents(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    let word = words.indices.contains(index) ? words[index] : prefix
    let parts = FilePath(path(word))
    let folder = parts.prefix.isEmpty ? CommandWords(words, besides: index).folder : expanded(parts.prefix)
    let names = (try? FolderListing(of: folder).names) ?? []
    return names.map { parts.prefix + DocumentName.withoutEnding($0) }.filter(isPlainWithBlanks)
      .map(escaped)
  }

  /// The documents in the folder of the word, and its subfolders.
  @Sendable static func documentsAndFolders(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    let parts = FilePath(path(words.indices.contains(index) ? words[index] : prefix))
    let here = parts.prefix.isEmpty ? "." : expanded(parts.prefix)
    let folders = folders(in: here).map { parts.prefix + $0 + "/" }.filter(isPlainWithBlanks)
      .map(escaped)
    return folders + documents(words, index, prefix)
  }

  /// The path that a word begins, without the quotes that bash passes.
  private static func path(_ word: String) -> String {
    let isQuoted = word.first.map { "\"'".contains($0) } == true
    return (isQuoted ? word.dropFirst() : word[...]).filter { $0 != "\\" }
  }

  /// The subfolders that are not hidden.
  private static func folders(in folder: String) -> [String] {
    var names: [String] = []
    do throws(SystemError) {
      try FolderEntry.each(in: folder) { entry in
        if !entry.isHidden, entry.leadsToFolder, let name = entry.name { names.append(name) }
      }
    } catch {
      return []
    }
    return names.sorted { FilePath($0) < FilePath($1) }
  }

  /// The references to emoji of the document that the line names.
  @Sendable static func references(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    let command = CommandWords(words, besides: index)
    guard let document = command.document else { return [] }
    var options = CommonOptions()
    options.folder = command.folder
    guard let content = try? options.file(document).read(), (1...1_000).contains(content.emojiCount) else {
      return []
    }
    let emojis = content.emojisInOrder()
    let word = TypedWord(words, index, prefix)
    let offers = EmojiCompletion.references(of: emojis, beginningWith: word.text).filter(isPlain)
    return word.text.hasPrefix(":") ? offers.compactMap { word.offer($0) } : offers.map(escaped)
  }

  /// The names of the versions of the document that the line names.
  @Sendable static func versions(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    let command = CommandWords(words, besides: index)
    return versions(of: command.document, command)
  }

  /// The names of the versions of the second document that the line names, else of the first.
  @Sendable static func versionsOfLast(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    let command = CommandWords(words, besides: index)
    return versions(of: command.documents.prefix(2).last, command)
  }

  private static func versions(of document: String?, _ command: CommandWords) -> [String] {
    guard let document else { return [] }
    var options = CommonOptions()
    options.folder = command.folder
    guard let versions = try? options.file(document).versions() else { return [] }
    return versions.map(\.name).filter(isPlainWithBlanks).map(escaped)
  }

  /// The labels that a word for a new emoji can be completed to.
  @Sendable static func labels(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    let word = TypedWord(words, index, prefix)
    return EmojiCompletion.labels(beginningWith: word.text).filter { $0.emoji != nil || isPlain($0.text) }
      .compactMap { word.offer($0.text, meaning: $0.emoji) }
  }

  /// The names of all palettes.
  @Sendable static func palettes(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    // Unreadable palettes yield no candidates.
    guard let palettes = try? PaletteStore().palettes() else { return [] }
    return palettes.all.map(\.name.string)
  }

  /// Escapes a candidate: zsh reads the text after a colon as a description, and bash expands a tilde before it
  /// compares. All shells quote blanks and apostrophes when they insert a candidate; bash removes one level of quotes before.
  static func escaped(_ offer: String) -> String {
    switch CompletionShell.requesting {
    case .zsh: offer.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
    case .bash: (offer.hasPrefix("~") ? "\\" : "") + offer.replacing(/[ ']/) { "\\\($0.output)" }
    default: offer
    }
  }

  /// Whether every shell accepts the candidate unquoted. bash expands candidates, including commands: a file named
  /// `$(…)` must never become one.
  static func isPlain(_ offer: String) -> Bool {
    offer.first != "-"
      && (offer.hasPrefix("~/") ? offer.dropFirst() : offer[...]).unicodeScalars.allSatisfy { scalar in
        guard scalar.isASCII else { return !scalar.isUnsafeOnTerminal && !scalar.properties.isWhitespace }
        return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || "._-+,@%/:=".unicodeScalars.contains(scalar)
      }
  }

  /// The same for a name that may have blanks inside, which `escaped` quotes.
  static func isPlainWithBlanks(_ offer: String) -> Bool {
    offer.first != " " && offer.last != " " && isPlain(offer.filter { $0 != " " && $0 != "'" })
  }

  /// The folder with a leading tilde expanded, as the shell will expand it.
  private static func expanded(_ folder: some StringProtocol) -> String {
    guard folder.hasPrefix("~/"), let home = environment("HOME") else { return String(folder) }
    return home + folder.dropFirst()
  }

  /// The words of the line as the shells pass them: with their quotes; bash splits `--folder=art` into three words.
  private struct CommandWords {
    /// The words that are neither options nor values of them.
    private(set) var documents: [String] = []
    private var named: String?

    var document: String? { documents.first }
    var folder: String { named ?? environment("EMOJIART_FOLDER") ?? "." }

    init(_ words: [String], besides index: Int) {
      // The first two words are `emojiart COMMAND`.
      let command = words.dropFirst().first.map { Synonyms.names[$0] ?? $0 } ?? ""
      let options = DeclaredArguments.of(command).optionsWithValue
      var rest = words.enumerated().dropFirst(2).map { (word: Self.unquoted($1), isAtCursor: $0 == index) }[
        ...]
      var areOptionsOver = false
      while let (word, isAtCursor) = rest.popFirst() {
        if areOptionsOver || !word.hasPrefix("-") {
          if !isAtCursor { documents.append(expanded(word)) }
        } else if word == "--" {
          areOptionsOver = true
        } else if word.hasPrefix("--folder=") {
          named = expanded(word.dropFirst("--folder=".count))
        } else if options.contains(word) {
          if rest.first?.word == "=" { rest.removeFirst() }
          let value = rest.popFirst()
          if word == "--folder", value?.isAtCursor == false { named = value.map { expanded($0.word) } }
        }
      }
    }

    private static func unquoted(_ word: String) -> String { word.filter { !"\\\"'".contains($0) } }
  }
}

// MARK: - The word at the cursor

/// The word at the cursor when tab was pressed. bash splits it at `@` and colons, and replaces only the part behind
/// the last colon.
struct TypedWord {
  /// The word as the user typed it.
  let text: String
  /// The beginning of the word that the shell does not replace.
  private let fixedPrefix: String
  /// Whether the word ends with the colon that closes a name. Then there are no candidates.
  private let isEnded: Bool
  private let shell: CompletionShell?

  init(_ words: [String], _ index: Int, _ prefix: String) {
    shell = CompletionShell.requesting
    var word = words.indices.contains(index) ? words[index] : prefix
    var before = words.prefix(max(0, index)).map(Self.unescaped)
    var fixedPrefix = ""
    var isEnded = false
    // An empty word begins a new one, however bash has split the words before it.
    if shell == .bash, !word.isEmpty, word == ":" || before.last == ":" {
      isEnded = word == ":" && before.last != ":" && before.dropLast().last == ":"
      if word == ":" { word = "" } else { before.removeLast() }
      fixedPrefix = ":"
      let name = before.popLast() ?? ""
      if Palettes.isPick(name) { fixedPrefix = name + fixedPrefix }
      if before.last == "@" { fixedPrefix = "@\(name):" }
    } else if shell == .bash, !word.isEmpty, before.last == "@" {
      // bash replaces the part from the `@` on.
      word = "@" + word
    }
    text = fixedPrefix + Self.unescaped(word)
    self.fixedPrefix = fixedPrefix
    self.isEnded = isEnded
  }

  /// Removes the backslash that bash writes before an `@`.
  private static func unescaped(_ word: String) -> String { word.filter { $0 != "\\" } }

  /// A candidate in the form that the shell expects, with its meaning if the shell shows it; nil when the candidate
  /// does not begin with the typed text.
  func offer(_ whole: String, meaning: String? = nil) -> String? {
    guard whole.hasPrefix(text), !isEnded else { return nil }
    switch shell {
    case .zsh: return Completion.escaped(whole) + (meaning.map { ":\($0)" } ?? "")
    case .fish: return whole + (meaning.map { "\t\($0)" } ?? "")
    default: return String(whole.dropFirst(fixedPrefix.count))
    }
  }
}
