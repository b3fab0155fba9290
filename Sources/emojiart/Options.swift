// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtSystem
import ArtWorkspace
import Glibc

/// The folder of documents and the output format.
struct CommonOptions: ParsableArguments {
  @Option(help: "The folder of documents that are given by name.", completion: .directory)
  var folder: String?

  @Flag(help: "Write the result as one JSON value.")
  var json = false
}

/// Whether a command that draws gives advice.
struct AdviceOptions: ParsableArguments {
  @Flag(
    name: [.customShort("q"), .long],
    help: "No advice on stderr, such as that an emoji looks soft; errors stay.")
  var quiet = false
}

/// Options of every editing command.
struct EditOptions: ParsableArguments {
  @OptionGroup var common: CommonOptions

  @Option(
    name: .customLong("if-revision"), parsing: .unconditional,
    help: ArgumentHelp("Refuse when the document is not at this revision.", valueName: "n"))
  var ifRevision: String?

  func expectedRevision() throws(ArtError) -> Int? {
    guard let ifRevision else { return nil }
    guard let revision = Int(ifRevision), revision >= 0 else {
      throw ArtError(.badValue, "\(shown(ifRevision)) is no revision; `emojiart history` shows them")
    }
    return revision
  }
}

extension CommonOptions {
  /// The file that the user names: a path, or a name in the folder. `.emojiart` is added when it is missing, unless a
  /// file with exactly the given name exists. Where no file has the name, the one that has the same text in other bytes is meant. Throws
  /// `ambiguous` for several.
  func file(_ name: String) throws(ArtError) -> DocumentFile {
    try Self.file(name) { () throws(ArtError) in try currentFolder() }
  }

  /// The same for a folder that is given another way.
  static func file(
    _ name: String, in folder: () throws(ArtError) -> String
  ) throws(ArtError) -> DocumentFile {
    let path = try path(name, in: folder)
    guard !DocumentName.hasEnding(path) else { return try existing(path) }
    let full = try existing(DocumentName.withEnding(path))
    guard access(full.path, F_OK) != 0 else { return full }
    let bare = try existing(path)
    return access(bare.path, F_OK) == 0 ? bare : full
  }

  private static func existing(_ path: String) throws(ArtError) -> DocumentFile {
    file(at: try TypedPath.existing(path))
  }

  private static func file(at path: String) -> DocumentFile {
    DocumentFile(path, notice: { Output.printError($0.message) })
  }

  /// The path of a name, which may be a path itself.
  static func path(
    _ name: String, in folder: () throws(ArtError) -> String
  ) throws(ArtError) -> String {
    guard !name.isEmpty else { throw ArtError(.badValue, "an empty name is no document; give one") }
    return FilePath(name).hasSlash ? name : FilePath.path(of: name, in: try folder())
  }

  /// The file of a document to be created. `.emojiart` is added when it is missing. Throws `badValue` for an invalid
  /// name.
  func newFile(_ doc: String) throws(ArtError) -> DocumentFile {
    guard DocumentName.isValid(doc) else {
      throw .badDocumentName(doc)
    }
    let path = try Self.path(DocumentName.withEnding(doc)) { () throws(ArtError) in try currentFolder() }
    return Self.file(at: try TypedPath.inExistingFolder(path))
  }

  func currentFolder() throws(ArtError) -> String {
    try Self.checked(folder ?? environment("EMOJIART_FOLDER") ?? ".")
  }

  /// Checks the name of a folder that is listed. Throws `badValue`, and `noSuchDocument` for the name of a document.
  static func listed(_ folder: String) throws(ArtError) -> String {
    let folder = try checked(folder)
    guard !FileStatus.isFolder(at: folder) else { return folder }
    let document = DocumentName.withEnding(folder)
    guard access(document, F_OK) == 0, !FileStatus.isFolder(at: document) else { return folder }
    let word = ArtError.Remedy.shellWord(DocumentName.withoutEnding(folder))
    throw ArtError(
      .noSuchDocument, "\(folder) is a document, and no folder; `emojiart show \(word)` shows it",
      about: folder)
  }

  /// Checks a folder name. Throws `badValue` for an empty one, which would name the root.
  static func checked(_ folder: String) throws(ArtError) -> String {
    guard !folder.isEmpty else { throw ArtError(.badValue, "an empty name is no folder; give one") }
    return try TypedPath.existing(folder)
  }
}

extension CurrentSettings {
  /// The settings of this command, read once. Throws what reading them throws.
  static var ofCommand: CurrentSettings { get throws(ArtError) { try loaded.get() } }

  /// An option as it was given, else the value of the setting; nil if there is neither. Throws what the settings throw.
  static func option(_ given: String?, else setting: Setting) throws(ArtError) -> String? {
    if let given { return given }
    return try ofCommand[setting]?.text
  }

  private static let loaded = Result { () throws(ArtError) in try CurrentSettings() }
}

/// The value of a variable; nil when it is unset or empty.
func environment(_ name: String) -> String? {
  Environment[name]
}

/// The emoji that a command changes.
struct SelectionArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Which emoji: id or its beginning, 🐝, :bee:, 🐝:2, 🐝:2-4, 🐝:* for all, the words of a caption, @last.",
      valueName: "ref"),
    completion: .custom(Completion.references))
  var refs: [String] = []

  @Flag(help: "Every emoji of the document.")
  var all = false

  @Option(
    name: .customLong("in"), parsing: .unconditional,
    help: ArgumentHelp("Only those of which a part is in this region of the canvas.", valueName: "x,y,wxh"))
  var region: String?

  func selection() throws(ArtError) -> EmojiSelection {
    guard !all || refs.isEmpty else {
      throw ArtError(.usage, "--all stands for every emoji; leave out the others")
    }
    guard all || !refs.isEmpty || region != nil else {
      throw ArtError(.usage, "which emoji? give a REF, --in X,Y,WxH or --all")
    }
    let region = try region.map { (typed) throws(ArtError) in try Region(typed: typed) }
    guard !refs.isEmpty else { return EmojiSelection(in: region) }
    var references: [Reference] = []
    for ref in refs { references.append(try Reference(typed: ref)) }
    return EmojiSelection(references, in: region)
  }
}

/// Where something new is put, and how large it is.
struct PlaceArguments: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The place of its centre, in pixels or percent of the canvas, or center, top, bottom-right and so on.",
      valueName: "place"))
  var at: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The font size in pixels, or in percent of the canvas's shorter side.", valueName: "s")
  )
  var size: String?

  /// The place; the centre of the canvas without one.
  func target() throws(ArtError) -> Target { try Target(typed: at ?? "50%,50%") }

  /// The size; nil without one.
  func length() throws(ArtError) -> Length? {
    try size.map { (typed) throws(ArtError) in try Length(size: typed) }
  }

  /// The size, else that of the user's settings, else the standard one. Throws what the settings throw, too.
  func lengthOrPreferred() throws(ArtError) -> Length {
    let typed = try CurrentSettings.option(size, else: .size)
    return try typed.map { (typed) throws(ArtError) in try Length(size: typed) } ?? .standard
  }
}
