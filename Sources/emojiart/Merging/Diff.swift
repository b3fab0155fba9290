// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace
import Glibc

struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Write a document as text, for `git diff`.",
    usage: "emojiart diff --textconv <doc>",
    discussion: """
      Prints a line for each emoji, from the lowest to the highest, after the lines of the canvas and the background. git \
      compares these lines, instead of saying that binary files differ.

      In git, `*.emojiart diff=emojiart` in .gitattributes, and once on each machine: \
      git config diff.emojiart.textconv 'emojiart diff --textconv'

      Examples:
        emojiart diff --textconv bees
        git log -p -- bees.emojiart
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Flag(help: "As git's textconv: one document as text.") var textconv = false
  @OptionGroup var common: CommonOptions

  func run() throws {
    guard textconv, !common.json else {
      throw ArtError(.usage, "diff writes one document as text; give --textconv")
    }
    // As it is saved: git's copy of a file has no journal.
    // git gives a path, which is not looked up in the folder of documents.
    let file = access(doc, F_OK) == 0 ? DocumentFile(doc) : try common.file(doc)
    for line in try file.read().textLines { try Output.line(safe(line)) }
  }
}

extension DocumentContent {
  /// The document as lines of text, in which equal parts are equal lines.
  fileprivate var textLines: [String] {
    var lines = ["canvas \(canvas.width) x \(canvas.height)\(fill.map { " \($0)" } ?? "")"]
    if let background {
      let url = background.url.map { " \(shownURL($0))" } ?? ""
      lines.append(
        "background \(background.size.width) x \(background.size.height) \(background.digest)\(url)")
    }
    if let pending { lines.append("background to fetch \(shownURL(pending.url))") }
    return lines + emojisInOrder().map(\.textLine)
  }
}

extension Emoji {
  fileprivate var textLine: String {
    var line =
      "\(text.label)  \(id)  at \(numberText(position.x)),\(numberText(position.y))  size \(numberText(size.pixels))"
    if rotation != .zero { line += "  turned by \(numberText(rotation.degrees))°" }
    if isMirrored { line += "  mirrored" }
    if let letters = color.ofLetters { line += "  \(letters)" }
    return line
  }
}
