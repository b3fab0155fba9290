// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// Which file the edits of a program that is gone belong to.
///
/// A copy of a document has its id, and so has a backup. So edits are restored by themselves only where there is no
/// doubt:
///
///     the recorded path holds this document ───────────────────────▶ there
///     it cannot be read ───────────────────────────────────────────▶ kept
///     it is gone, or holds something else, and of the files looked at
///       one is this document and has the state the edits were made on ──▶ there
///       of several one is the very file ───────────────────────────────▶ there
///       several, or none, or one beside others that cannot be read ────▶ kept
///
/// That is for journals of this machine and mount namespace. Where the path may lead to another file than it did for the
/// journal's program, the very file alone gets the edits; where it cannot be told that the program is gone, nobody does.
public enum JournalMatch: Sendable, Equatable {
  /// Into the file at that path.
  case restore(String)
  /// Nowhere; why, and what kind of thing that is.
  case kept(String, ArtError.Code)
  /// Nowhere, because it comes from another machine or container, whose program or files cannot be seen here; why.
  case elsewhere(String)

  /// What stands at the path that a journal names.
  public enum Place: Sendable, Equatable {
    case document(DocumentID)
    /// Nothing, or what is no document.
    case gone
    /// Something that cannot be read.
    case unreadable(ArtError)
  }

  /// A document that was looked at.
  public struct Candidate: Sendable, Equatable {
    /// Its path, symbolic links resolved.
    public let path: String
    /// The document's own name for itself.
    public let id: DocumentID
    /// The file system that it is on.
    public let device: UInt
    /// The file there.
    public let inode: UInt
    /// The edits in its log.
    public let edits: Set<EditID>

    /// A document of these values.
    public init(path: String, id: DocumentID, device: UInt, inode: UInt, edits: Set<EditID>) {
      self.path = path
      self.id = id
      self.device = device
      self.inode = inode
      self.edits = edits
    }

    /// Whether it is the very file that the edits were made on.
    func isFile(of head: JournalHead) -> Bool { head.isFile(FileIdentity(device: device, inode: inode)) }

    /// Whether the edits of that journal were made on a state that this document has been in.
    func hasBase(of head: JournalHead) -> Bool {
      guard let base = head.base.head else { return true }
      return edits.contains(base)
    }
  }

  /// Says where the edits of a journal belong. `unreadable` are files that were looked at and may be the document.
  public init(of head: JournalHead, place: Place, among candidates: [Candidate], unreadable: [String] = []) {
    let (what, code): (String, ArtError.Code)
    switch place {
    case .document(head.base.id):
      self = .restore(head.path)
      return
    case .unreadable(let error):
      self = .kept("the document cannot be read: \(error.message)", error.code)
      return
    case .document: (what, code) = ("another document stands at \(head.path) now", .replaced)
    case .gone: (what, code) = ("there is no document \(head.path) any more", .noSuchDocument)
    }
    let same = Self.withoutOtherNames(candidates.filter { $0.id == head.base.id && $0.path != head.path })
    let fitting = same.filter { $0.hasBase(of: head) }
    let veryFile = fitting.filter { $0.isFile(of: head) }
    if veryFile.count == 1 {
      self = .restore(veryFile[0].path)
    } else if let doubtful = unreadable.first {
      self = .kept("\(what), and \(doubtful), which may be it, cannot be read", code)
    } else if fitting.count == 1 {
      self = .restore(fitting[0].path)
    } else if fitting.count > 1 {
      let names = fitting.prefix(3).map { FilePath($0.path).name }.joined(separator: ", ")
      self = .kept("\(what), and several files are copies of it (\(names))", .ambiguous)
    } else if let other = same.first {
      self = .kept("\(what), and \(FilePath(other.path).name) is another state of it", code)
    } else {
      self = .kept(what, code)
    }
  }

  /// The error that says of edits that they are kept; nil where they are not.
  public func error(about document: String) -> ArtError? {
    switch self {
    case .restore: nil
    case .kept(let why, let code): .keptJournal(document, why, code)
    case .elsewhere(let why): .elsewhereJournal(document, why)
    }
  }

  /// Of the names of one file the first.
  private static func withoutOtherNames(_ candidates: [Candidate]) -> [Candidate] {
    var seen: Set<[UInt]> = []
    return candidates.filter { seen.insert([$0.device, $0.inode]).inserted }
  }
}
