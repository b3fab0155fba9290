// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace

extension Recovery {
  /// For commands: the author comes from the user's settings when an edit is made, and notices go to stderr. Throws what reading the
  /// settings throws.
  static var ofCommand: Recovery {
    get throws(ArtError) {
      let settings = try CurrentSettings.ofCommand
      return Recovery(authorNamed: { () throws(ArtError) in try settings[.author]?.text }) { notice in
        for line in RecoveryMessages.lines(notice) { Output.printError(line) }
      }
    }
  }

  /// The same without notices.
  static var silent: Recovery { get throws(ArtError) { try ofCommand.reporting { _ in } } }
}

/// Messages about the edits of orphaned journals.
enum RecoveryMessages {
  /// The maximum number of changes that are listed.
  private static let most = 10

  static func lines(_ notice: Recovery.Notice) -> [String] {
    switch notice {
    case .kept(let error): return [error.message]
    case .searchFailed(let error): return ["cannot search for unsaved edits: \(error.message)"]
    case .restored(let path, let report):
      let restored = report.edits > 0 ? ["\(path): restored \(text(report))"] : []
      return restored + lost(report, of: path) + (report.isBeyondLog ? [report.beyondLog(of: path)] : [])
    case .included(let path, let report):
      return ["\(path): shown with \(text(report)); the next edit saves them"]
    case .duplicated(let path, let original, let report):
      let them = report.edits == 1 ? "it" : "them"
      return ["\(path): has \(text(report)), too; the next edit of \(original) saves \(them) there"]
    case .excluded(let path, let report):
      return ["\(path): does not include \(text(report)); the next edit saves them"]
    case .unread(let path, let edits, let author, let modified):
      return [
        "\(path): does not include \(count(edits)) of a program that ended without saving them (\(source(author, modified))); they are kept, and `emojiart restore --list` lists them"
      ]
    }
  }

  /// `12 edits of a program that ended without saving them (ada, 2026-11-21 09:30)`.
  private static func text(_ report: RestoreReport) -> String {
    "\(count(report.edits)) of a program that ended without saving them (\(source(report.author, report.modified)))"
  }

  static func count(_ edits: Int) -> String { edits == 1 ? "1 edit" : "\(edits) edits" }

  /// `ada, 2026-11-21 09:30`.
  static func source(_ edits: OrphanedEdits) -> String {
    source(edits.journal.head?.author, edits.journal.modified)
  }

  private static func source(_ author: String?, _ modified: Int) -> String {
    let time = modified > 0 ? Time.local(modified / 1000, seconds: false) : "at an unknown time"
    return author.map { "\($0), \(time)" } ?? time
  }

  /// A line for each change that was left out, up to a limit, and the count of the others.
  static func lost(_ report: RestoreReport, of document: String) -> [String] {
    let lines = report.dropped.prefix(most).map {
      "\(document): left out, because what it changes was changed or removed since: \($0.summary)"
    }
    let more = report.dropped.count - lines.count
    return more > 0 ? lines + ["\(document): and \(more) more; `emojiart history` keeps them"] : lines
  }
}
