// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The journals of programs that are gone which concern one document.
public struct FoundJournals {
  /// Those whose edits belong to it, oldest first.
  public private(set) var own: [DeadJournal] = []
  /// Those that name its path and are kept, and why.
  public private(set) var kept: [(journal: DeadJournal, why: String)] = []

  fileprivate init() {}

  /// `file` has been located at that path, and holds the document of that id.
  fileprivate init(_ journals: [DeadJournal], of file: DocumentFile, at path: String, _ id: DocumentID) {
    var search = JournalSearch(for: journals.compactMap(\.head))
    search.look(at: file)
    for journal in journals {
      guard let head = journal.head else { continue }
      if head.base.id == id, head.path != path { search.look(into: PathParts(path).folder) }
      switch search.match(head) {
      case .restore(path): own.append(journal)
      case .restore: break
      case .kept(let why): if head.path == path { kept.append((journal, why)) }
      }
    }
    own.sort { ($0.modified, $0.origin.description) < ($1.modified, $1.origin.description) }
  }
}

extension JournalFolder {
  /// The journals of a document for who shows it; nothing is written. Throws what finding and reading the document
  /// throws when there are journals at all, and what `peek` throws.
  public func journalsToShow(of file: DocumentFile) throws(ArtError) -> FoundJournals {
    let seen = try peek()
    guard !seen.isEmpty else { return FoundJournals() }
    let (path, id) = (try file.locate().path, try file.base().id)
    return FoundJournals(
      seen.filter { $0.head?.path == path || $0.head?.base.id == id }, of: file, at: path, id)
  }

  /// The journals of a document for who restores them first; those of other documents stay unlocked. Throws as
  /// `journalsToShow`.
  public func journalsToRestore(in file: DocumentFile) throws(ArtError) -> FoundJournals {
    var areThere = false
    _ = try dead { _ in
      areThere = true
      return false
    }
    guard areThere else { return FoundJournals() }
    let (path, id) = (try file.locate().path, try file.base().id)
    return FoundJournals(
      try dead { $0?.path == path || $0?.base.id == id }, of: file, at: path, id)
  }
}
