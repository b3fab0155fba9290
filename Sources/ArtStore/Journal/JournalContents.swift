// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// What a journal holds, read as if a stranger had sent it.
///
/// A segment may end within a line: its program was killed while it wrote, and the edit was not answered. Anything else
/// that is not as it was written is damage; what comes before it can be read.
public struct JournalContents: Sendable {
  /// What the first segment says; nil where no segment has got as far as its first line.
  public private(set) var head: JournalHead?
  /// The edits in their order, up to the damage if there is any. Their revisions are counted from the base of the first
  /// segment.
  public private(set) var entries: [LoggedEdit] = []
  /// What is wrong, in one line.
  public private(set) var damage: String?
  /// When a segment was last written, in milliseconds since 1970.
  public private(set) var modified = 0

  /// The names of the users who made the edits, in the order of their first ones; nil where none was given.
  public var author: String? {
    var names: [String] = []
    for name in entries.lazy.compactMap(\.author) where !names.contains(name) { names.append(name) }
    return names.isEmpty ? nil : names.joined(separator: ", ")
  }

  private let origin: Origin
  private var room = JournalFormat.largest

  init(of origin: Origin) { self.origin = origin }

  /// Reads segments, ascending, from a folder. Throws `inputOutput`, `notPermitted`.
  init(of origin: Origin, segments: [Int], in folder: JournalFolder) throws(ArtError) {
    self.init(of: origin)
    for number in segments {
      guard damage == nil else { return }
      let name = JournalFormat.segment(number, of: origin)
      switch try SegmentFile.read(folder.path(of: name), limit: room) {
      case .gone: continue
      case .refused(let why): damage = "\(name) \(why)"
      case .read(let bytes, let time):
        modified = max(modified, time)
        bytes.withUnsafeBufferPointer { read($0, as: number) }
      }
    }
  }

  /// The head in the beginning of a segment; nil where it is not as it was written.
  static func head(in bytes: UnsafeBufferPointer<UInt8>, of origin: Origin, _ number: Int) -> JournalHead? {
    var lines = JournalReading(bytes)
    guard let json = lines.next().flatMap(JournalLines.json(of:)) else { return nil }
    // What is wrong with it is told when all of it is read.
    guard let (head, segment) = try? JournalHead.read(json), head.origin == origin, segment == number else {
      return nil
    }
    return head
  }

  /// Reads the next segment.
  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, as number: Int) {
    guard damage == nil else { return }
    room -= bytes.count
    var lines = JournalReading(bytes)
    var count = 0
    do throws(ArtError) {
      while let line = lines.next() {
        count += 1
        guard let json = JournalLines.json(of: line) else {
          throw ArtError(.damaged, "does not fit its sum")
        }
        if count == 1 { try begin(json, number) } else { try take(json) }
      }
    } catch {
      let line = "line \(count) of \(JournalFormat.segment(number, of: origin))"
      damage = error.code == .damaged ? "\(line) \(error.message)" : "\(line): \(error.message)"
    }
  }

  private mutating func begin(_ json: UnsafeBufferPointer<UInt8>, _ number: Int) throws(ArtError) {
    let (found, segment) = try JournalHead.read(json)
    guard found.origin == origin, segment == number, head.map(found.belongs) ?? true else {
      throw ArtError(.damaged, "is the head of another segment")
    }
    if head == nil { head = found }
  }

  private mutating func take(_ json: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    // The first line of each segment was its head.
    guard let head else { return }
    let entry = try JournalEntry(json).edit(after: entries.count, in: head)
    guard entries.last.map({ entry.id.sequence == $0.id.sequence + 1 }) ?? true else {
      throw ArtError(.damaged, "is edit \(entry.id.sequence), and edits before it are missing")
    }
    entries.append(entry)
  }
}

/// The whole lines of a segment.
struct JournalReading {
  private var rest: UnsafeBufferPointer<UInt8>

  init(_ bytes: UnsafeBufferPointer<UInt8>) { rest = bytes }

  /// The next line, without its line feed; nil at the end, and before a line that has none.
  mutating func next() -> UnsafeBufferPointer<UInt8>? {
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { rest = UnsafeBufferPointer(rebasing: rest[(end + 1)...]) }
    return UnsafeBufferPointer(rebasing: rest[..<end])
  }
}

/// A segment's file.
enum SegmentFile {
  case gone
  case refused(String)
  case read([UInt8], modified: Int)

  /// Reads a regular file of at most `limit` bytes; of a longer one its beginning, where `prefix` says so.
  static func read(_ path: String, limit: Int, prefix: Bool = false) throws(ArtError) -> SegmentFile {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return .gone }
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
