// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The files of a journal, format 1.
///
///     ORIGIN.lock              held by flock for the life of the program that edits
///     ORIGIN-000001.journal    a segment: a line that is its head, then a line an edit
///     ORIGIN-000002.journal    …
enum JournalFormat {
  static let version = 1
  /// Bytes of unsaved edits after which no more are taken.
  static let room = 256 << 20
  /// Bytes of the edits that are taken at once.
  static let largestBatch = 256 << 20
  /// Bytes of the segments of one journal, at most.
  static let largest = room + largestBatch
  /// Bytes of a segment's head: a path of 4,096 bytes takes six times as many when each is escaped.
  static let largestHead = 64 << 10
  /// Digits of a segment's number, at least.
  static let digits = 6

  static func lock(of origin: Origin) -> String { "\(origin).lock" }

  static func segment(_ number: Int, of origin: Origin) -> String {
    let text = String(number)
    return "\(origin)-\(String(repeating: "0", count: max(0, digits - text.count)))\(text).journal"
  }
}

/// A name in the folder of journals.
enum JournalName: Equatable {
  case lock(Origin)
  case segment(Origin, Int)

  /// Nil for what is no name that `JournalFormat` gives.
  init?(_ name: String) {
    guard let origin = Origin(name.prefix(Origin.length)) else { return nil }
    if name == JournalFormat.lock(of: origin) {
      self = .lock(origin)
      return
    }
    let digits = name.dropFirst(Origin.length + 1).prefix { $0.isASCII && $0.isNumber }
    guard digits.count <= 15, let number = Int(digits), number > 0,
      name == JournalFormat.segment(number, of: origin)
    else { return nil }
    self = .segment(origin, number)
  }
}
