// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

// Earlier states of a closed document: revisions, which the log reaches for a while, and named versions, which stay.

extension Recovery {
  /// The content at a revision or of a version, in which orphaned edits count; nil stands for the present one. Throws `noSuchRevision`,
  /// `ambiguous`, and what reading throws.
  public func content(
    of file: DocumentFile, at reference: RevisionReference?, among journals: [OrphanedJournal]? = nil
  ) throws(ArtError) -> DocumentContent {
    switch reference {
    case nil: return try content(of: file, among: journals)
    case .number(let revision): return try content(of: file, at: revision, among: journals)
    case .version(let name):
      let (version, art) = try file.version(name)
      return try content(of: file, among: journals).content(of: version, art)
    }
  }
}

extension FileEditing {
  /// Makes the art what it was at a revision or in a version, as one edit. Throws `noSuchRevision`, `ambiguous`, and what
  /// `DocumentFile.edit` and restoring throw; then nothing is changed.
  public func revert(to reference: RevisionReference) throws(ArtError) -> RevertedDocument {
    switch reference {
    case .number(let revision): try revert(to: revision)
    case .version(let name):
      try revert { (transaction) throws(ArtError) in
        let (version, art) = try transaction.version(name)
        return try RevertPlan(to: version, art, in: transaction)
      }
    }
  }

  /// Keeps the present state under a name, with orphaned edits, which are restored before. The document's revision stays. Throws `exists`,
  /// `tooLarge`, `badValue`, and what `DocumentFile.edit` throws; then nothing is changed.
  public func keepVersion(named name: String) throws(ArtError) -> NamedVersion {
    // Before anything is restored.
    _ = try NamedVersion.checkedName(name)
    var author = try newAuthor()
    return try edit { (transaction) throws(ArtError) in
      try transaction.keepVersion(named: name, stamp: author.stamp(at: WallClock.milliseconds()))
    }
  }

  /// Removes a version, by its name or id. Throws `noSuchRevision`, `ambiguous`, and what `DocumentFile.edit` throws; then nothing is
  /// changed.
  public func removeVersion(_ reference: String) throws(ArtError) -> NamedVersion {
    try edit { (transaction) throws(ArtError) in try transaction.removeVersion(reference) }
  }
}
