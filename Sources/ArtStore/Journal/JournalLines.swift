// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore
import Glibc

/// A buffer for lines of a journal: 16 hexadecimal digits that are the XXH3-64 of the JSON, a space, the
/// JSON, a line feed.
struct JournalLines {
  private(set) var bytes: [UInt8] = []
  private var json = JSONWriter(reserving: 1 << 10)
  /// A buffer with a larger capacity, in bytes, is released after use.
  private static let keptCapacity = 1 << 20

  /// Empties the buffer.
  mutating func removeAll() {
    guard bytes.capacity <= Self.keptCapacity else {
      self = JournalLines()
      return
    }
    bytes.removeAll(keepingCapacity: true)
  }

  mutating func append(_ head: JournalHead, segment: Int) {
    json.restart()
    head.write(segment: segment, to: &json)
    endLine()
  }

  /// `user` is the author that the head names. `isLast` ends the batch of edits that are written together.
  mutating func append(_ entry: LoggedEdit, after user: String?, isLast: Bool) {
    json.restart()
    entry.writeJournalLine(after: user, isLast: isLast, to: &json)
    endLine()
  }

  private mutating func endLine() {
    let sum = json.bytes.withUnsafeBytes(Self.sum(of:))
    for shift in stride(from: 60, through: 0, by: -4) {
      bytes.append(Self.hexadecimal[Int(truncatingIfNeeded: sum >> UInt64(shift)) & 15])
    }
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: json.bytes)
    bytes.append(UInt8(ascii: "\n"))
  }

  private static let hexadecimal = Array("0123456789abcdef".utf8)

  /// The JSON of a line without its line feed; nil if it does not match its sum.
  static func json(of line: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    guard line.count > 17, line[16] == UInt8(ascii: " ") else { return nil }
    var stored: UInt64 = 0
    for byte in line[..<16] {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): stored = stored << 4 | UInt64(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): stored = stored << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    let json = UnsafeBufferPointer(rebasing: line[17...])
    return sum(of: UnsafeRawBufferPointer(json)) == stored ? json : nil
  }

  static func sum(of json: UnsafeRawBufferPointer) -> UInt64 { XXH3_64bits(json.baseAddress, json.count) }
}

extension LoggedEdit {
  /// `{"author":"…","changes":[…],"dropped":[…],"inverse":[…],"kind":"undo","name":"…","of":"ORIGIN:SEQUENCE",
  /// "sequence":…,"session":"…","tag":"…","time":…}`; `of` only where the kind is `undo` or `redo`, `session` and `tag` only
  /// where there is one, and `author`, which may be null, only where it is not the one of the head. `"more":true` stands before the name
  /// in all lines of a batch but the last one.
  fileprivate func writeJournalLine(after user: String?, isLast: Bool, to json: inout JSONWriter) {
    json.object { json in
      if author != user {
        json.key("author")
        if let author { json.string(author) } else { json.null() }
      }
      json.key("changes")
      edit.changes.write(to: &json)
      json.key("dropped")
      dropped.write(to: &json)
      json.key("inverse")
      inverse.write(to: &json)
      json.key("kind")
      json.string(kind.word)
      if !isLast {
        json.key("more")
        json.boolean(true)
      }
      json.key("name")
      json.string(edit.name)
      json.member("of", kind.revertedID?.description)
      json.key("sequence")
      json.integer(id.sequence)
      json.member("session", session?.description)
      json.member("tag", stamp.tags.last?.description)
      json.key("time")
      json.integer(time)
    }
  }
}

extension JSONWriter {
  /// A member that is left out if there is no value.
  fileprivate mutating func member(_ name: String, _ value: String?) {
    guard let value else { return }
    key(name)
    string(value)
  }
}

// MARK: - Reading lines

/// The members of an edit's line.
private struct JournalEntry {
  private var author: String??
  private var changes: [Change]?
  private var dropped: [Change]?
  private var inverse: [Change]?
  private var kindName: String?
  /// Whether it ends its batch.
  private(set) var isLast = true
  private var name: String?
  private var of: String?
  private var sequence: Int?
  private var session: SessionID?
  private var tag: RequestTag?
  private var time: Int?

  /// Reads a line written by `writeJournalLine`. Throws `badJSON` and what the values' checks throw.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    var entry = Self()
    try JSONReader.read(bytes) { (json) throws(ArtError) in
      try json.object { (key, json) throws(ArtError) in try entry.read(key, from: &json) }
    }
    self = entry
  }

  private init() {}

  private mutating func read(_ key: String, from json: inout JSONReader) throws(ArtError) {
    switch key {
    case "author": author = .some(json.null() ? nil : try json.string())
    case "changes": changes = try [Change](from: &json)
    case "dropped": dropped = try [Change](from: &json)
    case "inverse": inverse = try [Change](from: &json)
    case "kind": kindName = try json.string()
    case "more":
      guard try json.boolean() else { throw json.error("an edit that no more follow, and says so") }
      isLast = false
    case "name": name = try json.string()
    case "of": of = try json.string()
    case "sequence": sequence = try json.integer()
    case "session":
      session = SessionID(try json.string())
      guard session != nil else { throw json.error("a session that is none") }
    case "tag":
      tag = RequestTag(try json.string())
      guard tag != nil else { throw json.error("a tag that is none") }
    case "time": time = try json.integer()
    default: throw json.error("an edit with the key \"\(key)\"")
    }
  }

  /// The edit, with `count` others before it in the journal.
  func edit(after count: Int, in head: JournalHead) throws(ArtError) -> LoggedEdit {
    guard let changes, let dropped, let inverse, let name, let sequence, let time,
      let kind = kindName.flatMap({ LoggedEdit.Kind($0, of: of) }),
      (1...Format.largestNumber).contains(sequence), changes.count == inverse.count
    else { throw .badJSON("an edit that lacks a part") }
    // This verifies the length and characters of the name.
    let client = try DocumentClient(author: author ?? head.author, session: session)
    return LoggedEdit(
      EditStamp(
        id: EditID(origin: head.origin, sequence: sequence), time: time, author: client.author,
        session: client.session, tags: tag.map { [$0] } ?? []),
      revision: head.base.revision + count + 1, save: head.base.revision + 1, kind: kind,
      edit: Edit(name: name, changes: changes), inverse: inverse, dropped: dropped)
  }

}

// MARK: - The content of a journal

/// The content of a journal, read as untrusted input.
///
/// A segment may end within a line, or within a batch of lines that were written together: its program was killed while it wrote, and
/// these edits were not acknowledged.
/// Anything else that is invalid is damage; the lines before it can be read.
public struct JournalContents: Sendable {
  /// The head of the first segment; nil if no segment has a complete first line.
  public private(set) var head: JournalHead?
  /// The edits in their order, up to the damage if there is any. Their revisions continue the base of the
  /// first segment.
  public private(set) var entries: [LoggedEdit] = []
  /// A description of the damage, in one line.
  public private(set) var damage: String?
  /// When a segment was last written, in milliseconds since 1970.
  public private(set) var modified = 0

  /// The names of the users who made the edits, in the order of their first edits; nil if none was given.
  public var author: String? {
    var names: [String] = []
    for name in entries.lazy.compactMap(\.author) where !names.contains(name) { names.append(name) }
    return names.isEmpty ? nil : names.joined(separator: ", ")
  }

  private let id: JournalID
  /// The edits at the end whose batch has not ended: they were not acknowledged if nothing follows.
  private var unfinished = 0
  private var remainingBytes = JournalFormat.largest

  init(of id: JournalID) { self.id = id }

  /// Reads segments, in ascending order, from a folder. Throws `inputOutput`, `notPermitted`.
  init(of id: JournalID, segments: [Int], in folder: JournalFolder) throws(ArtError) {
    self.init(of: id)
    for number in segments {
      guard damage == nil else { return }
      let name = JournalFormat.segment(number, of: id)
      switch try SegmentFile.read(folder.path(of: name), limit: remainingBytes) {
      case .missing: continue
      case .refused(let why): damage = "\(name) \(why)"
      case .read(let bytes, let time):
        modified = max(modified, time)
        bytes.withUnsafeBufferPointer { read($0, as: number) }
      }
    }
  }

  /// The head at the beginning of a segment; nil if it is invalid.
  static func head(in bytes: UnsafeBufferPointer<UInt8>, of id: JournalID, _ number: Int) -> JournalHead? {
    var lines = JournalLineReader(bytes)
    guard let json = lines.next().flatMap(JournalLines.json(of:)) else { return nil }
    // Reading the whole segment reports the fault.
    guard let (head, segment) = try? JournalHead.read(json), head.id == id, segment == number else {
      return nil
    }
    return head
  }

  /// Reads the next segment.
  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, as number: Int) {
    guard damage == nil else { return }
    remainingBytes -= bytes.count
    var lines = JournalLineReader(bytes)
    var count = 0
    do throws(ArtError) {
      while let line = lines.next() {
        count += 1
        guard let json = JournalLines.json(of: line) else {
          throw ArtError(.damaged, "does not fit its sum")
        }
        if count == 1 { try readHead(json, number) } else { try readEntry(json) }
      }
      entries.removeLast(unfinished)
      unfinished = 0
    } catch {
      let line = "line \(count) of \(JournalFormat.segment(number, of: id))"
      damage = error.code == .damaged ? "\(line) \(error.cause)" : "\(line): \(error.cause)"
    }
  }

  private mutating func readHead(_ json: UnsafeBufferPointer<UInt8>, _ number: Int) throws(ArtError) {
    let (found, segment) = try JournalHead.read(json)
    guard found.id == id, segment == number, head.map(found.belongs) ?? true else {
      throw ArtError(.damaged, "is the head of another segment")
    }
    if head == nil { head = found }
  }

  private mutating func readEntry(_ json: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    guard let head else { return }
    let line = try JournalEntry(json)
    let entry = try line.edit(after: entries.count, in: head)
    guard entries.last.map({ entry.id.sequence == $0.id.sequence + 1 }) ?? true else {
      throw ArtError(.damaged, "is edit \(entry.id.sequence), and edits before it are missing")
    }
    entries.append(entry)
    unfinished = line.isLast ? 0 : unfinished + 1
  }
}

/// The complete lines of a segment.
private struct JournalLineReader {
  private var rest: UnsafeBufferPointer<UInt8>

  init(_ bytes: UnsafeBufferPointer<UInt8>) { rest = bytes }

  /// The next line without its line feed; nil at the end, and for a line that has none.
  mutating func next() -> UnsafeBufferPointer<UInt8>? {
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { rest = UnsafeBufferPointer(rebasing: rest[(end + 1)...]) }
    return UnsafeBufferPointer(rebasing: rest[..<end])
  }
}

/// The outcome of reading a segment's file.
enum SegmentFile {
  case missing
  case refused(String)
  case read([UInt8], modified: Int)

  /// Reads a regular file of at most `limit` bytes; with `prefix`, only the first `limit` bytes.
  static func read(_ path: String, limit: Int, prefix: Bool = false) throws(ArtError) -> SegmentFile {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return .missing }
      if errno == ELOOP { return .refused("is a symbolic link") }
      throw .system("read", path)
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .system("read", path) }
    guard status.st_mode & S_IFMT == S_IFREG else { return .refused("is no regular file") }
    let size = prefix ? min(Int(status.st_size), limit) : Int(status.st_size)
    guard size <= limit else { return .refused("is larger than a journal may be") }
    return .read(try PlainFile.read(file, count: size, name: path), modified: status.st_mtim.milliseconds)
  }
}
