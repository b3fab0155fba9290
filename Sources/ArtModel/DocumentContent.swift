// SPDX-License-Identifier: Apache-2.0

/// A whole document in memory: its visible content, and the log of edits that led to it.
///
/// Invariants: every emoji is in `emojis` once and in `order` once; `order` is sorted by (z, id); the log is sorted
/// by revision, and its last entry is the head.
public struct DocumentContent: Sendable {
  /// The document's identity. A copy of the file has the same one.
  public let id: DocumentID
  /// The size of the picture in pixels.
  public private(set) var canvas: Canvas
  /// The colour of the canvas; nil for none.
  public private(set) var fill: Color?
  /// The background picture.
  public private(set) var background: Background?
  /// The background that is still to be fetched.
  public private(set) var pending: PendingBackground?
  /// The digests of the pictures stored in the document's file, as far as known. They do not count for equality.
  public private(set) var pictures: Set<String>
  /// The log, oldest edit first.
  public private(set) var log: [LoggedEdit]
  /// The bytes of each entry of the log, as far as they were counted.
  private var logSizes: [Int?]
  /// The number of edits that the document has had.
  public private(set) var revision: Int
  /// The last edit. Revision and head together name a state.
  public private(set) var head: EditID?
  private var emojis: EmojiTable
  private var order: [OrderKey]

  /// An empty document.
  public init(id: DocumentID, canvas: Canvas) {
    self.id = id
    self.canvas = canvas
    pictures = []
    log = []
    logSizes = []
    revision = 0
    emojis = EmojiTable()
    order = []
  }

  /// Content with these values, emoji in any order; nil if two emoji have the same id.
  public init?(
    id: DocumentID, canvas: Canvas, fill: Color? = nil, background: Background? = nil,
    pending: PendingBackground? = nil,
    emojis: [Emoji] = [], log: [LoggedEdit] = [], revision: Int = 0, head: EditID? = nil,
    pictures: Set<String> = []
  ) {
    self.id = id
    self.canvas = canvas
    self.fill = fill
    self.background = background
    self.pending = pending
    self.pictures = pictures
    self.log = log
    logSizes = Array(repeating: nil, count: log.count)
    self.revision = revision
    self.head = head
    guard let table = EmojiTable(emojis) else { return nil }
    self.emojis = table
    order = emojis.map(OrderKey.init).sorted()
    checkInvariants()
  }

  /// Appends the log entry of an edit whose changes are already applied.
  public mutating func append(_ entry: LoggedEdit) {
    log.append(entry)
    logSizes.append(nil)
    revision = entry.revision
    head = entry.id
  }

  /// Counts edits whose changes are already applied and which are too old for the log.
  mutating func skip(_ count: Int) { revision += count }

  /// Reverts entries at the end of the log, as if they had never been made. `head` was the last edit before them.
  public mutating func revert(_ entries: ArraySlice<LoggedEdit>, to head: EditID?) {
    for entry in entries.reversed() {
      // Applying an inverse cannot fail: it restores values that were valid.
      do throws(ArtError) { _ = try apply(entry.inverse) } catch { assertionFailure(error.cause) }
    }
    log.removeLast(entries.count)
    logSizes.removeLast(entries.count)
    revision -= entries.count
    self.head = head
  }

  /// Marks the entries after revision `first` and up to `last` as part of one save.
  public mutating func markSaved(after first: Int, upTo last: Int, save: Int) {
    for index in log.indices.reversed() {
      guard log[index].revision > first else { return }
      if log[index].revision <= last, log[index].save != save { log[index] = log[index].marked(save: save) }
    }
  }

  /// Cuts the log as a save cuts that of a file. The newest entry always stays.
  package mutating func trimLog(_ budget: LogBudget = LogBudget()) {
    // What leaves by its age need not be counted.
    var count = log.prefix { budget.isLeaving($0.revision, at: revision, of: 0) }.count
    var total = 0
    for index in log.indices.dropFirst(count) {
      let bytes = logSizes[index] ?? log[index].logBytes
      logSizes[index] = bytes
      total += bytes
    }
    while count < log.count, budget.isLeaving(log[count].revision, at: revision, of: total) {
      total -= logSizes[count] ?? 0
      count += 1
    }
    log.removeFirst(count)
    logSizes.removeFirst(count)
  }

  /// Cuts the log behind a revision, which becomes the present one. `head` is its edit.
  mutating func cutLog(at revision: Int, head: EditID?) {
    log = Array(log.prefix { $0.revision <= revision })
    logSizes.removeLast(logSizes.count - log.count)
    self.revision = revision
    self.head = head
  }

  /// Adds earlier entries to the log.
  package mutating func prepend(_ entries: [LoggedEdit]) {
    log = entries + log
    logSizes = Array(repeating: nil, count: entries.count) + logSizes
  }

  /// Removes all entries of the log.
  package mutating func clearLog() { (log, logSizes) = ([], []) }

  private struct OrderKey: Comparable, Sendable {
    let z: Int
    let id: EmojiID

    init(_ emoji: Emoji) {
      z = emoji.z
      id = emoji.id
    }

    static func < (left: OrderKey, right: OrderKey) -> Bool { (left.z, left.id) < (right.z, right.id) }
  }

  /// The index of a key in the order, or the index at which it would be inserted.
  private func index(of key: OrderKey) -> Int {
    if let last = order.last, last < key { return order.count }
    var low = 0
    var high = order.count
    while low < high {
      let middle = (low + high) / 2
      if order[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Stops a debug build when an invariant does not hold.
  func checkInvariants() {
    assert(emojis.count == order.count, "every emoji has one key")
    assert(order.allSatisfy { emojis[$0.id]?.z == $0.z }, "every key is its emoji's")
    assert(zip(order, order.dropFirst()).allSatisfy { $0 < $1 }, "keys ascend")
  }
}

// MARK: - Equality

extension DocumentContent: Equatable {
  /// Whether both are the same document in the same state. The stored pictures are ignored.
  public static func == (left: DocumentContent, right: DocumentContent) -> Bool {
    left.id == right.id && (left.revision, left.head) == (right.revision, right.head)
      && left.hasSameArt(as: right) && left.log == right.log
  }
}

extension DocumentContent {
  /// Whether both have the same art, whatever their logs are.
  func hasSameArt(as other: DocumentContent) -> Bool {
    (canvas, fill, background, pending) == (other.canvas, other.fill, other.background, other.pending)
      && order == other.order && emojis == other.emojis
  }
}

// MARK: - Reading and editing

extension DocumentContent: EditableArt {
  /// The number of emoji.
  public var emojiCount: Int { order.count }

  /// The emoji with that id; nil without one.
  public func emoji(_ id: EmojiID) -> Emoji? { emojis[id] }

  /// The first `limit` emoji by id whose ids begin with the prefix.
  public func emojis(prefix: EmojiID.Prefix, limit: Int) -> [Emoji] {
    if prefix.length == EmojiID.length { return emoji(prefix.range.lowerBound).map { [$0] } ?? [] }
    return Array(emojis.values.filter { prefix.matches($0.id) }.sorted { $0.id < $1.id }.prefix(limit))
  }

  /// The index in `emojisInOrder()` of an emoji with that id and z; nil without one.
  public func orderIndex(of emoji: Emoji) -> Int? {
    let (key, index) = (OrderKey(emoji), index(of: OrderKey(emoji)))
    return index < order.count && order[index] == key ? index : nil
  }

  /// All emoji, bottom to top.
  public func emojisInOrder() -> [Emoji] { order.compactMap { emojis[$0.id] } }

  /// How much is on the canvas, in words: `no emoji`, `3 emoji`, `1 caption`, `3 emoji, 2 captions`.
  package var countText: String {
    let captions = captions().count
    let words = captions == 1 ? "1 caption" : "\(captions) captions"
    switch (emojiCount - captions, captions) {
    case (0, 0): return "no emoji"
    case (0, _): return words
    case (let emojis, 0): return "\(emojis) emoji"
    case (let emojis, _): return "\(emojis) emoji, \(words)"
    }
  }

  /// The captions, in any order.
  public func captions() -> [Emoji] { emojis.values.filter(\.text.isCaption) }

  /// All emoji in any order.
  package var unorderedEmojis: some Sequence<Emoji> { emojis.values }

  /// The lowest emoji.
  public func bottom() -> Emoji? { order.first.flatMap { emojis[$0.id] } }

  /// The topmost emoji.
  public func top() -> Emoji? { order.last.flatMap { emojis[$0.id] } }

  /// The next higher emoji.
  public func next(above emoji: Emoji) -> Emoji? {
    let key = OrderKey(emoji)
    var index = index(of: key)
    if index < order.count, order[index] == key { index += 1 }
    return index < order.count ? emojis[order[index].id] : nil
  }

  /// Whether the file stores a picture with that digest, as far as known.
  public func holdsPicture(_ digest: String) -> Bool { pictures.contains(digest) }

  /// Notes which pictures the file stores.
  public mutating func setPictures(_ digests: Set<String>) { pictures = digests }

  /// Visits the log, newest edit first, until the body returns false.
  public func newestEdits(_ body: (LoggedEdit) throws(ArtError) -> Bool) throws(ArtError) {
    // By index: an iterator would copy each entry.
    for index in log.indices.reversed() where try !body(log[index]) { return }
  }

  /// Adds an emoji with an unused id.
  public mutating func insert(_ emoji: Emoji) {
    emojis[emoji.id] = emoji
    let key = OrderKey(emoji)
    order.insert(key, at: index(of: key))
  }

  /// Replaces the values of an existing emoji.
  public mutating func update(_ old: Emoji, to new: Emoji) {
    emojis[new.id] = new
    guard old.z != new.z else { return }
    order.remove(at: index(of: OrderKey(old)))
    order.insert(OrderKey(new), at: index(of: OrderKey(new)))
  }

  /// Removes an existing emoji.
  public mutating func delete(_ emoji: Emoji) {
    emojis[emoji.id] = nil
    order.remove(at: index(of: OrderKey(emoji)))
  }

  /// Gives many emoji other values at once; nil removes one. The time is proportional to all emoji, however many get another place in the
  /// order, where `insert`, `update` and `delete` move all keys above for each.
  mutating func replace(_ values: some Sequence<(id: EmojiID, then: Emoji?)>) {
    var moved: Set<EmojiID> = []
    var keys: [OrderKey] = []
    for (id, new) in values {
      let old = emojis[id]
      if old?.z != new?.z {
        if old != nil { moved.insert(id) }
        if let new { keys.append(OrderKey(new)) }
      }
      emojis[id] = new
    }
    if !moved.isEmpty { order.removeAll { moved.contains($0.id) } }
    guard !keys.isEmpty else { return }
    // Two ascending runs, which sorting merges.
    keys.sort()
    order += keys
    order.sort()
  }

  /// Sets the canvas.
  public mutating func setCanvas(_ canvas: Canvas) { self.canvas = canvas }

  /// Sets the colour of the canvas.
  public mutating func setFill(_ fill: Color?) { self.fill = fill }

  /// Sets the background.
  public mutating func setBackground(_ background: Background?) { self.background = background }

  /// Sets the pending background.
  public mutating func setPending(_ pending: PendingBackground?) { self.pending = pending }
}

// MARK: - JSON

extension DocumentContent {
  /// Writes the JSON of the view `document`, in pieces of about 64 KiB. `show --json` prints it with redacted URLs.
  ///
  /// `picture` is written as base64 into the background's member `data`, as `export` does.
  public func writeJSON(
    picture: [UInt8]? = nil, urls: URLForm = .whole, to sink: ([UInt8]) throws(ArtError) -> Void
  ) throws(ArtError) {
    var writer = JSONWriter(reserving: 1 << 17, urls: urls)
    try write(to: &writer, picture: picture, emptying: sink)
    try sink(writer.bytes)
  }

  /// Writes the document as a value within other JSON. Each time the writer holds about 64 KiB, the sink gets them
  /// and the writer is emptied; the last piece stays in it. With `withZ` each emoji has its z-order value, which a
  /// client needs to apply effects.
  public func write<Failure>(
    to writer: inout JSONWriter, picture: [UInt8]? = nil, withZ: Bool = false,
    emptying sink: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    try writer.object { (writer) throws(Failure) in
      writer.key("background")
      if let background, let picture {
        try background.write(to: &writer, picture: picture, emptying: sink)
      } else if let background {
        background.write(to: &writer)
      } else {
        writer.null()
      }
      writer.key("canvas")
      canvas.write(to: &writer, fill: fill)
      writer.key("emojis")
      try writer.array { (writer) throws(Failure) in
        for key in order {
          emojis[key.id]?.write(to: &writer, withZ: withZ)
          guard writer.bytes.count >= 1 << 16 else { continue }
          try sink(writer.bytes)
          writer.removeAll()
        }
      }
      if let pending {
        writer.key("pending")
        pending.write(to: &writer)
      }
      writer.key("revision")
      writer.integer(revision)
    }
  }
}
