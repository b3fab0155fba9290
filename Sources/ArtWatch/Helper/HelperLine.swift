// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// A line that the helper writes.
enum HelperLine: Equatable {
  /// It is there, and speaks that version.
  case ready(version: Int)
  /// It could not do something: begin (`initialize`), or the oldest command not answered yet (`watch`).
  case failed(String, error: Int32)
  /// The oldest command not answered yet: what watches which folder.
  case watching(Int32, FileIdentity)
  /// Something happened.
  case event(HelperEvent)

  /// The version that this program speaks.
  static let version = 1
  /// The longest line: an event with a name of 255 bytes, each escaped.
  static let longest = 2_048

  /// Reads a line. Throws `unavailable` for what is none.
  init(_ line: [UInt8]) throws(ArtError) {
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard let known = Self.read(words) else { throw .unreadableLine(line) }
    self = known
  }

  private static func read(_ words: [ArraySlice<UInt8>]) -> HelperLine? {
    func text(_ place: Int) -> String { String(decoding: words[place], as: UTF8.self) }
    switch text(0) {
    case "emojiart-inotify" where words.count == 2:
      return Int(text(1)).map { .ready(version: $0) }
    case "failed" where words.count == 3 && ["initialize", "watch"].contains(text(1)):
      return Int32(text(2)).map { .failed(text(1), error: $0) }
    case "watching" where words.count == 4:
      guard let watch = Int32(text(1)), let device = UInt(text(2)), let inode = UInt(text(3)) else {
        return nil
      }
      return .watching(watch, FileIdentity(device: device, inode: inode))
    case "event" where words.count == 5:
      guard let watch = Int32(text(1)), let mask = UInt32(text(2), radix: 16), UInt32(text(3)) != nil,
        let name = EscapedBytes.read(words[4])
      else { return nil }
      // No entry of a folder has such a name.
      if name.contains(0) || name.contains(UInt8(ascii: "/")) { return nil }
      return .event(HelperEvent(watch: watch, mask: EventMask(rawValue: mask), name: name))
    default: return nil
    }
  }
}

/// Something that happened in a watched folder, or to it.
struct HelperEvent: Equatable, Hashable {
  let watch: Int32
  let mask: EventMask
  /// The name in the folder; empty for the folder itself.
  let name: [UInt8]
}

/// What happened: the bits of inotify(7).
struct EventMask: OptionSet, Hashable, Sendable {
  let rawValue: UInt32
  static let attributes = EventMask(rawValue: 0x4)
  static let movedFrom = EventMask(rawValue: 0x40)
  static let movedTo = EventMask(rawValue: 0x80)
  static let deleted = EventMask(rawValue: 0x200)
  static let selfDeleted = EventMask(rawValue: 0x400)
  static let selfMoved = EventMask(rawValue: 0x800)
  static let unmounted = EventMask(rawValue: 0x2000)
  static let overflow = EventMask(rawValue: 0x4000)
  static let ignored = EventMask(rawValue: 0x8000)
  static let folder = EventMask(rawValue: 0x4000_0000)
}
