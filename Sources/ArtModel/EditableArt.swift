// SPDX-License-Identifier: Apache-2.0

/// The read access that planning an edit needs. A document in memory and the rows of an open transaction implement
/// it.
public protocol ArtReading {
  /// The number of edits that the document has had.
  var revision: Int { get }
  /// The size of the picture in pixels.
  var canvas: Canvas { get }
  /// The colour of the canvas; nil for none.
  var fill: Color? { get }
  /// The background picture.
  var background: Background? { get }
  /// The background that is still to be fetched.
  var pending: PendingBackground? { get }
  /// The number of emoji.
  var emojiCount: Int { get }
  /// The emoji with that id; nil without one.
  func emoji(_ id: EmojiID) throws(ArtError) -> Emoji?
  /// The first `limit` emoji by id whose ids begin with the prefix.
  func emojis(prefix: EmojiID.Prefix, limit: Int) throws(ArtError) -> [Emoji]
  /// All emoji, bottom to top.
  func emojisInOrder() throws(ArtError) -> [Emoji]
  /// The captions, in any order. Rows that cannot be captions are not verified.
  func captions() throws(ArtError) -> [Emoji]
  /// The lowest emoji.
  func bottom() throws(ArtError) -> Emoji?
  /// The topmost emoji.
  func top() throws(ArtError) -> Emoji?
  /// The next higher emoji.
  func next(above emoji: Emoji) throws(ArtError) -> Emoji?
  /// Whether the file stores a picture with that digest.
  func holdsPicture(_ digest: String) throws(ArtError) -> Bool
  /// Visits the log, newest edit first, until the body returns false.
  func newestEdits(_ body: (LoggedEdit) throws(ArtError) -> Bool) throws(ArtError)
}

/// A document whose fields can be set.
public protocol EditableArt: ArtReading {
  /// Adds an emoji with an unused id.
  mutating func insert(_ emoji: Emoji) throws(ArtError)
  /// Replaces the values of an existing emoji. `old` has its current values.
  mutating func update(_ old: Emoji, to new: Emoji) throws(ArtError)
  /// Removes an existing emoji.
  mutating func delete(_ emoji: Emoji) throws(ArtError)
  /// Sets the canvas.
  mutating func setCanvas(_ canvas: Canvas) throws(ArtError)
  /// Sets the colour of the canvas.
  mutating func setFill(_ fill: Color?) throws(ArtError)
  /// Sets the background.
  mutating func setBackground(_ background: Background?) throws(ArtError)
  /// Sets the pending background.
  mutating func setPending(_ pending: PendingBackground?) throws(ArtError)
}

// MARK: - Applying changes

/// The result of applying an edit's changes.
public struct AppliedEdit: Sendable {
  /// The changes that had an effect.
  public var changes: [Change] = []
  /// The changes that restore the document as it was.
  public var inverse: [Change] = []
  /// The changes that could not be applied: their emoji is missing, the id of an addition is in use, or a substitute for a
  /// background would be pending beside one.
  public var dropped: [Change] = []
  /// The backgrounds whose bytes are not stored any more. Their changes are among the dropped ones.
  public var lost: [Background] = []
}

extension EditableArt {
  /// Sets the fields that the changes name, in order. A change to the current value has no effect. Throws `tooLarge`
  /// and `badValue` before anything is changed, and what reading and writing throw.
  public mutating func apply(_ changes: [Change]) throws(ArtError) -> AppliedEdit {
    try apply(changes, recordingAll: false)
  }

  /// The same. With `isRecordingAll`, a change to the current value is recorded like one with an effect.
  private mutating func apply(
    _ changes: [Change], recordingAll isRecordingAll: Bool
  ) throws(ArtError) -> AppliedEdit {
    guard changes.count <= Limits.editChanges else { throw .tooManyChanges() }
    for change in changes { try change.checkBounds() }
    try checkCapacity(for: changes)
    var applied = AppliedEdit()
    for change in changes {
      switch try apply(change) {
      case .done(let inverse):
        applied.changes.append(change)
        applied.inverse.append(inverse)
      case .nothingToDo:
        guard isRecordingAll else { continue }
        applied.changes.append(change)
        applied.inverse.append(change)
      case .dropped: applied.dropped.append(change)
      }
    }
    applied.inverse.reverse()
    return applied
  }

  /// Throws `tooLarge` when the changes would exceed the number of emoji of a document.
  private func checkCapacity(for changes: [Change]) throws(ArtError) {
    let added = changes.count { if case .add = $0 { true } else { false } }
    guard added > 0, emojiCount + added > Limits.emojiCount else { return }
    var count = emojiCount
    var present: Set<EmojiID> = []
    for case .existence(let id) in changes.lazy.map(\.field) where try emoji(id) != nil { present.insert(id) }
    for change in changes {
      switch change {
      case .add(let emoji): if present.insert(emoji.id).inserted { count += 1 }
      case .remove(let id): if present.remove(id) != nil { count -= 1 }
      default: break
      }
      guard count <= Limits.emojiCount else { throw .tooManyEmoji() }
    }
  }

  private mutating func apply(_ change: Change) throws(ArtError) -> Outcome {
    switch change {
    case .add(let emoji):
      guard try self.emoji(emoji.id) == nil else { return .dropped }
      try insert(emoji)
      return .done(inverse: .remove(emoji.id))
    case .remove(let id):
      guard let old = try emoji(id) else { return .dropped }
      try delete(old)
      return .done(inverse: .add(old))
    case .set(let id, let value):
      guard let old = try emoji(id) else { return .dropped }
      let before = old[value.field]
      guard before != value else { return .nothingToDo }
      try update(old, to: old.with(value))
      return .done(inverse: .set(id, before))
    case .setCanvas(let new):
      let old = canvas
      guard old != new else { return .nothingToDo }
      try setCanvas(new)
      return .done(inverse: .setCanvas(old))
    case .setFill(let new):
      let old = fill
      guard old != new else { return .nothingToDo }
      try setFill(new)
      return .done(inverse: .setFill(old))
    case .setBackground(let new):
      let old = background
      guard old != new else { return .nothingToDo }
      try setBackground(new)
      return .done(inverse: .setBackground(old))
    case .setPending(let new):
      let old = pending
      guard old != new else { return .nothingToDo }
      try setPending(new)
      return .done(inverse: .setPending(old))
    }
  }
}

private enum Outcome {
  case done(inverse: Change)
  case nothingToDo
  case dropped
}

// MARK: - Backgrounds without stored bytes

// A document stores the bytes of its background and of a few older ones. When an edit, such as an undo, sets a
// background whose bytes are not stored any more, its picture is fetched again:
//
//     the bytes are there          the background is set
//     they are not, it has a URL   no background; the URL is pending, for the reason `undo`, unless another one is
//     they are not, it has none    no background
//
// A pending URL with the reason `undo` is a substitute for that background: once fetched, it becomes the background without a question.
// No edit makes one pending beside a background, which it would replace. Every change of the background removes it. An undo or a redo
// that would set one beside a background leaves nothing pending; any other edit, which may be another program's, drops the change.

extension PendingBackground {
  /// The reason of a pending background that was the background before, and whose bytes are not stored any more.
  public static let undoReason = "undo"

  /// Whether it is a substitute for a background without stored bytes.
  fileprivate var isSubstitute: Bool { reason == Self.undoReason }

  /// The pending background that stands for one without stored bytes; nil if its URL is not known.
  package init?(replacing background: Background, since time: Int) {
    guard let url = background.url else { return nil }
    do throws(ArtError) {
      try self.init(url: url, since: max(0, time), reason: Self.undoReason, anchor: .topLeft)
    } catch {
      // A background's URL and a pending one's have the same bounds.
      return nil
    }
  }
}

extension LoggedEdit {
  /// Whether this undo or redo added or removed a pending URL that stands for a background.
  var setsSubstitute: Bool {
    guard kind.isStep else { return false }
    return (edit.changes + inverse).contains {
      if case .setPending(let pending?) = $0 { pending.isSubstitute } else { false }
    }
  }
}

extension EditableArt {
  /// Applies the changes of an edit. A background whose bytes are not stored is dropped and reported in `lost`, and
  /// its URL becomes pending. `time` is in milliseconds since 1970. Throws what `apply` throws.
  ///
  /// An undo or a redo writes all fields that it names even if their values stay the same: later undos recognize by these changes that
  /// the edit is reverted. An edit whose background became a pending URL writes the background and the pending background: rebased once
  /// more, it still is an edit of the background.
  public mutating func apply(
    _ changes: [Change], of kind: LoggedEdit.Kind = .edit, at time: Int
  ) throws(ArtError) -> AppliedEdit {
    let possible = try possible(changes, of: kind, at: time)
    var applied = try apply(possible.changes, recordingAll: kind.isStep)
    let isSubstituted = !kind.isStep && !possible.lost.isEmpty && !applied.changes.isEmpty
    for change in [Change.setBackground(background), .setPending(pending)] where isSubstituted {
      guard possible.changes.contains(where: { $0.field == change.field }),
        !applied.changes.contains(where: { $0.field == change.field })
      else { continue }
      applied.changes.append(change)
      applied.inverse.insert(change, at: 0)
    }
    applied.lost = possible.lost
    applied.dropped += possible.lost.map { .setBackground($0) } + possible.dropped
    return applied
  }
}

extension EditableArt {
  /// Applies an undo or a redo. What it drops is in a fixed order, so that all programs write the same entry for it. Throws what `apply`
  /// throws.
  public mutating func apply(_ plan: UndoPlan, at time: Int) throws(ArtError) -> AppliedEdit {
    var applied = try apply(plan.changes, of: plan.kind, at: time)
    applied.dropped = Change.sorted(applied.dropped + plan.skipped)
    return applied
  }

  /// Makes an edit again in a merged log. All its changes stay recorded, also those without effect and those whose emoji is gone, which
  /// have no inverse. An addition of an emoji that is there sets its values. Throws what reading and writing throw.
  mutating func reapply(_ changes: [Change]) throws(ArtError) -> AppliedEdit {
    var applied = AppliedEdit(changes: changes)
    for change in changes {
      var singles = [change]
      if case .add(let emoji) = change, try self.emoji(emoji.id) != nil { singles = change.fieldByField }
      for single in singles {
        switch try apply(single) {
        case .done(let inverse): applied.inverse.append(inverse)
        case .nothingToDo: applied.inverse.append(single)
        case .dropped: break
        }
      }
    }
    applied.inverse.reverse()
    return applied
  }
}

/// The changes that can be applied instead of those of an edit.
private struct PossibleChanges {
  var changes: [Change]
  /// The backgrounds whose bytes are not stored.
  var lost: [Background] = []
  /// The substitutes that would be pending beside a background.
  var dropped: [Change] = []
}

extension ArtReading {
  fileprivate func possible(
    _ changes: [Change], of kind: LoggedEdit.Kind, at time: Int
  ) throws(ArtError) -> PossibleChanges {
    // Other edits leave a document as it is that an earlier version saved with a substitute beside its background.
    guard changes.contains(where: { $0.field == .background || $0.field == .pending }) else {
      return PossibleChanges(changes: changes)
    }
    return withoutNeedlessSubstitute(try withSubstitutes(changes, at: time), of: kind)
  }

  /// Makes the URLs of backgrounds pending whose bytes are not stored.
  private func withSubstitutes(_ changes: [Change], at time: Int) throws(ArtError) -> PossibleChanges {
    var possible = PossibleChanges(changes: [])
    var missing: Background?
    var setsBackground = false
    for change in changes {
      guard case .setBackground(let background) = change else {
        possible.changes.append(change)
        continue
      }
      setsBackground = true
      missing = nil
      if let background, background.digest != self.background?.digest, try !holdsPicture(background.digest) {
        missing = background
        possible.lost.append(background)
      }
      possible.changes.append(.setBackground(missing == nil ? background : nil))
    }
    guard setsBackground else { return possible }
    let isPendingSet = changes.contains { $0.field == .pending }
    let isSubstituted = !isPendingSet && pending?.isSubstitute == true
    if isSubstituted || pendingAfter(changes) == nil {
      let substitute = missing.flatMap { PendingBackground(replacing: $0, since: time) }
      if isSubstituted || substitute != nil {
        // In place of an earlier change of the field: an edit of all fields must not grow beyond its bound.
        possible.changes.removeAll { $0.field == .pending }
        possible.changes.append(.setPending(substitute))
      }
    }
    return possible
  }

  /// Drops a substitute if there is a background after the changes.
  private func withoutNeedlessSubstitute(
    _ possible: PossibleChanges, of kind: LoggedEdit.Kind
  ) -> PossibleChanges {
    guard backgroundAfter(possible.changes) != nil, pendingAfter(possible.changes)?.isSubstitute == true
    else { return possible }
    var possible = possible
    possible.dropped = possible.changes.filter { $0.field == .pending }
    possible.changes.removeAll { $0.field == .pending }
    if kind.isStep || pending?.isSubstitute == true { possible.changes.append(.setPending(nil)) }
    return possible
  }

  private func backgroundAfter(_ changes: [Change]) -> Background? {
    for case .setBackground(let background) in changes.reversed() { return background }
    return background
  }

  private func pendingAfter(_ changes: [Change]) -> PendingBackground? {
    for case .setPending(let pending) in changes.reversed() { return pending }
    return pending
  }

  /// The digests of pictures that were backgrounds, according to the log, the latest one first. Stops when all of
  /// `wanted` are found.
  public func recentPictures(among wanted: Set<String>) throws(ArtError) -> [String] {
    var missing = wanted
    var found: [String] = []
    func record(_ background: Background?) {
      if let digest = background?.digest, missing.remove(digest) != nil { found.append(digest) }
    }
    record(background)
    try newestEdits { (entry) throws(ArtError) in
      for case .setBackground(let background) in entry.edit.changes.reversed() { record(background) }
      for case .setBackground(let background) in entry.inverse { record(background) }
      return !missing.isEmpty
    }
    return found
  }
}
