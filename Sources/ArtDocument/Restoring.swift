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
        let left = report.dropped.isEmpty ? "" : "; \(report.dropped.count) of their changes were left out"
        notice("\(path): restored \(report.edits) edits that a program had not saved\(left)")
      case .restored: break
      }
    }
  }
}
