// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// The edits of programs that ended without saving them, as the other use cases meet them: who edits a document restores
/// them first, who only reads it sees the document with them.
public struct Recovery: Sendable {
  /// What a front end should say.
  public enum Notice: Sendable {
    /// Edits stay in their journal, or a journal cannot be read; why.
    case kept(ArtError)
    /// Nobody knows whether there are any.
    case searchFailed(ArtError)
    /// They are in the document at that path now.
    case restored(String, RestoreReport)
    /// The document at that path was read with them; the next edit saves them.
    case included(String, RestoreReport)
    /// They are not in the document at that path, whose file alone was looked at; the next edit saves them.
    case excluded(String, RestoreReport)
    /// They are kept beside the document at that path; the document cannot be read with them.
    case unread(String, edits: Int, author: String?, modified: Int)
  }

  /// The name that edits are made by here; nil for this program's own mark.
  public let author: String?
  /// Where journals are; nil for this machine's state folder.
  public let folder: JournalFolder?
  /// Is given each notice, on the thread of the call that has it.
  public let report: @Sendable (Notice) -> Void

  /// For a program whose edits are by that author. `folder` is where journals are; nil stands for this machine's state folder.
  public init(
    author: String? = nil, journals folder: JournalFolder? = nil,
    report: @escaping @Sendable (Notice) -> Void = { _ in }
  ) {
    self.author = author
    self.folder = folder
    self.report = report
  }

  /// The folder of journals; nil where there is none yet.
  func journalFolder() throws(ArtError) -> JournalFolder? {
    if let folder { return folder }
    return try JournalFolder.known()
  }

  /// This program as an author of edits, with a new origin. Throws `badValue` for a name that is none.
  public func newAuthor() throws(ArtError) -> Author {
    var random = SystemRandomNumberGenerator()
    return try Author(origin: Origin(using: &random), name: author)
  }

  /// The same that reports elsewhere.
  public func reporting(to report: @escaping @Sendable (Notice) -> Void) -> Recovery {
    Recovery(author: author, journals: folder, report: report)
  }

  /// Restores what belongs to a document that is about to be edited. What cannot be restored is kept and reported, and
  /// does not keep anybody from editing. Throws what will keep them from it, too.
  public func restoreFirst(_ file: DocumentFile) throws(ArtError) {
    guard let folder = try journalFolder() else { return }
    try file.restoreOrphans(in: folder, by: newAuthor) { outcome in
      switch outcome {
      case .kept(let error): report(.kept(error))
      case .restored(let restored): report(.restored(file.path, restored))
      }
    }
  }

  /// The journals of programs that are gone, for who only reads; others restore them meanwhile. Those that this user
  /// may not read are reported, once.
  public func journals() -> [OrphanedJournal] {
    do throws(ArtError) {
      let journals = try journalFolder()?.peek() ?? []
      if let error = ArtError.unreadableJournals(journals) { report(.kept(error)) }
      return journals
    } catch {
      report(.searchFailed(error))
      return []
    }
  }

  /// Reads a document with the edits that belong to it, and reports them; nil where there are none. Throws what reading
  /// throws.
  public func read(_ file: DocumentFile, with journals: [OrphanedJournal]) throws(ArtError)
    -> DocumentPreview?
  {
    let found = file.journals(among: journals)
    for error in found.kept { report(.kept(error)) }
    guard !found.own.isEmpty else { return nil }
    let shown = try file.read(with: found.own, restoredBy: newAuthor())
    for error in shown.kept { report(.kept(error)) }
    for restored in shown.reports where restored.edits > 0 { report(.included(file.path, restored)) }
    return shown
  }

  /// The content of a document with the edits that belong to it, among those journals, or those that are there. Throws
  /// what reading throws.
  public func content(
    of file: DocumentFile, among journals: [OrphanedJournal]? = nil
  ) throws(ArtError) -> DocumentContent {
    if let shown = try read(file, with: journals ?? self.journals()) { return shown.content }
    return try file.read()
  }

  /// Reports of a document that edits belong to it, for who looks at its file alone. Throws what reading a journal throws.
  public func mention(_ file: DocumentFile) throws(ArtError) {
    let found = file.journals(among: journals())
    for error in found.kept { report(.kept(error)) }
    for journal in found.own {
      do throws(ArtError) {
        let shown = try file.read(with: [journal], restoredBy: newAuthor())
        for error in shown.kept { report(.kept(error)) }
        for restored in shown.reports where restored.edits > 0 { report(.excluded(file.path, restored)) }
      } catch {
        let edits = try journal.contents().entries.count
        report(
          .unread(file.path, edits: edits, author: journal.head?.author, modified: journal.modified))
      }
    }
  }
}
