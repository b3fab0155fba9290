// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtSystem
import ArtWorkspace
import Glibc

struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show how two documents or states differ.",
    usage: """
      emojiart diff <doc> <doc2> [--from <rev|name>] [--to <rev|name>]
               [-o <file> [--width <width> | --scale <scale>] [--font <font>]]
      emojiart diff <doc> [--from <rev|name>] [--to <rev|name>]
               [-o <file> [--width <width> | --scale <scale>] [--font <font>]]
      emojiart diff --textconv <doc>
      """,
    discussion: """
      Prints a line for each difference: `+` for an emoji that only the second has, `-` for one that only the first has, `~` for \
      one that is not the same in both. --from is a state of DOC and --to one of DOC2, or of DOC if there is none: a \
      revision of `emojiart history`, or the name of a version. Without --from it is the revision before the last edit; without \
      --to the present state.

      With -o it also draws both states side by side as a PNG, JPEG or WebP file. What only the first has is within an orange \
      line of dashes, what only the second has within a green line without gaps, and what is not the same within a blue line of \
      dots. A line of dots at the edge of the canvas means that the canvas, its colour or the background differs.

      --textconv is for git: `*.emojiart diff=emojiart` in .gitattributes, and once on each machine: \
      git config diff.emojiart.textconv 'emojiart diff --textconv'. It prints a line for each emoji, and git compares \
      the lines.

      Examples:
        emojiart diff bees
        emojiart diff bees --from 12 --to draft
        emojiart diff bees wasps
        emojiart diff bees --from draft -o changes.png
        emojiart diff --textconv bees
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(
    help: ArgumentHelp("The document that it is compared with.", valueName: "doc2"),
    completion: .custom(Completion.documents))
  var other: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The state of the first: a revision, or the name of a version.", valueName: "rev|name"),
    completion: .custom(Completion.versions))
  var from: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The state of the second, likewise.", valueName: "rev|name"),
    completion: .custom(Completion.versionsOfLast))
  var to: String?
  @Option(
    name: [.customShort("o"), .long], parsing: .unconditional,
    help: ArgumentHelp("The picture that is written, or - for stdout, as PNG.", valueName: "file"),
    completion: .file(extensions: ["png", "jpg", "jpeg", "webp"]))
  var output: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The picture's width in pixels (default: the canvases', and at most 4,000).", valueName: "width"))
  var width: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The picture's pixels per pixel of the canvas.", valueName: "scale"))
  var scale: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("For the picture: noto, openmoji, twemoji, or a font file.", valueName: "font"),
    completion: .file(extensions: ["ttf", "otf", "ttc"]))
  var font: String?
  @Flag(help: "As git's textconv: one document as text.") var textconv = false
  @OptionGroup var common: CommonOptions

  func run() throws {
    guard textconv else {
      let status = try compare()
      try Output.flush()
      if status != .done { throw ExitCode(status.rawValue) }
      return
    }
    let others = [other, from, to, output, width, scale, font]
    guard others.allSatisfy({ $0 == nil }), !common.json else {
      throw ArtError(.usage, "--textconv writes one document as text; leave out the others")
    }
    // As it is saved: git's copy of a file has no journal.
    // git gives a path, which is not looked up in the folder of documents. A folder may have a document's name.
    let isFile = access(doc, F_OK) == 0 && !FileStatus.isFolder(at: doc)
    let file = isFile ? DocumentFile(doc) : try common.file(doc)
    for line in try file.read().textLines { try Output.line(safe(line)) }
  }

  private func compare() throws(ArtError) -> ExitStatus {
    let arguments = try DiffPictureArguments(self)
    let comparison = try Comparison(self)
    let picture = try arguments.map { (arguments) throws(ArtError) in
      try DiffPicture(arguments, comparison).draw()
    }
    if output == "-" {
      // The picture is there.
    } else if common.json {
      try Output.line(comparison.json(picture: picture?.json))
    } else {
      for line in comparison.lines { try Output.line(safe(line)) }
      if let picture { try Output.line(safe(picture.line)) }
    }
    return picture?.status ?? .done
  }

  /// Two states, as the arguments name them.
  func states() throws(ArtError) -> (Comparison.State, Comparison.State) {
    let first = try common.file(doc)
    let second = try other.map { (other) throws(ArtError) in try common.file(other) }
    let recovery = try Recovery.ofCommand
    func reference(_ typed: String?) throws(ArtError) -> RevisionReference? {
      try typed.map { (typed) throws(ArtError) in try RevisionReference(typed: typed) }
    }
    func state(
      _ file: DocumentFile, _ reference: RevisionReference?, _ recovery: Recovery
    ) throws(ArtError) -> Comparison.State {
      guard output != nil else {
        return Comparison.State(path: file.path, content: try recovery.content(of: file, at: reference))
      }
      let view = try DocumentView(file, at: reference, recovery: recovery)
      return Comparison.State(path: file.path, content: view.content, view: view)
    }
    let new = try state(second ?? first, reference(to), recovery)
    // The orphaned edits of one document are reported once.
    let isOne = second.map { FileStatus.isSameFile($0.path, first.path) } ?? true
    let silent = isOne ? recovery.reporting { _ in } : recovery
    guard second == nil, from == nil else { return (try state(first, reference(from), silent), new) }
    guard new.content.revision > 0 else {
      throw ArtError(
        .usage,
        to == nil
          ? "\(first.path) has no edit yet; name another document to compare it with"
          : "there is nothing before revision 0 of \(first.path); name another state with --from")
    }
    return (try state(first, .number(new.content.revision - 1), silent), new)
  }
}

/// The difference of two states, in words and as JSON.
struct Comparison {
  /// One of them.
  struct State {
    let path: String
    let content: DocumentContent
    /// What is drawn of it; nil where nothing is drawn.
    var view: DocumentView?

    /// `bees.emojiart at revision 12`.
    var text: String { "\(path) at revision \(content.revision)" }
  }

  let (old, new): (State, State)
  let difference: ArtDifference

  init(_ arguments: Diff) throws(ArtError) {
    (old, new) = try arguments.states()
    difference = ArtDifference(from: old.content, to: new.content)
  }

  /// A heading, and a line for each difference.
  var lines: [String] {
    var lines = ["\(old.text) -> \(new.text)"]
    guard !difference.isEmpty else { return lines + ["no difference"] }
    if let canvas = difference.canvas { lines.append("canvas \(canvas.from.text) -> \(canvas.to.text)") }
    if let fill = difference.fill {
      lines.append("colour \(fill.from?.description ?? "none") -> \(fill.to?.description ?? "none")")
    }
    if let background = difference.background {
      lines.append("background \(background.from?.text ?? "none") -> \(background.to?.text ?? "none")")
    }
    if let pending = difference.pending {
      lines.append("pending \(pending.from?.text ?? "none") -> \(pending.to?.text ?? "none")")
    }
    lines += difference.removed.map { "- \($0.textLine)" }
    lines += difference.added.map { "+ \($0.textLine)" }
    return lines + difference.changed.map { "~ \($0.text)" }
  }

  /// `{"added":[…],"changed":[{"fields":["position"],"from":{…},"to":{…}}],"from":{…},"removed":[…],"to":{…}}`, and what differs of `canvas`,
  /// `background` and `pending` as `{"from":…,"to":…}`; and the picture, if there is one, as `picture`.
  func json(picture: JSON? = nil) -> String {
    var json = JSONWriter(urls: .redacted)
    json.object { json in
      json.key("added")
      json.array { json in for emoji in difference.added { emoji.write(to: &json) } }
      json.pair("background", difference.background) { json, background in
        if let background { background.write(to: &json) } else { json.null() }
      }
      if difference.canvas != nil || difference.fill != nil {
        json.pair("canvas", old.content, new.content) { $1.canvas.write(to: &$0, fill: $1.fill) }
      }
      json.key("changed")
      json.array { json in for changed in difference.changed { changed.write(to: &json) } }
      json.key("from")
      old.write(to: &json)
      json.pair("pending", difference.pending) { json, pending in
        if let pending { pending.write(to: &json) } else { json.null() }
      }
      if let picture {
        json.key("picture")
        json.value(picture)
      }
      json.key("removed")
      json.array { json in for emoji in difference.removed { emoji.write(to: &json) } }
      json.key("to")
      new.write(to: &json)
    }
    return json.text
  }
}

extension Comparison.State {
  fileprivate func write(to json: inout JSONWriter) {
    json.object {
      $0.key("document")
      $0.string(path)
      $0.key("revision")
      $0.integer(content.revision)
    }
  }
}

extension JSONWriter {
  /// Writes the member `{"from":…,"to":…}`.
  fileprivate mutating func pair<Value>(
    _ name: String, _ from: Value, _ to: Value, _ write: (inout JSONWriter, Value) -> Void
  ) {
    key(name)
    object {
      $0.key("from")
      write(&$0, from)
      $0.key("to")
      write(&$0, to)
    }
  }

  fileprivate mutating func pair<Value>(
    _ name: String, _ values: ArtDifference.Pair<Value>?, _ write: (inout JSONWriter, Value) -> Void
  ) {
    if let values { pair(name, values.from, values.to, write) }
  }
}

extension ArtDifference.Changed {
  /// `🐝  k3m9abcd  at 10,20 -> 50,20  size 40 -> 64  in front of others now`.
  fileprivate var text: String {
    var parts = ["\(to.text.label)  \(to.id)"]
    for field in fields {
      let (old, new) = (field.text(of: from), field.text(of: to))
      switch field {
      case .text: parts.append("was \(from.text.label)")
      case .mirroring: parts.append(to.isMirrored ? "mirrored now" : "no longer mirrored")
      case .position, .size, .rotation, .color: parts.append("\(field.name) \(old) -> \(new)")
      case .order: break
      }
    }
    if isReordered { parts.append("other place in the order") }
    return parts.joined(separator: "  ")
  }

  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("fields")
      json.array { json in
        for field in fields { json.string(field.name) }
        if isReordered { json.string(EmojiField.order.name) }
      }
      json.key("from")
      from.write(to: &json)
      json.key("to")
      to.write(to: &json)
    }
  }
}

extension EmojiField {
  /// Its name in words and in JSON.
  fileprivate var name: String {
    switch self {
    case .text: "text"
    case .position: "at"
    case .size: "size"
    case .order: "order"
    case .rotation: "rotation"
    case .mirroring: "mirrored"
    case .color: "color"
    }
  }

  fileprivate func text(of emoji: Emoji) -> String {
    switch self {
    case .text: emoji.text.label
    case .position: "\(numberText(emoji.position.x)),\(numberText(emoji.position.y))"
    case .size: numberText(emoji.size.pixels)
    case .order: "\(emoji.z)"
    case .rotation: numberText(emoji.rotation.degrees)
    case .mirroring: "\(emoji.isMirrored)"
    case .color: emoji.color.description
    }
  }
}

extension Canvas {
  fileprivate var text: String { "\(width)x\(height)" }
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
