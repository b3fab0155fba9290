// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

extension DocumentFile {
  /// Restores what programs that are gone have left for the document, and gives notice of it.
  func restoreLeft(in folder: JournalFolder, by restorer: Author) throws(ArtError) {
    try restoreLeft(in: folder, by: { () throws(ArtError) in restorer }) { outcome in
      switch outcome {
      case .kept(let error): notice(error.message)
      case .restored(let report) where report.edits > 0:
        let edits = report.edits == 1 ? "1 edit" : "\(report.edits) edits"
        let lost =
          report.dropped.isEmpty
          ? "" : "; \(report.dropped.count) changes were left out, the history keeps them"
        notice("\(path): restored \(edits) of a program that ended without saving them\(lost)")
        if report.isBeyondLog { notice(report.beyondLog(of: path)) }
      case .restored: break
      }
    }
  }
}
