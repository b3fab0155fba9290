// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// The journals of programs that are gone which concern one document.
public struct FoundJournals {
  /// Those whose edits belong to it, oldest first.
  public private(set) var own: [OrphanedJournal] = []
  /// Why others that name its path are kept.
  public private(set) var kept: [ArtError] = []

  fileprivate init() {}

  fileprivate mutating func add(_ error: ArtError) { kept.append(error) }

  fileprivate init(
    _ journals: [OrphanedJournal], of file: DocumentFile, at place: DocumentPlace, in folder: JournalFolder
  ) {
    var search = JournalSearch(for: journals.compactMap(\.head), in: folder)
    search.look(at: file)
    for journal in journals {
      guard let head = journal.head else { continue }
      if head.base.id == place.id, head.path != place.path, !head.isFile(place.identity) {
        search.look(into: FilePath(place.path).folder)
      }
      let match = search.match(head)
      if case .restore(let path) = match {
        // Hard links and bind mounts give one file several paths.
        if path == place.path || FileIdentity(at: path) == place.identity { own.append(journal) }
      } else if place.isNamed(by: head, on: folder.host), let error = match.error(about: file.path) {
        kept.append(error)
      }
    }
    own.sort { ($0.modified, $0.origin.description) < ($1.modified, $1.origin.description) }
  }
}

/// Which document is meant: where its file is, which file that is, and what it calls itself.
private struct DocumentPlace {
  let path: String
  let identity: FileIdentity
  let id: DocumentID

  /// Whether a journal may be about it.
  func mayBeMeant(by head: JournalHead) -> Bool {
    head.path == path || head.base.id == id || head.isFile(identity)
  }

  /// Whether the journal names it, so that somebody who edits it is told why it is kept.
  func isNamed(by head: JournalHead, on host: JournalHost) -> Bool {
    switch host.relation(to: head) {
    case .here: head.path == path
    case .otherNamespace, .otherMachine: head.base.id == id
    }
  }
}

extension DocumentFile {
  /// Which of these journals, of one folder, concern this document; none where it cannot be found or read, which whoever
  /// opens it is told.
  public func journals(among journals: [OrphanedJournal]) -> FoundJournals {
    // A document that others hold is told as busy when it is read.
    guard let folder = journals.first?.folder, let place = try? place() else { return FoundJournals() }
    let meant = journals.filter { $0.head.map(place.mayBeMeant) ?? false }
    return meant.isEmpty ? FoundJournals() : FoundJournals(meant, of: self, at: place, in: folder)
  }

  /// The journals in a folder that concern this document, for who restores them first; those of other documents are left
  /// alone, and so are these documents. Throws what `JournalFolder.dead` throws, and `busy` when another program does not let go of the
  /// document: who edits it need not wait once more.
  public func journalsToRestore(in folder: JournalFolder) throws(ArtError) -> FoundJournals {
    var place: DocumentPlace?
    var busy: ArtError?
    var isFirst = true
    let journals = try folder.dead(
      where: { head in
        if isFirst {
          do throws(ArtError) { place = try self.place() } catch { busy = error }
        }
        isFirst = false
        guard let head, let place else { return false }
        return place.mayBeMeant(by: head)
      }, timeout: timeout)
    if let busy { throw busy }
    var found = FoundJournals()
    if let place, journals.contains(where: { $0.head != nil }) {
      found = FoundJournals(journals, of: self, at: place, in: folder)
    }
    if let error = ArtError.unreadableJournals(journals) { found.add(error) }
    return found
  }

  /// Nil where it cannot be found or read. Throws `busy`.
  private func place() throws(ArtError) -> DocumentPlace? {
    do throws(ArtError) {
      let file = try locate()
      let id = if let quick = QuickLook(self) { quick.art.id } else { try base().id }
      return DocumentPlace(
        path: file.path, identity: FileIdentity(device: file.device, inode: file.inode), id: id)
    } catch {
      guard error.code != .busy else { throw error }
      return nil
    }
  }
}
