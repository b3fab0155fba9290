// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// The edits that one program left when it ended, and where they belong.
public struct OrphanedEdits {
  /// Where they are kept.
  public let journal: OrphanedJournal
  /// Nil where the journal's head cannot be read.
  public let match: JournalMatch?
  /// What messages call the document; where the edits belong to one, a path to it.
  public let name: String
  fileprivate let notice: @Sendable (String) -> Void

  /// The document that the edits belong to; nil where they belong to none.
  public var file: DocumentFile? {
    guard case .restore = match else { return nil }
    return DocumentFile(name, notice: notice)
  }

  /// How many edits of the journal can be read and are not in the document, if that can be told. Throws what reading the journal
  /// throws.
  public func count() throws(ArtError) -> Int {
    if let file, let report = saved(in: file) { return report.edits }
    return try journal.contents().entries.count
  }

  private func saved(in file: DocumentFile) -> RestoreReport? {
    do throws(ArtError) {
      return try file.read(with: [journal], restoredBy: Recovery().newAuthor()).reports.first
    } catch {
      // Then all of them count.
      return nil
    }
  }

  /// Why nobody may restore, drop or save them apart, unless it is asked for; nil for those of this machine.
  public var elsewhereError: ArtError? {
    guard case .elsewhere = match else { return nil }
    return match?.error(about: name)
  }

  /// Why the edits are kept; nil where they belong somewhere. Throws what reading the journal throws.
  public func keptError() throws(ArtError) -> ArtError? {
    guard let match else {
      return .namelessJournal(journal.path, try journal.contents().damage ?? "it has no head")
    }
    return match.error(about: name)
  }
}

/// The documents and folders that a person named, and which journals are meant by them.
public struct OrphanedEditsSelection {
  private enum Place {
    /// By its real path, and as it was given.
    case folder(String, given: String)
    /// The file is nil where none is.
    case document(String, FileIdentity?, given: String)
  }

  private var places: [Place] = []
  private let notice: @Sendable (String) -> Void

  /// None stand for all of this machine's. `file` finds the document of a name that is no folder; `notice` is given to the
  /// documents that are opened. Throws what `file` throws.
  public init(
    _ names: [String] = [], notice: @escaping @Sendable (String) -> Void = { _ in },
    file: (String) throws(ArtError) -> DocumentFile = { DocumentFile($0) }
  ) throws(ArtError) {
    self.notice = notice
    for name in names {
      if let folder = Self.realFolder(name) {
        places.append(.folder(folder, given: name))
        continue
      }
      let file = try file(name)
      let path = Self.realPath(file.path)
      places.append(.document(path, FileIdentity(at: path), given: file.path))
    }
  }

  /// Whether nothing was given: then all of this machine's are meant.
  public var isEverything: Bool { places.isEmpty }

  /// Whether a document at that path is meant; no file is looked at.
  func isMeant(_ path: String) -> Bool { places.isEmpty || name(of: path) != nil }

  /// Those of the journals that are meant: all, or those whose documents are among the places, by the path that they
  /// name, by where they belong, or as copies. Where places were given no document is opened but theirs, and those that
  /// their journals name. Documents without any are given to `missing`.
  func select(
    _ journals: [OrphanedJournal], _ search: inout JournalSearch, missing: (String) throws(ArtError) -> Void
  ) throws(ArtError) -> [OrphanedEdits] {
    for place in places {
      switch place {
      case .folder(let path, _): search.look(into: path)
      case .document(_, _, let given): search.look(at: DocumentFile(given))
      }
    }
    var selected: [OrphanedEdits] = []
    var found: Set<String> = []
    for journal in journals.sorted(by: { ($0.modified, $0.path) < ($1.modified, $1.path) }) {
      guard let head = journal.head else {
        if places.isEmpty {
          selected.append(OrphanedEdits(journal: journal, match: nil, name: journal.path, notice: notice))
        }
        continue
      }
      guard mayBeMeant(head, search) else { continue }
      let match = match(head, &search)
      var path = head.path
      var others = search.copies(for: head)
      var other: String?
      if case .restore(let place) = match {
        (path, others) = (place, [head.path])
        other = otherName(of: place)
      }
      let meant = ([path] + others).compactMap { name(of: $0) } + (other.map { [$0] } ?? [])
      guard places.isEmpty || !meant.isEmpty else { continue }
      found.formUnion(meant)
      selected.append(
        OrphanedEdits(journal: journal, match: match, name: name(of: path) ?? other ?? path, notice: notice))
    }
    for case .document(_, _, let given) in places where !found.contains(given) { try missing(given) }
    return selected
  }

  private func mayBeMeant(_ head: JournalHead, _ search: JournalSearch) -> Bool {
    isMeant(head.path) || !search.copies(for: head).isEmpty
  }

  /// What a file is called by the documents that were given, if it is one of them by another path: by a hard link, or
  /// through a bind mount.
  private func otherName(of path: String) -> String? {
    let file = FileIdentity(at: path)
    for case .document(_, let given?, let name) in places where given == file { return name }
    return nil
  }

  /// The others in a document's folder are looked at only where a journal is about the document and names another path.
  private func match(_ head: JournalHead, _ search: inout JournalSearch) -> JournalMatch {
    for case .document(let path, let file, _) in places where path != head.path {
      let isVeryFile = file.map(head.isFile) ?? false
      if !isVeryFile, search.copies(for: head).contains(path) { search.look(into: FilePath(path).folder) }
    }
    return search.match(head)
  }

  /// What a path is called by the places that were given; nil where it is in none of them.
  private func name(of path: String) -> String? {
    for place in places {
      switch place {
      case .document(path, _, let given): return given
      case .folder(FilePath(path).folder, let given):
        return FilePath.path(of: FilePath(path).name, in: given)
      case .document, .folder: break
      }
    }
    return nil
  }

  private static func realFolder(_ name: String) -> String? {
    FileStatus.isFolder(at: name) ? FilePath.resolvedIfThere(name) : nil
  }

  /// The path without symbolic links, also of a file that is gone.
  private static func realPath(_ path: String) -> String {
    if let path = FilePath.resolvedIfThere(path) { return path }
    let parts = FilePath(path)
    guard let folder = FilePath.resolvedIfThere(parts.folder) else { return path }
    return folder == "/" ? "/\(parts.name)" : "\(folder)/\(parts.name)"
  }
}
