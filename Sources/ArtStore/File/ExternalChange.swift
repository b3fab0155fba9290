// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The newest edits of a document in some state, by which a merged log shows which edits are new.
public struct KnownEdits: Sendable, Equatable {
  /// How many are known: a merge seldom brings edits that come before so many others.
  private static let most = 128

  fileprivate let ids: [EditID]
  /// Whether the state's last entry is the mark of a merge, which the next merge takes away.
  fileprivate let hasMark: Bool

  /// The newest edits of a content.
  public init(_ content: DocumentContent) { self.init(content.log[...]) }

  /// The newest of these edits, which are the last ones of a state.
  init(_ log: ArraySlice<LoggedEdit>) {
    hasMark = log.last?.isMark ?? false
    ids = log.dropLast(hasMark ? 1 : 0).suffix(Self.most).map(\.id)
  }
}

/// The edits of other programs since a document was in a given state.
public struct ExternalChange: Sendable, Equatable {
  /// Their edits, oldest first, without the marks of merges.
  public let edits: [LoggedEdit]
  /// Whether some of the edits come before edits that were known: copies of the document were merged.
  public let isMerge: Bool
  /// Whether `edits` is complete. If not, the document was replaced by another state of itself, such as a
  /// backup, or its log does not go back far enough; read all of it.
  public let isComplete: Bool
  /// The document's revision in its store, without unsaved edits.
  public let revision: Int

  /// Whether other programs changed the document. False if the difference is a save of the program's own
  /// whose outcome was unknown.
  public var hasChanges: Bool { !isComplete || !edits.isEmpty }

  /// The edits in a stored content's log since the base, except those of the origin (nil excludes none). Nil
  /// if the content is still in the base's state. `known` are the newest edits of the base; without them, a merged document counts as
  /// replaced.
  public init?(
    in content: DocumentContent, since base: DocumentBase, knowing known: KnownEdits? = nil,
    besides origin: Origin?
  ) {
    let found = DocumentBase(content)
    guard found != base else { return nil }
    revision = found.revision
    let later = content.log.drop { $0.revision <= base.revision }
    let isBaseThere =
      base.head == nil
      ? content.log.first?.revision == 1
      : content.log.contains { $0.revision == base.revision && $0.id == base.head }
    let new: [LoggedEdit]?
    if isBaseThere, later.first?.revision == base.revision + 1 {
      (new, isMerge) = (Array(later), false)
    } else {
      new = known?.new(in: content, since: base)
      isMerge = new != nil
    }
    isComplete = new != nil
    edits = new?.filter { $0.id.origin != origin && !$0.isMark } ?? []
  }
}

extension KnownEdits {
  /// The entries that a merge has brought; nil if the content is no merge of the base with others' edits, or not all can be
  /// found.
  fileprivate func new(in content: DocumentContent, since base: DocumentBase) -> [LoggedEdit]? {
    let known = Set(ids)
    guard content.id == base.id, let start = content.log.firstIndex(where: { known.contains($0.id) }) else {
      return nil
    }
    let later = content.log[start...]
    let new = later.filter { !known.contains($0.id) }
    guard later.count - new.count == ids.count,
      content.revision - base.revision == new.count - (hasMark ? 1 : 0)
    else { return nil }
    return new
  }
}
