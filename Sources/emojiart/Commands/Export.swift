// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a document as JSON, or as the EmojiArt apps read it.",
    usage: """
      emojiart export <doc> [--format <format>] [-o <file>]
               [--strict] [--at <rev|name>]
      emojiart export <doc> --format emojiart -o <file> [--anonymous]
      """,
    discussion: """
      FORMAT is json, which contains all of the document but its history, or the format of an EmojiArt app of Stanford's \
      course CS193p: emojiart-2017, emojiart-2020, emojiart-2021a, emojiart-2021b or emojiart-2023. `emojiart import` says \
      which one a file has; 2021a has {"url":…} in it, and 2021b {"url":{"_0":…}}. A report lists what \
      the format cannot hold; with --strict nothing is written then. FILE appears whole or not at all, and replaces an \
      existing file in one of these formats. Without FILE the document is written to stdout and the report to stderr.

      With --format emojiart, FILE is a copy of the document, to be sent: with its history, or with --anonymous without it, \
      and so without the names of those who made the edits, without what the picture's file says of its maker (camera, place, \
      times), and without the queries of URLs.

      Examples:
        emojiart export bees --format json -o bees.json
        emojiart export bees --format emojiart-2021b --strict -o bees.json
        emojiart export bees --format emojiart-2023 | jq '.emojis | length'
        emojiart export bees --format emojiart --anonymous -o for-ben.emojiart
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The format that is written.", valueName: "format"),
    completion: .list(Dialect.allCases.map(\.rawValue) + [Export.document]))
  var format: String = "json"
  @Option(
    name: [.customShort("o"), .long], parsing: .unconditional,
    help: ArgumentHelp("The file that is written, or - for stdout.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var output: String?
  @Flag(help: "Write nothing if the format cannot hold everything.") var strict = false
  @Flag(
    help: "With --format emojiart: without history, names, and what the picture's file says of its maker.")
  var anonymous = false
  @OptionGroup var state: StateOptions
  @OptionGroup var common: CommonOptions

  /// The format of our own documents.
  static let document = "emojiart"

  func run() throws {
    if format.lowercased() == Self.document { return try copy() }
    guard !anonymous else {
      throw ArtError(.usage, "only --format emojiart has names; leave out --anonymous")
    }
    let exporting = try Exporting(self)
    let status = try exporting.run()
    try Output.flush()
    if status != .done { throw ExitCode(status.rawValue) }
  }

  /// Writes a document for somebody else.
  private func copy() throws {
    guard let output, output != "-" else {
      throw ArtError(.usage, "--format emojiart makes a document; name its file with -o")
    }
    guard !strict else { throw ArtError(.usage, "--format emojiart holds everything; leave out --strict") }
    guard state.at == nil else {
      throw ArtError(.usage, "--format emojiart has the present state; leave out --at")
    }
    guard DocumentName.isValid(output) else { throw ArtError.badDocumentName(output) }
    let file = try common.file(doc)
    let new = DocumentFile(DocumentName.withEnding(output), notice: file.notice)
    let documents = Documents(by: try .ofCommand)
    if anonymous {
      try documents.createAnonymous(new, from: file)
    } else {
      try documents.duplicate(file, as: new)
      Output.printError(
        "\(new.path) has the history with its names, and pictures with all that their files say; --anonymous leaves these out"
      )
    }
    Output.addToErrors("the document is in \(new.path)")
    guard common.json else { return try Output.line(safe(new.path)) }
    let summary = try new.summary()
    let fields: [String: JSON] = [
      "emojiCount": .integer(summary.emojiCount), "format": .string(Self.document), "notes": .array([]),
      "path": .string(new.path), "size": .integer(summary.size),
    ]
    try Output.json(.object(["exported": .object(fields)]))
  }
}
