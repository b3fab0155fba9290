// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Glibc

/// Previews of documents, each with text beside it, written in the order in which they are added, from left to right and row by row. Two are
/// drawn at once.
struct ListPreviews {
  /// The size of a preview in cells.
  private static let (regular, compact) = ((columns: 16, rows: 5), (columns: 10, rows: 3))
  /// The least and the usual number of columns for the text, and the gap between two previews.
  private static let (minTextColumns, textColumns, gap) = (8, 22, 2)
  /// The most screens that the previews may fill when no option asks for them.
  private static let screens = 2

  private struct Entry {
    let text: [String]
    /// Nil if the document cannot be read.
    let drawing: Drawing?
  }

  private struct Drawing {
    let outcome: Outcome<Result<TerminalArt, DrawingFailure>>
  }

  private let signals: SignalSource
  private let graphics: Graphics
  private let room: TerminalSize
  /// The columns from one preview to the next, those from its picture to its text, and those of its text.
  private let (pitch, indent, width): (Int, Int, Int)
  /// The previews beside each other.
  private let perRow: Int
  private let font: String?
  private var entries: [Entry] = []
  /// The previews of the present row that are drawn, and nil for those that cannot be.
  private var row: [(art: TerminalArt?, text: [String])] = []
  private var isFirst = true
  /// The reason why previews have stopped; reported once.
  private var trouble: String?
  private let journals: [OrphanedJournal]
  /// A shared timeout for documents that are locked by other programs. After it a document is listed without its
  /// preview.
  private var timeout = SharedTimeout(.seconds(1))

  /// Nil when no previews are to be shown: stdout is no terminal, cannot show them or is too narrow, the user does
  /// not want them, or they are too many and `isRequested` is false. `journals` are orphaned journals.
  init?(
    _ choice: GraphicsChoice, isRequested: Bool, font: String?, of count: Int,
    among journals: [OrphanedJournal]
  ) {
    let art = ShownArt(choice: choice, view: ViewOptions.View(), font: font)
    guard art.isWanted, choice != .text, isRequested || Self.fit(count, TerminalSize.now(nil)) else {
      return nil
    }
    let signals = SignalSource(SignalSource.endings + [SIGTSTP])
    var query = art.needsQuery ? TerminalQuery() : nil
    query?.finish()
    let answers = query?.answers
    let terminal = TerminalSize.now(answers)
    let best = Graphics.best(choice, isTerminal: isatty(1) == 1, .here, answers)
    let size = Self.size(terminal)
    guard let best, best != .text, terminal.columns >= size.columns + 2 + Self.minTextColumns else {
      signals.release()
      return nil
    }
    (self.signals, self.font, self.journals, graphics) = (signals, font, journals, best)
    room = TerminalSize(columns: size.columns, rows: size.rows, cell: terminal.cell)
    indent = size.columns + 2
    perRow = Self.perRow(terminal)
    width = perRow > 1 ? Self.textColumns : terminal.columns - indent
    pitch = indent + width + Self.gap
  }

  private static func size(_ terminal: TerminalSize) -> (columns: Int, rows: Int) {
    terminal.sizeClass == .regular ? regular : compact
  }

  private static func perRow(_ terminal: TerminalSize) -> Int {
    max((terminal.columns + gap) / (size(terminal).columns + 2 + textColumns + gap), 1)
  }

  /// Whether that many previews fit two screens.
  static func fit(_ count: Int, _ terminal: TerminalSize) -> Bool {
    let rows = (count + perRow(terminal) - 1) / perRow(terminal)
    return rows * (size(terminal).rows + 1) <= screens * terminal.rows
  }

  /// Starts drawing a document, and writes the previews before it that must be complete by now. Throws `inputOutput`.
  mutating func add(_ path: String, _ name: String, _ text: [String]) throws(ArtError) {
    try Output.flush()
    let text = LineView.wrapped(name, width).map(Style.bold) + text.flatMap { LineView.wrapped($0, width) }
    if entries.count == 2 { try take() }
    entries.append(Entry(text: text, drawing: begin(path)))
  }

  /// Writes the remaining previews.
  mutating func finish() throws(ArtError) {
    while !entries.isEmpty { try take() }
    try writeRow()
    try Output.flush()
    signals.release()
  }

  private mutating func begin(_ path: String) -> Drawing? {
    guard trouble == nil else { return nil }
    let scene: DrawingScene
    let placement: ArtPlacement
    do throws(ArtError) {
      scene = try timeout.read(path) { [journals] (file) throws(ArtError) in
        try DocumentView(file, among: journals, recovery: .silent).scene
      }
      placement = try ArtPlacement(ArtPlacement.viewport(scene.canvas, in: room), in: room, graphics)
    } catch {
      // The row of `list` has the error already; `check` gives the details.
      return nil
    }
    let (graphics, font) = (graphics, font)
    do throws(ArtError) {
      return Drawing(
        outcome: try Outcome.onThread {
          do throws(DrawingFailure) {
            return .success(try await TerminalArt.picture(scene, placement, graphics, font: font))
          } catch {
            return .failure(error)
          }
        })
    } catch {
      report(.failed(error))
      return nil
    }
  }

  /// Waits for the first preview, and writes its row when that is full.
  private mutating func take() throws(ArtError) {
    let entry = entries.removeFirst()
    row.append((entry.drawing.flatMap { wait(for: $0) }, entry.text))
    if row.count == perRow { try writeRow() }
  }

  /// Writes a row: first its lines, each with what all previews have there, and then the pictures over them.
  private mutating func writeRow() throws(ArtError) {
    guard !row.isEmpty else { return }
    let height = row.reduce(0) { max($0, $1.art?.rows ?? 0, $1.text.count) }
    var lines = [[UInt8]](repeating: [], count: height)
    var pictures: [UInt8] = []
    for (index, preview) in row.enumerated() {
      let left = index * pitch
      switch preview.art?.body {
      case .picture(let picture):
        pictures += Array("\u{1B}[\(left + 1)G".utf8) + picture + Array("\u{1B}8".utf8)
      case .lines(let symbols):
        for (line, symbols) in zip(lines.indices, symbols.split(separator: 0x0A)) {
          lines[line] += Array("\u{1B}[\(left + 1)G".utf8) + symbols + Array("\u{1B}[0m".utf8)
        }
      case nil: break
      }
      for (line, text) in zip(lines.indices, preview.text) {
        lines[line] += Array("\u{1B}[\(left + indent + 1)G\(text)".utf8)
      }
    }
    row = []
    var bytes: [UInt8] = isFirst ? [] : [0x0A]
    isFirst = false
    if !pictures.isEmpty {
      // The lines are reserved first, because a picture near the end of the screen would scroll it.
      bytes += Array("\(String(repeating: "\n", count: height))\u{1B}[\(height)A\r\u{1B}7".utf8) + pictures
    }
    bytes += Array(lines.map { $0 + [0x0A] }.joined())
    try signals.put(bytes, last: KittyPicture.closing(isKitty: graphics == .kitty))
  }

  /// Waits for the preview; nil when it could not be drawn. A signal ends the process.
  private mutating func wait(for drawing: Drawing) -> TerminalArt? {
    while true {
      if let result = drawing.outcome.wait(atMost: .milliseconds(50)) {
        switch result {
        case .success(let art): return art
        case .failure(let failure):
          report(failure)
          return nil
        }
      }
      switch signals.next() {
      case nil: continue
      case SIGTSTP: FileGate.shared.stopProcess()
      // The helper processes end with this one.
      case let number?: SignalSource.die(of: number)
      }
    }
  }

  /// Reports a failure once, and stops drawing previews, unless only this picture is too large.
  private mutating func report(_ failure: DrawingFailure) {
    let text: String
    switch failure {
    case .refused(let refusal) where refusal.reason == .tooLarge: return
    case .refused(let refusal): text = refusal.message
    case .failed(let error): text = error.message
    case .cancelled: return
    }
    if trouble == nil { Output.printError("no pictures: \(text)") }
    trouble = text
  }
}

/// Waits for a drawing, and ends the process on a signal. `restore` is called before that, `pause` before SIGTSTP
/// stops the process.
func waitForDrawing<Value: Sendable>(
  _ signals: SignalSource, restore: () -> Void = {}, pause: () -> Void = {},
  _ work: @escaping @Sendable () async throws(DrawingFailure) -> Value
) throws(DrawingFailure) -> Value {
  let outcome: Outcome<Result<Value, DrawingFailure>>
  do throws(ArtError) {
    outcome = try Outcome.onThread {
      do throws(DrawingFailure) { return .success(try await work()) } catch { return .failure(error) }
    }
  } catch {
    throw .failed(error)
  }
  while true {
    if let result = outcome.wait(atMost: .milliseconds(50)) { return try result.get() }
    guard let number = signals.next() else { continue }
    if number == SIGTSTP {
      pause()
      FileGate.shared.stopProcess()
      continue
    }
    outcome.cancel()
    // The helper process ends with this one in any case.
    _ = outcome.wait(atMost: .seconds(1))
    restore()
    SignalSource.die(of: number)
  }
}
