// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// The edits of programs that were killed, as the other commands meet them.
enum Restoring {
  /// Restores what belongs to a document that is about to be edited, a line each on stderr. What cannot be restored is
  /// kept and told, and does not keep anybody from editing. Throws what will keep them from it, too.
  static func restoreFirst(_ file: DocumentFile) throws(ArtError) {
    guard let folder = try JournalFolder.known() else { return }
    try file.restoreLeft(in: folder, by: thisAuthor) { outcome in
      switch outcome {
      case .kept(let error): Output.complain(error.message)
      case .restored(let report):
        if report.edits > 0 { Output.complain("\(file.path): restored \(words(report))") }
        for line in lost(report, of: file.path) { Output.complain(line) }
        if report.isBeyondLog { Output.complain(report.beyondLog(of: file.path)) }
      }
    }
  }

  /// The journals of programs that are gone, for commands that only look; others restore them meanwhile. Those that this
  /// user may not read are named, once.
  static func seen(say: (String) -> Void = Output.complain) -> [DeadJournal] {
    do throws(ArtError) {
      let journals = try JournalFolder.known()?.peek() ?? []
      if let error = ArtError.unreadableJournals(journals) { say(error.message) }
      return journals
    } catch {
      say("unsaved edits cannot be looked for: \(error.message)")
      return []
    }
  }

  /// Reads a document with the edits that belong to it, and says so; nil where there are none.
  static func shown(
    _ file: DocumentFile, _ seen: [DeadJournal], say: (String) -> Void = Output.complain
  ) throws(ArtError) -> ShownDocument? {
    let found = file.journals(among: seen)
    for error in found.kept { say(error.message) }
    guard !found.own.isEmpty else { return nil }
    let shown = try file.read(with: found.own, restoredBy: thisAuthor())
    for error in shown.kept { say(error.message) }
    for report in shown.reports where report.edits > 0 {
      say("\(file.path): shown with \(words(report)); the next edit saves them")
    }
    return shown
  }

  /// The content of a document with the edits that belong to it, among those journals, or those that are there.
  static func read(
    _ file: DocumentFile, among journals: [DeadJournal]? = nil, say: (String) -> Void = Output.complain
  ) throws(ArtError) -> DocumentContent {
    if let shown = try shown(file, journals ?? seen(say: say), say: say) { return shown.content }
    return try file.read()
  }

  /// Says of a document that edits belong to it, for who looks at its file alone.
  static func mention(_ file: DocumentFile) throws(ArtError) {
    let found = file.journals(among: seen())
    for error in found.kept { Output.complain(error.message) }
    for journal in found.own {
      do throws(ArtError) {
        let shown = try file.read(with: [journal], restoredBy: thisAuthor())
        for error in shown.kept { Output.complain(error.message) }
        for report in shown.reports where report.edits > 0 {
          Output.complain("\(file.path): not in it are \(words(report)); the next edit saves them")
        }
      } catch {
        let edits = try journal.contents().entries.count
        let source = source(journal.head?.author, journal.modified)
        Output.complain(
          "\(file.path): beside it \(count(edits)) of a program that is gone are kept (\(source))")
      }
    }
  }

  /// `12 edits of a program that ended without saving them (ada, 2026-11-21 09:30)`.
  static func words(_ report: RestoreReport) -> String {
    "\(count(report.edits)) of a program that ended without saving them (\(source(report)))"
  }

  static func count(_ edits: Int) -> String { edits == 1 ? "1 edit" : "\(edits) edits" }

  /// `ada, 2026-11-21 09:30`.
  static func source(_ report: RestoreReport) -> String { source(report.author, report.modified) }

  static func source(_ author: String?, _ modified: Int) -> String {
    let time = modified > 0 ? Time.local(modified / 1000, seconds: false) : "nobody knows when"
    return author.map { "\($0), \(time)" } ?? time
  }

  /// A line for each change that was left out, of many only the first.
  static func lost(_ report: RestoreReport, of document: String) -> [String] {
    let lines = report.dropped.prefix(most).map {
      "\(document): left out, what it changes is not as it was: \($0.words)"
    }
    let more = report.dropped.count - lines.count
    return more > 0 ? lines + ["\(document): and \(more) more; `emojiart history` keeps them"] : lines
  }

  private static let most = 10
}
