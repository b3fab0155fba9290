// SPDX-License-Identifier: Apache-2.0

/// Several undos or redos in one go, on a document's rows or in memory: each step is an edit of its own.
public struct UndoRun: Sendable {
  /// What a step came to on the document.
  public struct Step: Sendable {
    /// The step's own entry in the log.
    public let entry: LoggedEdit
    /// How many changes stay as they are, because later edits were about the same.
    public let left: Int
    /// Backgrounds that would be back if their bytes were still kept.
    public let lost: [Background]

    /// A step.
    public init(entry: LoggedEdit, left: Int, lost: [Background]) {
      (self.entry, self.left, self.lost) = (entry, left, lost)
    }
  }

  /// A background that would be back if its bytes were still kept.
  public struct LostBackground: Sendable, Hashable {
    /// The background.
    public let background: Background
    /// Whether its URL is pending again.
    public let isPending: Bool

    /// One that was lost in a document where that is pending now.
    public init(_ background: Background, pending: PendingBackground?) {
      self.background = background
      isPending = background.url != nil && pending?.url == background.url
    }
  }

  /// The entries of the steps, oldest first; never empty.
  public private(set) var entries: [LoggedEdit] = []
  /// How many changes stay as they are, because later edits were about the same.
  public private(set) var left = 0
  /// Backgrounds that would be back if their bytes were still kept, oldest step first.
  public private(set) var lost: [LostBackground] = []

  /// Goes up to `count` steps, at least one: `next` plans a step, nil where nothing is left, and `perform` does it on the document, nil
  /// where that is not possible; `pending` is what is pending in the document after it. Returns nil when nothing was done. Throws
  /// what these throw.
  public init?(
    _ count: Int, next: () throws(ArtError) -> UndoPlan?, perform: (UndoPlan) throws(ArtError) -> Step?,
    pending: () -> PendingBackground?
  ) throws(ArtError) {
    while entries.count < max(1, count), let plan = try next(), let step = try perform(plan) {
      entries.append(step.entry)
      left += step.left
      lost += step.lost.map { LostBackground($0, pending: pending()) }
    }
    if entries.isEmpty { return nil }
  }
}
