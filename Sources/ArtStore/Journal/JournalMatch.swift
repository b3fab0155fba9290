// SPDX-License-Identifier: Apache-2.0

import ArtModel

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
public enum JournalMatch: Sendable, Equatable {
  /// Into the file at that path.
  case restore(String)
  /// Nowhere; why.
  case kept(String)

  /// What stands at the path that a journal names.
  public enum Place: Sendable, Equatable {
    case document(DocumentID)
    /// Nothing, or what is no document.
    case gone
    /// Something that cannot be read; why.
    case unreadable(String)
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

    /// Whether the edits of that journal were made on a state that this document has been in.
    func hasBase(of head: JournalHead) -> Bool {
      guard let base = head.base.head else { return true }
      return edits.contains(base)
    }
  }

  /// Says where the edits of a journal belong. `unreadable` are files that were looked at and may be the document.
  public init(of head: JournalHead, place: Place, among candidates: [Candidate], unreadable: [String] = []) {
    let what: String
    switch place {
    case .document(head.base.id):
      self = .restore(head.path)
      return
    case .unreadable(let why):
      self = .kept("the document cannot be read: \(why)")
      return
    case .document: what = "another document stands at \(head.path) now"
    case .gone: what = "there is no document \(head.path) any more"
    }
    let same = Self.withoutOtherNames(candidates.filter { $0.id == head.base.id && $0.path != head.path })
    let fitting = same.filter { $0.hasBase(of: head) }
    let veryFile = fitting.filter { $0.device == head.device && $0.inode == head.inode }
    if veryFile.count == 1 {
      self = .restore(veryFile[0].path)
    } else if let doubtful = unreadable.first {
      self = .kept("\(what), and \(doubtful), which may be it, cannot be read")
    } else if fitting.count == 1 {
      self = .restore(fitting[0].path)
    } else if fitting.count > 1 {
      let names = fitting.prefix(3).map { PathParts($0.path).name }.joined(separator: ", ")
      self = .kept("\(what), and several files are copies of it (\(names))")
    } else if let other = same.first {
      self = .kept("\(what), and \(PathParts(other.path).name) is another state of it")
    } else {
      self = .kept(what)
    }
  }

  /// Of the names of one file the first.
  private static func withoutOtherNames(_ candidates: [Candidate]) -> [Candidate] {
    var seen: Set<[UInt]> = []
    return candidates.filter { seen.insert([$0.device, $0.inode]).inserted }
  }
}
