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
      emojiart show <doc> [-n <count>] [--graphics <how>] [--zoom <times>]
               [--center <x,y>] [--font <file>] [--at <rev|name>]
               [--folder <folder>]
      emojiart show <doc> --words [-n <count>] [--at <rev|name>]
               [--folder <folder>]
      emojiart show <doc> --live [--edit] [--graphics <how>] [--zoom <times>]
               [--center <x,y>] [--font <file>] [--folder <folder>]
      emojiart show <doc> --json [--urls] [--at <rev|name>]
               [--folder <folder>]
      """,
    discussion: """
      Prints a table of the emoji, from the bottom to the top. The shortest beginning of an id that names only this emoji \
      is marked: in bold on a terminal, by a hyphen elsewhere. The id can be typed with or without the hyphen. The \
      document is not changed.

      On a terminal the art follows: by kitty's protocol, as sixels, as coloured symbols, or as emoji on a grid, \
      depending on what the terminal can show. A small terminal gets a shorter table, and beside art the table has at most half of the rows: \
      the emoji at the top. EMOJIART_GRAPHICS chooses a kind for good. Without art, a table that is longer than the terminal is shown in \
      EMOJIART_PAGER, else PAGER, else less; an empty one means none.

      --words says it in a sentence for each emoji, for screen readers; EMOJIART_GRAPHICS=words is the same for every terminal.

      --live --edit edits by eye: Tab selects, the arrows move, ? shows all keys. Each change is saved by itself.

      Examples:
        emojiart show bees
        emojiart show bees --zoom 4 --center 50%,20%
        emojiart show bees --at 12
        emojiart show bees --words
        emojiart show bees --live --edit
        emojiart show bees --json | jq '.emojis | length'
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Flag(help: "Follow the document on the screen until q is pressed.") var live = false
  @Flag(help: "With --live, edit by keys: ? shows them.") var edit = false
  @Flag(help: "Say what there is in sentences, without art.") var words = false
  @OptionGroup var limits: LimitOptions
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
    guard !urls || common.json else {
      throw ArtError(.usage, "--urls is about --json; give both")
    }
    guard !edit || live else { throw ArtError(.usage, "--edit is about --live; give both") }
    if common.json { return try writeJSON(file, reference) }
    guard !words || !live && looks.graphics == nil && part.zoom == nil && part.center == nil else {
      throw ArtError(.usage, "--words shows no art; leave out --live, --graphics, --zoom and --center")
    }
    guard !live || limits.most == nil else { throw ArtError(.usage, "--live shows no table; leave out -n") }
    let choice = words ? .words : try looks.choice()
    let art = try ShownArt(choice: choice, view: part.view(), font: looks.fontFile())
    let most = try limits.limit()
    if live { return try art.follow(file, try location(), isEdited: edit) }
    let sizeClass = isatty(1) == 1 ? TerminalSize.now(nil).sizeClass : .regular
    guard art.isWanted else {
      let content = try Recovery.ofCommand.content(of: file, at: reference)
      return try Pager.show {
        if choice == .words {
          for line in ArtWords.lines(of: content, file.path, most: most) { try Output.line(line) }
        } else {
          for line in Self.lines(of: content, file.path, sizeClass, most: most) { try Output.line(line) }
        }
        try Self.writeOffCanvas(content, of: file.path)
      }
    }
    try show(
      DocumentView(file, at: reference, recovery: .ofCommand), of: file.path, art, sizeClass, most: most)
  }

  private func writeJSON(_ file: DocumentFile, _ reference: RevisionReference?) throws {
    guard !live, !words, looks.graphics == nil, part.zoom == nil, part.center == nil, limits.most == nil
    else {
      throw ArtError(
        .usage, "--json is the whole document; leave out --live, --words, --graphics, --zoom, --center and -n"
      )
    }
    let content = try Recovery.ofCommand.content(of: file, at: reference)
    try content.writeJSON(urls: urls ? .whole : .redacted) { (piece) throws(ArtError) in
      try Output.write(piece)
    }
    try Output.line("")
    try Self.writeOffCanvas(content, of: file.path)
  }

  private func location() throws(ArtError) -> FollowedFolder {
    let places = try FollowedFolder.places([doc], common, isRecursive: false)
    guard places.count == 1, places[0].names != nil else {
      throw ArtError(.usage, "--live is about one document; \(shown(doc)) is a folder")
    }
    return places[0]
  }

  /// Prints the table, and below it the art. On a terminal all of it fits, so that neither the document's name nor the art scrolls off.
  private func show(
    _ document: DocumentView, of path: String, _ art: ShownArt, _ sizeClass: SizeClass, most: Int?
  ) throws {
    let columns = TerminalSize.now(nil).columns
    // The lines on stderr that this may print.
    func rows(of notices: [String]) -> Int {
      isatty(2) == 1
        ? notices.reduce(0) { $0 + LineView.rows(of: "emojiart: \(path): \($1)", columns: columns) } : 0
    }
    let known = rows(of: [OffCanvas(document.content).notice].compactMap(\.self))
    let table = table(of: document.content, path, sizeClass, most: most, known)
    let text =
      isatty(1) == 1
      ? table.reduce(known) { $0 + LineView.rows(of: $1, columns: columns) }
      : min(table.count, TerminalSize.now(nil).rows / 3)
    // Without room for art the text comes alone.
    let showsArt = isatty(1) != 1 || TerminalSize.now(nil).rows - 1 - text >= Self.minArtRows
    let lost = document.isPictureLost ? [DrawingNotes.lostPicture] : []
    let drawn =
      showsArt
      ? try art.drawn(document.scene, below: text) { art in
        isatty(1) == 1 ? rows(of: art.notices + (art.isFaulty ? [] : lost)) : 0
      } : nil
    for line in table { try Output.line(line) }
    try Self.writeOffCanvas(document.content, of: path)
    guard let drawn else { return }
    try art.put(drawn)
    for notice in drawn.notices { Output.printError("\(path): \(notice)") }
    let status = drawn.isFaulty ? .badData : document.printLostPicture(in: path)
    if status != .done { throw ExitCode(status.rawValue) }
  }

  /// The table. On a terminal it has at most half of the rows together with `others`: the document's head, and as many emoji as fit, from the
  /// top of the z-order.
  private func table(
    of content: DocumentContent, _ path: String, _ sizeClass: SizeClass, most: Int?, _ others: Int
  ) -> [String] {
    guard isatty(1) == 1 else { return Self.lines(of: content, path, sizeClass, most: most) }
    let terminal = TerminalSize.now(nil)
    func rows(_ lines: some Sequence<String>) -> Int {
      lines.reduce(0) { $0 + LineView.rows(of: $1, columns: terminal.columns) }
    }
    let available = terminal.rows / 2 - others
    let wanted = min(most ?? .max, content.emojiCount)
    // The lines of a large document are made only as far as there is room for them.
    let lines = Self.lines(of: content, path, sizeClass, most: max(1, min(wanted, available)))
    if wanted <= available, rows(lines) <= available { return lines }
    let head = Self.head(of: content, path)
    let begin = Array(lines.prefix(head.count + (sizeClass == .compact ? 0 : 1)))
    var shown = lines.dropFirst(begin.count)
    let command = "emojiart show \(ArtError.Remedy.shellWord(doc)) --graphics none"
    while !shown.isEmpty {
      let more = safe("\(content.emojiCount - shown.count) more below these: `\(command)` lists them")
      if rows(begin + [more] + shown) <= available { return begin + [more] + shown }
      shown.removeFirst()
    }
    let hint = [safe("`\(command)` lists the emoji")]
    return rows(head + hint) + others + Self.minArtRows < terminal.rows ? head + hint : head
  }

  /// The least height of art in rows.
  private static let minArtRows = 2

  /// Prints to stderr what lies off the canvas.
  private static func writeOffCanvas(_ content: DocumentContent, of path: String) throws(ArtError) {
    guard let notice = OffCanvas(content).notice else { return }
    try Output.flush()
    Output.printError("\(path): \(notice)")
  }

  /// Prints the table.
  static func write(_ content: DocumentContent, of path: String) throws(ArtError) {
    for line in lines(of: content, path, .regular) { try Output.line(line) }
  }

  /// The lines above the table: what the document is.
  private static func head(of content: DocumentContent, _ path: String) -> [String] {
    let size = "\(content.canvas.width) x \(content.canvas.height)"
    return [
      Style.bold(safe(path)), "\(size), \(content.countText), revision \(content.revision)",
      content.background.map { safe("background: \($0.text)") },
      content.pending.map { safe("pending: \($0.text)") },
    ].compactMap(\.self)
  }

  /// The document and its emoji, at most that many from the top of the z-order. The emoji is the last column because terminals disagree on its
  /// width. In a narrow terminal ids are shortened as far as they stay unique, and there is no heading.
  static func lines(
    of content: DocumentContent, _ path: String, _ sizeClass: SizeClass, most: Int? = nil
  ) -> [String] {
    let head = head(of: content, path)
    guard content.emojiCount > 0 else { return head }
    let all = content.emojisInOrder()
    let emojis = all.suffix(most ?? all.count)
    let isCompact = sizeClass == .compact
    let marked = all.typedLengths
    let placeWidth = max(isCompact ? 0 : 5, emojis.lazy.map { place($0).count }.max() ?? 0)
    let sizeWidth = max(isCompact ? 0 : 4, emojis.lazy.map { numberText($0.size.pixels).count }.max() ?? 0)
    let idWidth = marked.values.max() ?? 0
    // A column for rotation and mirroring only where there are any.
    let turnWidth = emojis.lazy.map { turn($0).count }.max() ?? 0
    func turnColumn(_ text: String) -> String {
      turnWidth == 0 ? "" : text.padded(to: max(turnWidth, isCompact ? 0 : 6)) + "  "
    }
    let columns = "ID         \("PLACE".padded(to: placeWidth))  \("SIZE".padded(to: sizeWidth))"
    let heading = isCompact ? [] : ["\(columns)  \(turnColumn("TURNED"))EMOJI"]
    let rows = emojis.map { emoji in
      let id = emoji.id.description
      let length = marked[emoji.id] ?? id.count
      let name = isCompact ? String(id.prefix(length)).padded(to: idWidth) : mark(id, length)
      let place = place(emoji).padded(to: placeWidth)
      let size = numberText(emoji.size.pixels).padded(to: sizeWidth)
      return "\(name)  \(place)  \(size)  \(turnColumn(turn(emoji)))\(safe(emoji.text.description))"
    }
    return head + heading + rows
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
