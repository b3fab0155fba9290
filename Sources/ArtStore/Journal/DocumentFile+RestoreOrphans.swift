// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// What became of the edits that a program left.
public enum RecoveryOutcome: Sendable {
  /// They are in the document now.
  case restored(RestoreReport)
  /// They stay in their journal; why.
  case kept(ArtError)
}

extension DocumentFile {
  /// Restores what programs that are gone have left for this document, for who is about to edit it; `told` hears of each.
  /// Without any, this costs a look into the folder.
  ///
  /// What cannot be restored is kept, and keeps nobody from editing. Throws only what will keep everybody from it:
  /// `busy`, `notPermitted`, `noSuchDocument`, `notADocument`, `diskFull`, `inputOutput`. So it does while others use a
  /// journal of this document, or may have put theirs into the folder: an edit that is made before what was answered
  /// earlier would take its place.
  public func restoreOrphans(
    in folder: JournalFolder, by author: () throws(ArtError) -> Author,
    _ told: (RecoveryOutcome) -> Void
  ) throws(ArtError) {
    let found: FoundJournals
    try folder.verify()
    do throws(ArtError) {
      found = try journalsToRestore(in: folder)
    } catch {
      guard error.code != .busy else { throw error }
      return told(
        .kept(ArtError(error.code, "unsaved edits cannot be looked for: \(error.message)")))
    }
    for error in found.kept { told(.kept(error)) }
    guard !found.own.isEmpty else { return }
    var author = try author()
    for journal in found.own {
      do throws(ArtError) {
        told(.restored(try restore(journal, stamp: author.stamp(at: millisecondsSince1970()))))
      } catch {
        switch error.code {
        case .busy, .notPermitted, .noSuchDocument, .notADocument, .diskFull, .inputOutput: throw error
        default: told(.kept(error))
        }
      }
    }
  }
}
