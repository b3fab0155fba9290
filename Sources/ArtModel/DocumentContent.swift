// SPDX-License-Identifier: Apache-2.0

/// A whole document in memory: what people see, and the log of edits that led there.
///
/// Every emoji stands once in `emojis` and once in `order`, which is sorted by (z, id). The log is sorted by
/// revision, and its last entry is the document's head.
public struct DocumentContent: Sendable {
  /// The document's own name for itself: a copy of the file has the same one.
  public let id: DocumentID
  /// The size of the picture.
  public private(set) var canvas: Canvas
  /// The picture.
  public private(set) var background: Background?
  /// The picture that is still to come.
  public private(set) var pending: PendingBackground?
  /// The digests of the pictures that the document's file holds, as far as is known. They are not part of what the document is.
  public private(set) var pictures: Set<String>
  /// The edits kept, oldest first.
  public private(set) var log: [LoggedEdit]
  /// The count of edits that the document has seen.
  public private(set) var revision: Int
  /// The last edit; together with the revision it names the document's state.
  public private(set) var head: EditID?
  private var emojis: [EmojiID: Emoji]
  private var order: [Place]

  /// A new document without anything on it.
  public init(id: DocumentID, canvas: Canvas) {
    self.id = id
    self.canvas = canvas
    pictures = []
    log = []
    revision = 0
    emojis = [:]
    order = []
  }

  /// Content of these values, emoji in any order; nil when two emoji have one id.
  public init?(
    id: DocumentID, canvas: Canvas, background: Background? = nil, pending: PendingBackground? = nil,
    emojis: [Emoji] = [], log: [LoggedEdit] = [], revision: Int = 0, head: EditID? = nil,
    pictures: Set<String> = []
  ) {
    self.id = id
    self.canvas = canvas
    self.background = background
    self.pending = pending
    self.pictures = pictures
    self.log = log
    self.revision = revision
    self.head = head
    self.emojis = Dictionary(emojis.lazy.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    order = emojis.map(Place.init).sorted()
    guard self.emojis.count == order.count else { return nil }
    checkInvariants()
  }

  /// Takes an entry that has been applied into the log.
  public mutating func append(_ entry: LoggedEdit) {
    log.append(entry)
    revision = entry.revision
    head = entry.id
  }

  /// Goes past edits that have been applied and are too old for the log.
  mutating func pass(_ count: Int) { revision += count }

  /// Takes back entries from the end of the log, as if they had never been made: `head` was the last edit before them.
  public mutating func takeBack(_ entries: ArraySlice<LoggedEdit>, to head: EditID?) {
    for entry in entries.reversed() {
      // An inverse sets what was there before: no bound keeps it from that.
      do throws(ArtError) { _ = try apply(entry.inverse) } catch { assertionFailure(error.cause) }
    }
    log.removeLast(entries.count)
    revision -= entries.count
    self.head = head
  }

  /// The entries after one revision and up to another came with that save.
  public mutating func markSaved(after first: Int, upTo last: Int, save: Int) {
    for index in log.indices.reversed() {
      guard log[index].revision > first else { return }
      if log[index].revision <= last, log[index].save != save { log[index] = log[index].marked(save: save) }
    }
  }

  /// Cuts the log to its newest entries, `entries` at most, with that many changes and inverses in all; the newest
  /// stays whatever its size. A file does the same by bytes.
  public mutating func trimLog(entries: Int, changes: Int) {
    var room = changes
    var kept = 0
    for entry in log.reversed() {
      room -= entry.edit.changes.count + entry.inverse.count + entry.dropped.count
      guard kept == 0 || (kept < entries && room >= 0) else { break }
      kept += 1
    }
    log.removeFirst(log.count - kept)
  }

  private struct Place: Comparable, Sendable {
    let z: Int
    let id: EmojiID

    init(_ emoji: Emoji) {
      z = emoji.z
      id = emoji.id
    }

    static func < (left: Place, right: Place) -> Bool { (left.z, left.id) < (right.z, right.id) }
  }

  /// Where a place stands or would stand in the order.
  private func index(of place: Place) -> Int {
    if let last = order.last, last < place { return order.count }
    var low = 0
    var high = order.count
    while low < high {
      let middle = (low + high) / 2
      if order[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Stops a debug build when a promise of this type does not hold.
  func checkInvariants() {
    assert(emojis.count == order.count, "every emoji has one place")
    assert(order.allSatisfy { emojis[$0.id]?.z == $0.z }, "every place is its emoji's")
    assert(zip(order, order.dropFirst()).allSatisfy { $0 < $1 }, "places ascend")
  }
}

extension DocumentContent: Equatable {
  /// Whether both are the same document in the same state, whatever pictures their files hold.
  public static func == (left: DocumentContent, right: DocumentContent) -> Bool {
    (left.id, left.canvas, left.background, left.pending) == (
      right.id, right.canvas, right.background, right.pending
    )
      && (left.revision, left.head) == (right.revision, right.head) && left.order == right.order
      && left.emojis == right.emojis && left.log == right.log
  }
}

extension DocumentContent: EditableArt {
  /// How many emoji there are.
  public var emojiCount: Int { order.count }

  /// The emoji of that id.
  public func emoji(_ id: EmojiID) -> Emoji? { emojis[id] }

  /// The first `limit` emoji, by id, whose ids begin so.
  public func emojis(prefix: EmojiID.Prefix, limit: Int) -> [Emoji] {
    if prefix.length == EmojiID.length { return emoji(prefix.range.lowerBound).map { [$0] } ?? [] }
    return Array(emojis.values.filter { prefix.matches($0.id) }.sorted { $0.id < $1.id }.prefix(limit))
  }

  /// All emoji, bottom to top.
  public func emojisInOrder() -> [Emoji] { order.compactMap { emojis[$0.id] } }

  /// The emoji at the bottom.
  public func bottom() -> Emoji? { order.first.flatMap { emojis[$0.id] } }

  /// The emoji at the top.
  public func top() -> Emoji? { order.last.flatMap { emojis[$0.id] } }

  /// The emoji next above one.
  public func next(above emoji: Emoji) -> Emoji? {
    let place = Place(emoji)
    var index = index(of: place)
    if index < order.count, order[index] == place { index += 1 }
    return index < order.count ? emojis[order[index].id] : nil
  }

  /// Whether the file has a picture of that digest, as far as is known.
  public func holdsPicture(_ digest: String) -> Bool { pictures.contains(digest) }

  /// The file has these pictures now.
  public mutating func setPictures(_ digests: Set<String>) { pictures = digests }

  /// The edits kept, newest first, until the body returns false.
  public func newestEdits(_ body: (LoggedEdit) throws(ArtError) -> Bool) throws(ArtError) {
    // By index: an iterator copies each entry.
    for index in log.indices.reversed() where try !body(log[index]) { return }
  }

  /// Adds an emoji whose id is not taken.
  public mutating func insert(_ emoji: Emoji) {
    emojis[emoji.id] = emoji
    let place = Place(emoji)
    order.insert(place, at: index(of: place))
  }

  /// Sets the values of an emoji that is there.
  public mutating func update(_ old: Emoji, to new: Emoji) {
    emojis[new.id] = new
    guard old.z != new.z else { return }
    order.remove(at: index(of: Place(old)))
    order.insert(Place(new), at: index(of: Place(new)))
  }

  /// Takes out an emoji that is there.
  public mutating func delete(_ emoji: Emoji) {
    emojis[emoji.id] = nil
    order.remove(at: index(of: Place(emoji)))
  }

  /// Sets the size of the picture.
  public mutating func setCanvas(_ canvas: Canvas) { self.canvas = canvas }

  /// Sets the picture.
  public mutating func setBackground(_ background: Background?) { self.background = background }

  /// Sets the picture that is still to come.
  public mutating func setPending(_ pending: PendingBackground?) { self.pending = pending }
}

extension DocumentContent {
  /// The JSON that the view `document` gives, in pieces: the sink is handed each piece of some 64 KiB as it is ready.
  /// `show --json` prints it with shown URLs.
  ///
  /// Where its picture's bytes are given, they stand in the background's `data` as base64: `export` writes so.
  public func writeJSON(
    picture: [UInt8]? = nil, urls: URLForm = .whole, to sink: ([UInt8]) throws(ArtError) -> Void
  ) throws(ArtError) {
    var writer = JSONWriter(reserving: 1 << 17, urls: urls)
    try write(to: &writer, picture: picture, emptying: sink)
    try sink(writer.bytes)
  }

  /// The same as a value within other JSON. When the writer holds some 64 KiB, the sink is handed them, and the writer
  /// is emptied; the last piece stays in it. `withZ` gives each emoji its place in z-order, for one that applies effects.
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
      canvas.write(to: &writer)
      writer.key("emojis")
      try writer.array { (writer) throws(Failure) in
        for place in order {
          emojis[place.id]?.write(to: &writer, withZ: withZ)
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
