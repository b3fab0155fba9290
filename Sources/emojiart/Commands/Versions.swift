// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtProtocol
import ArtWorkspace

/// Which state of a document is read.
struct StateOptions: ParsableArguments {
  @Option(
    name: .customLong("at"), parsing: .unconditional,
    help: ArgumentHelp(
      "An earlier state: a revision of `emojiart history`, or the name of a version.", valueName: "rev|name"),
    completion: .custom(Completion.versions))
  var at: String?

  /// The state; nil for the present one. Throws `badValue`.
  func reference() throws(ArtError) -> RevisionReference? {
    try at.map { (typed) throws(ArtError) in try RevisionReference(typed: typed) }
  }
}

struct Revert: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revert",
    abstract: "Go back to an earlier state, as one edit.",
    usage: "emojiart revert <doc> --to <rev|name>",
    discussion: """
      Makes the art what it was at a revision that `emojiart history` lists, or in a version that `emojiart version` has \
      kept. That is one edit: one `emojiart undo` takes it back, and the history goes on. `emojiart undo --edit` takes \
      one edit back and leaves the others, such as the removal of an emoji.

      Examples:
        emojiart revert bees --to 12
        emojiart revert bees --to draft
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The revision, or the name of the version.", valueName: "rev|name"),
    completion: .custom(Completion.versions))
  var to: String
  @Argument(help: .hidden) var more: [String] = []
  @OptionGroup var options: EditOptions

  /// The state. Throws `badValue`, and `usage` for another word.
  func reference() throws(ArtError) -> RevisionReference {
    guard more.isEmpty else {
      throw ArtError(
        .usage,
        "revert goes back to a whole state; `emojiart undo \(ArtError.Remedy.shellWord(doc)) --edit REV` takes one edit back, such as the removal of an emoji"
      )
    }
    return try RevisionReference(typed: to)
  }

  func run() throws {
    let reference = try reference()
    let reverted = try options.editing(doc).revert(to: reference)
    Output.addToErrors("the edit itself is saved")
    guard options.common.json else {
      return try Self.write(reverted.entry, lost: reverted.lost, at: reference, of: doc)
    }
    Self.printNotices(reverted.lost)
    let done = reverted.entry.map { JSON.string($0.title) }
    try Output.json(
      .object(["done": .array(done.map { [$0] } ?? []), "revision": .integer(reverted.revision)]))
  }

  /// Prints the edit of a document that went back to a state, or that none was made, and the backgrounds that are not back.
  static func write(
    _ entry: LoggedEdit?, lost: [UndoRun.LostBackground], at reference: RevisionReference,
    of document: String
  ) throws(ArtError) {
    try Output.flush()
    printNotices(lost)
    guard let entry else {
      let what = lost.isEmpty ? "is as it was at \(reference.text) already" : "has nothing else to revert"
      return Output.printError("\(shown(document)) \(what); no edit was made")
    }
    try Output.line(safe(entry.title))
  }

  private static func printNotices(_ lost: [UndoRun.LostBackground]) {
    for lost in lost { Output.printError(lost.background.lossText(isPending: lost.isPending)) }
  }
}

extension RevisionReference {
  /// As messages name it: `revision 12`, `version "draft"`.
  var text: String {
    switch self {
    case .number(let revision): "revision \(revision)"
    case .version(let name): "version \"\(safe(name))\""
    }
  }
}

struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version",
    abstract: "Keep the state of a document under a name.",
    usage: """
      emojiart version <doc> <name>
      emojiart version <doc> [--list]
      emojiart version <doc> --remove <name>
      """,
    discussion: """
      A version stays for ever, with its background, however many edits follow; the history keeps the last 1,000 edits. It is \
      part of the file, and copies and merges have it. `--at NAME` of `show`, `render` and `export` shows it, \
      `emojiart diff` compares it, `emojiart revert` goes back to it. Without a name the versions are listed.

      Examples:
        emojiart version bees "first draft"
        emojiart version bees
        emojiart render bees --at "first draft" -o draft.png
        emojiart version bees --remove "first draft"
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(help: "The name of the new version.") var name: [String] = []
  @Flag(help: "List the versions, oldest first.") var list = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Remove the version of that name or id.", valueName: "name"),
    completion: .custom(Completion.versions))
  var remove: String?
  @OptionGroup var options: EditOptions

  /// What the arguments request. Throws `usage`.
  func request() throws(ArtError) -> ProtocolRequest.Body {
    guard name.count <= 1 else {
      throw ArtError(
        .usage, "the name is one argument; put it in quotes: \"\(safe(name.joined(separator: " ")))\"")
    }
    switch (name.first, remove) {
    case (let name?, nil) where !list: return .keepVersion(name)
    case (nil, let remove?) where !list: return .removeVersion(remove)
    case (nil, nil): return .versions
    default: throw ArtError(.usage, "a name, --list or --remove: give one of them")
    }
  }

  func run() throws {
    switch try request() {
    case .keepVersion(let name): try write(options.editing(doc).keepVersion(named: name), removed: false)
    case .removeVersion(let name): try write(options.editing(doc).removeVersion(name), removed: true)
    default:
      guard options.ifRevision == nil else {
        throw ArtError(.usage, "--if-revision is about changes, and a list changes nothing; leave it out")
      }
      try list(options.common.file(doc))
    }
  }

  private func write(_ version: NamedVersion, removed: Bool) throws(ArtError) {
    Output.addToErrors("the version itself is \(removed ? "removed" : "saved")")
    guard !options.common.json else { return try Output.line(Self.json { version.write(to: &$0) }) }
    try Output.line(Self.line(version, isRemoved: removed))
  }

  private static func json(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return writer.text
  }

  /// `draft  revision 12`; of one that was removed with `, removed`.
  static func line(_ version: NamedVersion, isRemoved: Bool) -> String {
    "\(safe(version.name))  revision \(version.revision)\(isRemoved ? ", removed" : "")"
  }

  private func list(_ file: DocumentFile) throws(ArtError) {
    let versions = try file.versions()
    try Recovery.ofCommand.mention(file)
    guard !options.common.json else {
      return try Output.line(Self.json { $0.array { for version in versions { version.write(to: &$0) } } })
    }
    try Self.write(versions)
  }

  /// Prints the table of versions.
  static func write(_ versions: [NamedVersion]) throws(ArtError) {
    guard !versions.isEmpty else { return }
    let width = max(12, versions.lazy.map { safe($0.author ?? "").count }.max() ?? 0)
    try Output.line(
      Style.bold("\("REV".indented(to: 6))  \("TIME".padded(to: 19))  \("BY".padded(to: width))  NAME"))
    for version in versions {
      let revision = String(version.revision).indented(to: 6)
      let author = safe(version.author ?? version.id.origin.description).padded(to: width)
      try Output.line("\(revision)  \(Time.local(version.time / 1000))  \(author)  \(safe(version.name))")
    }
  }
}
