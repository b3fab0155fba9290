// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The journals of programs that are gone which concern one document.
public struct FoundJournals {
  /// Those whose edits belong to it, oldest first.
  public private(set) var own: [DeadJournal] = []
  /// Why others that name its path are kept.
  public private(set) var kept: [ArtError] = []

  fileprivate init() {}

  /// `file` has been located at that path, and holds the document of that id.
  fileprivate init(_ journals: [DeadJournal], of file: DocumentFile, at path: String, _ id: DocumentID) {
    var search = JournalSearch(for: journals.compactMap(\.head))
    search.look(at: file)
    for journal in journals {
      guard let head = journal.head else { continue }
      if head.base.id == id, head.path != path { search.look(into: PathParts(path).folder) }
      let match = search.match(head)
      if match == .restore(path) {
        own.append(journal)
      } else if head.path == path, let error = match.error(about: file.path) {
        kept.append(error)
      }
    }
    own.sort { ($0.modified, $0.origin.description) < ($1.modified, $1.origin.description) }
  }
}

extension DocumentFile {
  /// Which of these journals concern this document; none where it cannot be found or read, which whoever opens it is
  /// told.
  public func journals(among journals: [DeadJournal]) -> FoundJournals {
    guard !journals.isEmpty, let (path, id) = place else { return FoundJournals() }
    return FoundJournals(
      journals.filter { $0.head?.path == path || $0.head?.base.id == id }, of: self, at: path, id)
  }

  /// The journals in a folder that concern this document, for who restores them first; those of other documents stay
  /// unlocked. Throws what `JournalFolder.dead` throws.
  public func journalsToRestore(in folder: JournalFolder) throws(ArtError) -> FoundJournals {
    var areThere = false
    _ = try folder.dead { _ in
      areThere = true
      return false
    }
    guard areThere, let (path, id) = place else { return FoundJournals() }
    return FoundJournals(
      try folder.dead { $0?.path == path || $0?.base.id == id }, of: self, at: path, id)
  }

  private var place: (path: String, id: DocumentID)? {
    do throws(ArtError) {
      return (try locate().path, try base().id)
    } catch {
      return nil
    }
  }
}
