// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtTerminal
import ArtWorkspace
import Glibc

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a document.",
    usage: """
      emojiart show <doc> [--graphics <how>] [--zoom <times>]
               [--center <x,y>] [--font <file>] [--live]
               [--at <rev|name>] [--folder <folder>]
               [--json [--urls]]
      """,
    discussion: """
      Prints a table of the emoji, from the bottom to the top. The shortest beginning of an id that names only this emoji \
      is marked: in bold on a terminal, by a hyphen elsewhere. The id can be typed with or without the hyphen. The \
      document is not changed.

      On a terminal the art follows: by kitty's protocol, as sixels, as coloured symbols, or as emoji on a grid, \
      depending on what the terminal can show. A small terminal gets a shorter table.

      Examples:
        emojiart show bees
        emojiart show bees --zoom 4 --center 50%,20%
        emojiart show bees --at 12
        emojiart show bees --json | jq '.emojis | length'
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Flag(help: "Follow the document on the screen until q is pressed.") var live = false
  @Flag(help: "With --json, write URLs whole, with their queries.") var urls = false
  @OptionGroup var looks: ShowOptions
  @OptionGroup var part: ViewOptions
  @OptionGroup var state: StateOptions
  @OptionGroup var common: CommonOptions

  func run() throws {
    let file = try common.file(doc)
    let reference = try state.reference()
    guard reference == nil || !live else {
      throw ArtError(.usage, "--live follows what is edited now; leave out --at")
    }
    let art = try ShownArt(choice: looks.choice(), view: part.view(), font: looks.fontFile())
    guard !urls || common.json else {
      throw ArtError(.usage, "--urls is about --json; give both")
    }
    if common.json {
      guard !live, looks.graphics == nil, part.zoom == nil, part.center == nil else {
        throw ArtError(.usage, "--json shows no art; leave out --live, --graphics, --zoom and --center")
      }
      let content = try Recovery.ofCommand.content(of: file, at: reference)
      try content.writeJSON(urls: urls ? .whole : .redacted) { (piece) throws(ArtError) in
        try Output.write(piece)
      }
      try Output.line("")
      return try Self.writeOffCanvas(content, of: file.path)
    }
    if live { return try art.follow(file, try location()) }
    let sizeClass = isatty(1) == 1 ? TerminalSize.now(nil).sizeClass : .regular
    guard art.isWanted else {
      let content = try Recovery.ofCommand.content(of: file, at: reference)
      try Self.write(content, of: file.path, sizeClass)
      return try Self.writeOffCanvas(content, of: file.path)
    }
    try show(DocumentView(file, at: reference, recovery: .ofCommand), of: file.path, art, sizeClass)
  }

  private func location() throws(ArtError) -> FollowedFolder {
    let places = try FollowedFolder.places([doc], common, isRecursive: false)
    guard places.count == 1, places[0].names != nil else {
      throw ArtError(.usage, "--live is about one document; \(shown(doc)) is a folder")
    }
    return places[0]
  }

  /// Prints the table, and below it the art, so that the art stays visible however long the table is.
  private func show(
    _ document: DocumentView, of path: String, _ art: ShownArt, _ sizeClass: SizeClass
  ) throws {
    let drawn = try art.drawn(document.scene, below: document.content.emojiCount + 3)
    try Self.write(document.content, of: path, sizeClass)
    try Self.writeOffCanvas(document.content, of: path)
    guard let drawn else { return }
    try art.put(drawn)
    for notice in drawn.notices { Output.printError("\(path): \(notice)") }
    let status = drawn.isFaulty ? .badData : document.printLostPicture(in: path)
    if status != .done { throw ExitCode(status.rawValue) }
  }

  /// Prints to stderr what lies off the canvas.
  private static func writeOffCanvas(_ content: DocumentContent, of path: String) throws(ArtError) {
    guard let notice = OffCanvas(content).notice else { return }
    try Output.flush()
    Output.printError("\(path): \(notice)")
  }

  /// Prints the table.
  static func write(
    _ content: DocumentContent, of path: String, _ sizeClass: SizeClass = .regular
  ) throws(ArtError) {
    let count = content.emojiCount == 0 ? "no emoji" : "\(content.emojiCount) emoji"
    let size = "\(content.canvas.width) x \(content.canvas.height)"
    try Output.line(Style.bold(safe(path)))
    try Output.line("\(size), \(count), revision \(content.revision)")
    if let background = content.background { try Output.line(safe("background: \(background.text)")) }
    if let pending = content.pending { try Output.line(safe("pending: \(pending.text)")) }
    guard content.emojiCount > 0 else { return }
    try writeTable(content, sizeClass)
  }

  /// The emoji is the last column because terminals disagree on its width. In a narrow terminal ids are shortened as
  /// far as they stay unique, and there is no heading.
  private static func writeTable(_ content: DocumentContent, _ sizeClass: SizeClass) throws(ArtError) {
    let emojis = content.emojisInOrder()
    let isCompact = sizeClass == .compact
    let marked = emojis.typedLengths
    let placeWidth = max(isCompact ? 0 : 5, emojis.lazy.map { place($0).count }.max() ?? 0)
    let sizeWidth = max(isCompact ? 0 : 4, emojis.lazy.map { numberText($0.size.pixels).count }.max() ?? 0)
    let idWidth = marked.values.max() ?? 0
    // A column for rotation and mirroring only where there are any.
    let turnWidth = emojis.lazy.map { turn($0).count }.max() ?? 0
    func turnColumn(_ text: String) -> String {
      turnWidth == 0 ? "" : text.padded(to: max(turnWidth, isCompact ? 0 : 6)) + "  "
    }
    if !isCompact {
      let columns = "ID         \("PLACE".padded(to: placeWidth))  \("SIZE".padded(to: sizeWidth))"
      try Output.line("\(columns)  \(turnColumn("TURNED"))EMOJI")
    }
    for emoji in emojis {
      let id = emoji.id.description
      let length = marked[emoji.id] ?? id.count
      let name = isCompact ? String(id.prefix(length)).padded(to: idWidth) : mark(id, length)
      let place = place(emoji).padded(to: placeWidth)
      let size = numberText(emoji.size.pixels).padded(to: sizeWidth)
      try Output.line("\(name)  \(place)  \(size)  \(turnColumn(turn(emoji)))\(safe(emoji.text.description))")
    }
  }

  /// How far an emoji is turned, and whether it is mirrored; empty for one as it is in the font.
  private static func turn(_ emoji: Emoji) -> String {
    let parts = [
      emoji.rotation == .zero ? nil : numberText(emoji.rotation.degrees), emoji.isMirrored ? "mirrored" : nil,
    ]
    return parts.compactMap(\.self).joined(separator: " ")
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
  /// Plain text padded with spaces on the right.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

  /// Plain text padded with spaces on the left.
  func indented(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
