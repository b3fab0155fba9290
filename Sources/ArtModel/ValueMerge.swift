// SPDX-License-Identifier: Apache-2.0

/// The art of two copies whose logs do not reach back to a common state, compared value by value. Only a person may ask for it.
///
///     first  ── … ? … ──┬── edits ──       The edits after the place where the logs part are merged as always.
///     second ── log ────┴── edits ──       Before that, one log may say what was changed; what it does not say is a doubt.
///
/// - What the log that reaches back further says: its copy has the newer value if the other one has a value from before, and the older value if
///   the log has no change of it. Unless that log reaches back to the document's beginning, the latter is a doubt, too: both may have changed it
///   before.
/// - An emoji that only one copy has stays, unless that log says that it was removed with values that it had.
/// - Where no log says anything, the copy with the longer history has the value.
struct ValueMerge {
  /// The art before the edits that are merged as always.
  private(set) var start: DocumentContent
  /// What no log could decide, by emoji.
  private(set) var doubts: [MergeReport.Doubt] = []
  /// Whether the first copy has the longer history.
  let prefersFirst: Bool
  private let log: EarlierWrites

  /// Compares two copies, each taken back to where the logs part. Throws what applying changes throws.
  init(_ mine: MergeSide, _ theirs: MergeSide, _ earlier: EarlierWrites) throws(ArtError) {
    prefersFirst = Self.isLonger(mine, than: theirs)
    let (first, second) = (mine.start, theirs.start)
    start = prefersFirst ? first : second
    log = earlier
    for change in documentChanges(first, second) { _ = try start.apply([change]) }
    let ids = Set(first.unorderedEmojis.lazy.map(\.id)).union(second.unorderedEmojis.lazy.map(\.id))
    for id in ids.sorted() {
      for change in changes(first.emoji(id), second.emoji(id)) { _ = try start.apply([change]) }
    }
    start.clearLog()
    start.cutLog(at: max(first.revision, second.revision), head: nil)
  }

  /// Whether a copy has the longer history; of two equally long ones the choice is the same for whoever merges them.
  private static func isLonger(_ first: MergeSide, than second: MergeSide) -> Bool {
    for (mine, theirs) in [(first.whole, second.whole), (first.start, second.start)] {
      guard mine.revision == theirs.revision else { return mine.revision > theirs.revision }
    }
    return !first.start.bytesOfArt.lexicographicallyPrecedes(second.start.bytesOfArt)
  }

  /// The changes that give the document's own fields their values.
  private mutating func documentChanges(_ first: DocumentContent, _ second: DocumentContent) -> [Change] {
    zip(first.ownFields, second.ownFields).compactMap { pick($0, $1) }
  }

  /// The changes that give an emoji its values.
  private mutating func changes(_ first: Emoji?, _ second: Emoji?) -> [Change] {
    guard let first, let second else {
      guard let emoji = first ?? second else { return [] }
      return presence(of: emoji, isInFirst: first != nil).map { [$0] } ?? []
    }
    guard first != second else { return [] }
    return EmojiField.allCases.compactMap { field in
      pick(.set(first.id, first[field]), .set(second.id, second[field]))
    }
  }

  /// The change that gives a field its value; nil if the start has it.
  private mutating func pick(_ first: Change, _ second: Change) -> Change? {
    guard first != second else { return nil }
    let verdict = log.verdict(first, second)
    let isFirst = verdict?.isFirst ?? prefersFirst
    if verdict?.isSure != true {
      doubts.append(MergeReport.Doubt(kept: isFirst ? first : second, other: isFirst ? second : first))
    }
    return isFirst == prefersFirst ? nil : isFirst ? first : second
  }

  /// The change that adds or removes an emoji which one copy has; nil if the start is right.
  private mutating func presence(of emoji: Emoji, isInFirst: Bool) -> Change? {
    let isThere = isInFirst == prefersFirst
    if log.hasRemoved(emoji, isInFirst: isInFirst) { return isThere ? .remove(emoji.id) : nil }
    if !log.hasAdded(emoji, isInFirst: isInFirst) {
      doubts.append(MergeReport.Doubt(kept: .add(emoji), other: nil))
    }
    return isThere ? nil : .add(emoji)
  }
}

/// What the log of one copy says about the time before both logs begin.
struct EarlierWrites {
  struct Verdict {
    /// Whether the value of the first copy counts.
    let isFirst: Bool
    /// Whether the log leaves no doubt.
    let isSure: Bool
  }

  private let isOfFirst: Bool
  /// Whether it has all edits of its copy since the document was made.
  private let isWhole: Bool
  /// The values that fields had before; nil without a log.
  private let before: [Field: Set<Change>]?

  init(_ log: some Collection<LoggedEdit>, isOfFirst: Bool) {
    self.isOfFirst = isOfFirst
    isWhole = log.first?.revision == 1
    guard !log.isEmpty else {
      before = nil
      return
    }
    var before: [Field: Set<Change>] = [:]
    for change in log.lazy.flatMap(\.inverse) { before[change.field, default: []].insert(change) }
    self.before = before
  }

  /// Which value counts; nil if the log does not say it.
  func verdict(_ first: Change, _ second: Change) -> Verdict? {
    guard let before else { return nil }
    guard let old = before[first.field] else { return Verdict(isFirst: !isOfFirst, isSure: isWhole) }
    return old.contains(isOfFirst ? second : first) ? Verdict(isFirst: isOfFirst, isSure: true) : nil
  }

  /// Whether the log says that an emoji of the other copy was removed, with values that it had.
  func hasRemoved(_ emoji: Emoji, isInFirst: Bool) -> Bool {
    guard isInFirst != isOfFirst, let old = before?[.existence(emoji.id)] else { return false }
    return old.contains { change in
      guard case .add(let removed) = change else { return false }
      return EmojiField.allCases.allSatisfy { field in
        let value = emoji[field]
        return removed[field] == value
          || before?[.value(emoji.id, field)]?.contains(.set(emoji.id, value)) ?? false
      }
    }
  }

  /// Whether the log says that an emoji of its copy was added.
  func hasAdded(_ emoji: Emoji, isInFirst: Bool) -> Bool {
    isInFirst == isOfFirst && before?[.existence(emoji.id)]?.contains(.remove(emoji.id)) ?? false
  }
}

extension DocumentContent {
  /// The fields of the document itself, as changes that set them; always in the same order.
  fileprivate var ownFields: [Change] {
    [.setCanvas(canvas), .setFill(fill), .setBackground(background), .setPending(pending)]
  }

  fileprivate var bytesOfArt: [UInt8] {
    var (writer, bytes) = (JSONWriter(), [UInt8]())
    write(to: &writer, withZ: true) { bytes += $0 }
    return bytes + writer.bytes
  }
}
