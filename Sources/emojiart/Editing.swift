// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

/// A command that edits one document. It is also available in a stream, where the document is not named.
protocol EditCommand: ParsableCommand {
  var options: EditOptions { get }
}

/// What a command requests: an action, or one whose words are measured first.
enum RequestedEdit {
  case action(Action)
  case caption(CaptionAction)
}

/// A command that edits emoji.
protocol EmojiCommand: EditCommand {
  var doc: String { get }
  /// What the arguments request. Throws `usage`, `badValue`, `badText`.
  func requested() throws(ArtError) -> RequestedEdit
  /// The output for an emoji that the action has changed.
  func line(_ emoji: Emoji) -> String
}

extension EmojiCommand {
  func run() throws {
    let action = try action(measuring: requested())
    let result = try options.performing(action, on: doc)
    try options.write(result, line: line)
    try options.printNotices(of: action, on: doc)
  }

  /// The action, when its words are measured. Throws `unavailable`.
  private func action(measuring requested: RequestedEdit) throws(ArtError) -> Action {
    switch requested {
    case .action(let action): return action
    case .caption(let caption):
      try prepareThreads()
      return try Outcome {
        await result { () async throws(ArtError) in try await Renderer().measured(caption) }
      }
      .wait().get()
    }
  }
}

/// A command that performs one action.
protocol ActionCommand: EmojiCommand {
  /// The action that the arguments request. Throws `usage`, `badValue`, `badText`.
  func action() throws(ArtError) -> Action
}

extension ActionCommand {
  func requested() throws(ArtError) -> RequestedEdit { .action(try action()) }
}

/// A command that undoes or redoes steps of the log.
protocol StepCommand: EditCommand {
  var doc: String { get }
  var direction: UndoDirection { get }
  var count: String { get }
}

extension StepCommand {
  func run() throws { try runSteps() }

  func runSteps() throws {
    let count = try steps()
    try write(options.editing(doc).step(direction, count), of: count)
  }

  /// Prints what was done, of that many steps.
  func write(_ result: (run: UndoRun, revision: Int), of count: Int) throws(ArtError) {
    let (run, revision) = result
    Output.addToErrors("the \(direction.rawValue) itself is saved")
    let lost = run.lost.map { $0.background.lossText(isPending: $0.isPending) }
    for note in direction.notes(run.entries, of: count, left: run.left) + lost { Output.printError(note) }
    guard !options.common.json else { return try Output.json(json(run, revision)) }
    for (entry, author) in zip(run.entries, run.authors) {
      try Output.line(safe(direction == .undo ? entry.title(reverting: author) : entry.title))
    }
  }

  /// `{"by":["Bob"],"done":["Undo add 🐝"],"revision":9}`; `by` has null for edits without a name, and is of undo only.
  private func json(_ run: UndoRun, _ revision: Int) -> JSON {
    var members: [String: JSON] = [
      "done": .array(run.entries.map { JSON.string($0.title) }), "revision": .integer(revision),
    ]
    if direction == .undo { members["by"] = .array(run.authors.map { $0.map(JSON.string) ?? .null }) }
    let unchanged = run.entries.count(where: \.changesNothing)
    if unchanged > 0 { members["unchanged"] = .integer(unchanged) }
    return .object(members)
  }

  /// The number of steps. Throws `badValue`.
  func steps() throws(ArtError) -> Int {
    guard let count = Int(count), (1...1_000).contains(count) else {
      throw ArtError(.badValue, "\(shown(count)) is no count; give a number from 1 to 1,000")
    }
    return count
  }
}

extension EditOptions {
  /// Performs an action on the document of that name. Errors about its emoji name it.
  func performing(_ action: Action, on document: String) throws(ArtError) -> PerformedAction {
    let file = try common.file(document)
    do throws(ArtError) { return try editing(document).perform(action) } catch {
      throw error.naming(file, common.file)
    }
  }

  /// Prepares editing the document of that name.
  func editing(_ document: String) throws(ArtError) -> FileEditing {
    let revision = try expectedRevision()
    return try FileEditing(common.file(document), by: .ofCommand, expecting: revision)
  }

  /// Tells what is drawn otherwise than it was probably meant: texts that may be mistakes, and glyphs that the fonts lack. The answer is
  /// written before: asking the fonts may take long. Throws when it cannot be written.
  func printNotices(of action: Action, on document: String) throws(ArtError) {
    for mistake in action.probableMistakes { Output.printError(mistake.message) }
    // The edit is saved: what cannot be found out is not told.
    guard action.newTexts.contains(where: \.mayBeLacking), (try? prepareThreads()) != nil else { return }
    try Output.flush()
    let font = try? CurrentSettings.ofCommand[.font]?.text
    let drawn = Outcome { await Renderer().lacking(action.newTexts, font: font) }.wait()
    guard let line = drawn.flatMap(DrawingNotes.lacking) else { return }
    Output.printError("\(document): \(line)")
  }

  /// Prints a line for each emoji, or all of them as JSON.
  func write(_ result: PerformedAction, line: (Emoji) -> String) throws(ArtError) {
    Output.addToErrors("the edit itself is saved")
    if let notice = result.offCanvas.notice { Output.printError(notice) }
    guard common.json else {
      for emoji in result.emojis { try Output.line(line(emoji)) }
      return
    }
    var writer = JSONWriter(urls: .redacted)
    writer.object {
      $0.key("emojis")
      $0.array { for emoji in result.emojis { emoji.write(to: &$0) } }
      $0.offCanvas(result.offCanvas)
      $0.key("revision")
      $0.integer(result.revision)
    }
    try Output.line(writer.text)
  }
}

extension JSONWriter {
  /// Writes the member `offCanvas`, which is left out where all is on the canvas.
  mutating func offCanvas(_ offCanvas: OffCanvas) {
    guard !offCanvas.isEmpty else { return }
    key("offCanvas")
    integer(offCanvas.count)
  }
}

extension ProbableMistake {
  /// A notice for the user.
  var message: String {
    let what = hasWords ? "words" : "signs"
    let words = hasWords ? "; words are for `caption`" : ""
    return
      "\"\(text)\" has \(what) beside the emoji, drawn as letters\(words); did you mean \(meant.joined(separator: " "))?"
  }
}

extension OffCanvas {
  /// A notice for the user; nil if all is on the canvas.
  var notice: String? {
    let parts = [
      Self.part(outside, "lies off the canvas", "lie off the canvas"),
      Self.part(half, "is more than half off the canvas", "are more than half off the canvas"),
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private static func part(_ count: Int, _ one: String, _ several: String) -> String? {
    switch count {
    case 0: nil
    case 1: "1 emoji \(one)"
    default: "\(count) emoji \(several)"
    }
  }
}

extension LoggedEdit {
  /// The title, with the name of who made what it reverts, if that is another user: `Undo add 🐝, by Bob`.
  func title(reverting author: String?) -> String {
    guard let author, author != self.author else { return title }
    return "\(title), by \(author)"
  }
}

extension UndoDirection {
  /// Notices for the user about steps that were done. `left` counts the changes that stay as they are, of all of them.
  func notes(_ entries: [LoggedEdit], of count: Int, left: Int) -> [String] {
    let without = entries.filter(\.changesNothing)
    var notes = without.map {
      "\($0.title): nothing was left to \(rawValue), because later edits set or removed the same"
    }
    let done = entries.count
    let left = left - without.reduce(0) { $0 + $1.dropped.count }
    if left > 0 {
      let changes = left == 1 ? "1 change stays as it is" : "\(left) changes stay as they are"
      notes.append("\(changes): later edits were about the same")
    }
    if done < count { notes.append("only \(done) of \(count): nothing more to \(rawValue)") }
    return notes
  }
}
