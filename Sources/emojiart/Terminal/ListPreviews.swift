// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtWorker
import Glibc

/// Small pictures of documents, each with words beside it, in the order in which they are added. Two are drawn at once.
struct ListPreviews {
  /// Cells of a picture.
  private static let (regular, compact) = ((columns: 16, rows: 5), (columns: 10, rows: 3))

  private struct Entry {
    let words: [String]
    /// Nil where the document cannot be read.
    let drawing: Drawing?
  }

  private struct Drawing {
    let outcome: Outcome<Result<TerminalArt, DrawingFailure>>
    let task: Task<Result<TerminalArt, DrawingFailure>, Never>
  }

  private let held: HeldSignals
  private let graphics: Graphics
  private let room: TerminalSize
  private let font: String?
  private var entries: [Entry] = []
  private var isFirst = true
  /// Why there are no more pictures; told once.
  private var trouble: String?

  /// Nil where there are to be no pictures: stdout is no terminal, or shows none, or a person does not want them.
  init?(_ choice: GraphicsChoice, font: String?) {
    let art = ShownArt(choice: choice, view: ViewOptions.View(), font: font)
    guard art.isWanted, choice != .text else { return nil }
    let held = HeldSignals()
    var question = art.isAsked ? TerminalQuestion() : nil
    question?.finish()
    let answers = question?.answers
    let terminal = TerminalSize.now(answers)
    let best = Graphics.best(choice, isTerminal: isatty(1) == 1, .here, answers)
    guard let best, best != .text else {
      held.release()
      return nil
    }
    let size = terminal.sizeClass == .regular ? Self.regular : Self.compact
    (self.held, self.font, graphics) = (held, font, best)
    room = TerminalSize(columns: size.columns, rows: size.rows, cell: terminal.cell)
  }

  /// Begins a document's picture, and writes those before it that are to be over by now. Throws `inputOutput`.
  mutating func add(_ file: DocumentFile, _ words: [String]) throws(ArtError) {
    entries.append(Entry(words: words, drawing: begin(file)))
    if entries.count > 2 { try writeFirst() }
  }

  /// Writes the rest.
  mutating func finish() throws(ArtError) {
    while !entries.isEmpty { try writeFirst() }
    try Output.flush()
    held.release()
  }

  private func begin(_ file: DocumentFile) -> Drawing? {
    guard trouble == nil else { return nil }
    let scene: Scene
    let placement: ArtPlacement
    do throws(ArtError) {
      scene = try SeenDocument(file, say: { _ in }).scene
      placement = try ArtPlacement(ArtPlacement.viewport(scene.canvas, in: room), in: room, graphics)
    } catch {
      // `list` tells what its own row says, and `check` the rest.
      return nil
    }
    let (graphics, font) = (graphics, font)
    let task = Task.detached { () -> Result<TerminalArt, DrawingFailure> in
      do throws(DrawingFailure) {
        return .success(try await TerminalArt.picture(scene, placement, graphics, font: font))
      } catch {
        return .failure(error)
      }
    }
    return Drawing(outcome: Outcome { await task.value }, task: task)
  }

  private mutating func writeFirst() throws(ArtError) {
    let entry = entries.removeFirst()
    let art = entry.drawing.flatMap { wait(for: $0) }
    let height = max(art?.rows ?? 0, entry.words.count)
    let words = entry.words + [String](repeating: "", count: height - entry.words.count)
    if !isFirst { try Output.line("") }
    isFirst = false
    let column = "\u{1B}[\(room.columns + 3)G"
    switch art?.body {
    case .picture(let picture):
      let above = String(repeating: "\n", count: height) + "\u{1B}[\(height)A\r\u{1B}7"
      try Output.write(Array(above.utf8) + picture + Array("\u{1B}8".utf8))
      for line in words { try Output.line(line.isEmpty ? "" : column + line) }
    case .lines(let lines):
      let drawn = lines.split(separator: 0x0A)
      for (index, line) in words.enumerated() {
        if index < drawn.count { try Output.write(Array(drawn[index]) + Array("\u{1B}[0m".utf8)) }
        try Output.line(line.isEmpty ? "" : column + line)
      }
    case nil: for line in words { try Output.line(column + line) }
    }
    try Output.flush()
  }

  /// The picture; nil where it could not be drawn. Ends by a signal that says so.
  private mutating func wait(for drawing: Drawing) -> TerminalArt? {
    while true {
      if let result = drawing.outcome.wait(atMost: .milliseconds(50)) {
        switch result {
        case .success(let art): return art
        case .failure(let failure):
          tell(failure)
          return nil
        }
      }
      guard let number = held.next() else { continue }
      for entry in entries { entry.drawing?.task.cancel() }
      drawing.task.cancel()
      StreamSignals.die(of: number)
    }
  }

  /// Where nothing can be drawn here there are no more tries.
  private mutating func tell(_ failure: DrawingFailure) {
    let words: String
    switch failure {
    case .refused(let refusal) where refusal.reason == .tooLarge: return
    case .refused(let refusal): words = refusal.detail
    case .failed(let error): words = error.message
    case .cancelled: return
    }
    if trouble == nil { Output.complain("no pictures: \(words)") }
    trouble = words
  }
}
