// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// Looks for the documents that journals of programs that are gone belong to. Reads only.
public struct JournalSearch {
  private let wanted: Set<DocumentID>
  private let folder: JournalFolder
  private let isElsewhereTrusted: Bool
  private var candidates: [JournalMatch.Candidate] = []
  private var unreadable: [String] = []
  private var seenPaths: Set<String> = []
  private var seenFolders: Set<String> = []

  /// A search for the documents of these journals of a folder. With `trustingElsewhere` somebody has said that the programs
  /// of other machines and containers are gone, and that their paths mean the same here.
  public init(
    for heads: some Sequence<JournalHead>, in folder: JournalFolder, trustingElsewhere: Bool = false
  ) {
    wanted = Set(heads.map(\.base.id))
    self.folder = folder
    isElsewhereTrusted = trustingElsewhere
  }

  /// Where the journal's edits belong. Looks at the path that it names, and where the document is not there, at the
  /// other documents of that folder; at neither where a document that was looked at tells.
  public mutating func match(_ head: JournalHead) -> JournalMatch {
    guard isElsewhereTrusted || folder.knowsEnd(of: head) else {
      return .elsewhere(
        "they were made on another machine or in another container, where their program may still run")
    }
    guard isElsewhereTrusted || folder.host.relation(to: head) == .here else { return matchOfFile(head) }
    if candidates.contains(where: { $0.path == head.path && $0.id == head.base.id }) {
      return .restore(head.path)
    }
    let place = Self.place(of: head)
    if case .document(head.base.id) = place { return JournalMatch(of: head, place: place, among: []) }
    if veryFile(of: head) == nil { look(into: FilePath(head.path).folder) }
    return JournalMatch(of: head, place: place, among: candidates, unreadable: unreadable)
  }

  /// Where the journal's path may lead to another file than it did for its program: only the very file is the document.
  private mutating func matchOfFile(_ head: JournalHead) -> JournalMatch {
    if veryFile(of: head) == nil, FileIdentity(at: head.path).map(head.isFile) ?? false {
      look(at: DocumentFile(head.path))
    }
    guard let file = veryFile(of: head) else {
      return .elsewhere(
        "they were made in another container, or at another boot, whose \(head.path) is not the one here")
    }
    return .restore(file.path)
  }

  private func veryFile(of head: JournalHead) -> JournalMatch.Candidate? {
    candidates.first { $0.id == head.base.id && $0.isFile(of: head) && $0.hasBase(of: head) }
  }

  /// Where documents lie that are the journal's by their id, among those looked at.
  public func copies(for head: JournalHead) -> [String] {
    candidates.filter { $0.id == head.base.id }.map(\.path)
  }

  /// The document that the journal's edits were made on, or what comes nearest to it; nil where none was found.
  public mutating func source(of head: JournalHead) -> String? {
    if case .restore(let path) = match(head) { return path }
    let same = candidates.filter { $0.id == head.base.id }
    let best = same.first { $0.isFile(of: head) } ?? same.first { $0.hasBase(of: head) } ?? same.first
    return best?.path
  }

  /// Looks at the documents of a folder.
  public mutating func look(into folder: String) {
    guard seenFolders.insert(folder).inserted else { return }
    do throws(ArtError) {
      for name in try FolderListing(of: folder).names { look(at: DocumentFile("\(folder)/\(name)")) }
    } catch {
      note(error, about: folder)
    }
  }

  /// Looks at a document.
  public mutating func look(at file: DocumentFile) {
    do throws(ArtError) {
      let located = try file.locate()
      guard seenPaths.insert(located.path).inserted else { return }
      if let candidate = try candidate(file, located) { candidates.append(candidate) }
    } catch {
      note(error, about: file.path)
    }
  }

  /// What is not there, or is no document, is not the one that is looked for; of what cannot be read nobody knows.
  private mutating func note(_ error: ArtError, about path: String) {
    switch error.code {
    case .noSuchDocument, .notADocument: break
    default: unreadable.append(FilePath(path).name)
    }
  }

  private func candidate(
    _ file: DocumentFile, _ located: LocatedFile
  ) throws(ArtError) -> JournalMatch.Candidate? {
    var file = file
    file.timeout = .seconds(1)
    let (id, edits) = try file.read { (transaction) throws(ArtError) in
      (transaction.id, wanted.contains(transaction.id) ? try transaction.loggedIDs() : [])
    }
    guard wanted.contains(id) else { return nil }
    return JournalMatch.Candidate(
      path: located.path, id: id, device: located.device, inode: located.inode, edits: edits)
  }

  /// What stands at the path that the journal names. A symbolic link there is none of the document's names.
  static func place(of head: JournalHead) -> JournalMatch.Place {
    var status = stat()
    guard lstat(head.path, &status) == 0 else {
      let error = ArtError.system("look at", head.path)
      return error.code == .noSuchDocument ? .gone : .unreadable(error)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return .gone }
    do throws(ArtError) {
      return .document(try DocumentFile(head.path).base().id)
    } catch {
      switch error.code {
      case .noSuchDocument, .notADocument: return .gone
      default: return .unreadable(error)
      }
    }
  }
}

extension DocumentTransaction {
  fileprivate func loggedIDs() throws(ArtError) -> Set<EditID> {
    var ids: Set<EditID> = []
    try newestEdits { (entry) throws(ArtError) in
      ids.insert(entry.id)
      return true
    }
    return ids
  }
}
