// SPDX-License-Identifier: Apache-2.0

// A background is in a document only with its bytes, and the bytes of older ones are not kept for ever. An edit that goes back
// to one of those, as an undo does, has the picture fetched again:
//
//     the bytes are there          the background is set
//     they are not, it has a URL   no background; the URL is pending, for the reason `undo`, unless another one is
//     they are not, it has none    no background
//
// A URL that is pending for that reason stands for the background: whatever sets the background takes it away.

extension PendingBackground {
  /// The reason of one that was the background, whose bytes were not kept.
  public static let undoReason = "undo"

  /// What stands for a background whose bytes are not kept; nil where nobody knows where it came from.
  package init?(insteadOf background: Background, since time: Int) {
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
  /// Whether an undo or a redo has made a URL pending that stands for the background, or has taken one away.
  var setsStandIn: Bool {
    guard kind != .edit else { return false }
    return (edit.changes + inverse).contains {
      if case .setPending(let pending?) = $0 { pending.reason == PendingBackground.undoReason } else { false }
    }
  }
}

extension LoggedEdit.Kind {
  /// The entry that it takes back.
  var names: EditID? {
    switch self {
    case .edit: nil
    case .undo(let named), .redo(let named): named
    }
  }
}

extension EditableArt {
  /// Sets the fields that the changes name, but for a background whose bytes are not kept: that is among the lost and the dropped
  /// ones, and its URL becomes pending. `time` is in milliseconds since 1970. Throws what `apply` throws.
  ///
  /// An undo or a redo that would have set the background has written the field, even where none is there before and after it:
  /// those that come after it see by that that its edit is taken back.
  public mutating func apply(
    _ changes: [Change], of kind: LoggedEdit.Kind = .edit, at time: Int
  ) throws(ArtError) -> AppliedEdit {
    let (possible, lost) = try possible(changes, at: time)
    var applied = try apply(possible)
    let isSet = applied.changes.contains { $0.field == .background }
    if kind != .edit, !isSet, possible.contains(where: { $0.field == .background }) {
      applied.changes.append(.setBackground(background))
      applied.inverse.insert(.setBackground(background), at: 0)
    }
    applied.lost = lost
    applied.dropped += lost.map { .setBackground($0) }
    return applied
  }
}

extension ArtReading {
  /// The changes that can be made instead, and the backgrounds whose bytes are not kept.
  fileprivate func possible(
    _ changes: [Change], at time: Int
  ) throws(ArtError) -> (changes: [Change], lost: [Background]) {
    var possible: [Change] = []
    var lost: [Background] = []
    var missing: Background?
    var setsBackground = false
    for change in changes {
      guard case .setBackground(let background) = change else {
        possible.append(change)
        continue
      }
      setsBackground = true
      missing = nil
      if let background, background.digest != self.background?.digest, try !holdsPicture(background.digest) {
        missing = background
        lost.append(background)
      }
      possible.append(.setBackground(missing == nil ? background : nil))
    }
    guard setsBackground else { return (changes, []) }
    let isPendingSet = changes.contains { $0.field == .pending }
    let standsIn = !isPendingSet && pending?.reason == PendingBackground.undoReason
    if standsIn || pendingAfter(changes) == nil {
      let instead = missing.flatMap { PendingBackground(insteadOf: $0, since: time) }
      if standsIn || instead != nil { possible.append(.setPending(instead)) }
    }
    return (possible, lost)
  }

  private func pendingAfter(_ changes: [Change]) -> PendingBackground? {
    for case .setPending(let pending) in changes.reversed() { return pending }
    return pending
  }

  /// The digests of the pictures that were backgrounds, as the log has them: the last one first. Ends when all of `wanted` were
  /// found.
  public func recentPictures(among wanted: Set<String>) throws(ArtError) -> [String] {
    var missing = wanted
    var found: [String] = []
    func see(_ background: Background?) {
      if let digest = background?.digest, missing.remove(digest) != nil { found.append(digest) }
    }
    see(background)
    try newestEdits { (entry) throws(ArtError) in
      for case .setBackground(let background) in entry.edit.changes.reversed() { see(background) }
      for case .setBackground(let background) in entry.inverse { see(background) }
      return !missing.isEmpty
    }
    return found
  }
}
