// SPDX-License-Identifier: Apache-2.0

/// What the edits of a program that is gone come to, on a document that others may have edited since.
///
/// A change is made where its field is as the edit found it, which the edit's inverse tells. Elsewhere somebody has
/// set it since: what stands there stays, and the change is among the dropped ones, with all later ones of that field.
public struct RestorePlan: Sendable {
  /// What is to be done, as one edit: for each field the last value, not every step.
  public let edit: Edit
  /// What was left out: for each field the last value, not every step.
  public let dropped: [Change]
  /// The document after it, without an entry in its log.
  public let content: DocumentContent

  /// A plan for entries in their order. Throws `tooLarge`.
  public init(_ entries: [LoggedEdit], on start: DocumentContent) throws(ArtError) {
    var replay = Replay(content: start)
    for entry in entries { try replay.make(entry) }
    // Somebody may have set backgrounds since: then the bytes of this one are not kept.
    var content = start
    let applied = try content.apply(replay.changes(since: start), at: entries.last?.time ?? 0)
    edit = Edit(name: Self.name(entries.count), changes: applied.changes)
    dropped = replay.lost.compactMap { replay.dropped[$0] } + applied.dropped
    self.content = content
  }

  /// What the edit is called: `restore 12 edits`.
  public static func name(_ count: Int) -> String { count == 1 ? "restore 1 edit" : "restore \(count) edits" }

  private struct Replay {
    var content: DocumentContent
    var dropped: [Field: Change] = [:]
    /// The fields of what was left out, in their order.
    var lost: [Field] = []
    /// Fields that somebody else has set.
    private var foreign: Set<Field> = []
    private var touched: Set<EmojiID> = []
    private var order: [EmojiID] = []

    init(content: DocumentContent) { self.content = content }

    mutating func make(_ entry: LoggedEdit) throws(ArtError) {
      for (change, inverse) in zip(entry.edit.changes, entry.inverse.reversed()) {
        guard !isForeign(change.field), content.has(inverse), try content.apply([change]).dropped.isEmpty
        else {
          foreign.insert(change.field)
          if !content.has(change), dropped.updateValue(change, forKey: change.field) == nil {
            lost.append(change.field)
          }
          continue
        }
        if let id = change.field.emoji, touched.insert(id).inserted { order.append(id) }
      }
    }

    /// With an emoji's existence all its fields are somebody else's, and with any of them its existence.
    private func isForeign(_ field: Field) -> Bool {
      guard let id = field.emoji else { return foreign.contains(field) }
      if case .existence = field {
        return [field, .position(id), .size(id), .text(id), .order(id)].contains(where: foreign.contains)
      }
      return foreign.contains(field) || foreign.contains(.existence(id))
    }

    /// What is different now.
    func changes(since start: DocumentContent) -> [Change] {
      var changes: [Change] = []
      for id in order {
        switch (start.emoji(id), content.emoji(id)) {
        case (nil, let new?): changes.append(.add(new))
        case (_?, nil): changes.append(.remove(id))
        case (let old?, let new?): changes += Change.add(new).fieldByField.filter { !$0.isSo(of: old) }
        case (nil, nil): break
        }
      }
      if content.canvas != start.canvas { changes.append(.setCanvas(content.canvas)) }
      if content.background != start.background { changes.append(.setBackground(content.background)) }
      if content.pending != start.pending { changes.append(.setPending(content.pending)) }
      return changes
    }
  }
}

extension DocumentContent {
  /// Whether the document is as it would be after the change.
  fileprivate func has(_ change: Change) -> Bool {
    switch change {
    case .remove(let id): emoji(id) == nil
    case .setCanvas(let canvas): self.canvas == canvas
    case .setBackground(let background): self.background == background
    case .setPending(let pending): self.pending == pending
    case .add, .move, .resize, .setText, .order:
      change.field.emoji.flatMap { emoji($0) }.map(change.isSo) ?? false
    }
  }
}
