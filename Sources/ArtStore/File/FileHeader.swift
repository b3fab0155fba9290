// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The first 100 bytes of a SQLite file, looked at before SQLite does.
///
/// Source: https://www.sqlite.org/fileformat.html, section 1.3.
struct FileHeader {
  static let length = 100
  /// Whether another program switched the file to WAL mode.
  let isWAL: Bool
  /// Whether pages and texts are as we write them. VACUUM by a stranger may have made it otherwise.
  let isPlain: Bool
  /// How long the file should be; nil where a program that is older than this field has written it last.
  let wholeSize: Int?

  /// Throws `notADocument`, `newerFormat`, `tooLarge` and `damaged`.
  init(_ bytes: [UInt8], size: Int, name: String) throws(ArtError) {
    guard !bytes.isEmpty else {
      throw .notADocument(name, "it is empty, as a blank one of an EmojiArt app may be; \(Self.advice(name))")
    }
    guard size <= Format.largestFile else { throw .tooLargeFile(name) }
    guard bytes.starts(with: "SQLite format 3\0".utf8) else {
      throw .notADocument(name, Self.guess(bytes, name))
    }
    guard bytes.count == Self.length else { throw .damaged(name, "it ends within its header") }
    guard Self.integer(bytes, at: 68) == Format.applicationID else {
      throw .notADocument(name, "it is an SQLite database of another program")
    }
    let version = Self.integer(bytes, at: 60)
    guard version <= Format.version else { throw .newerFormat(name, version) }
    guard version == Format.version else { throw .damaged(name, "it says that it is in format \(version)") }
    isWAL = bytes[18] == 2 || bytes[19] == 2
    let pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
    let isCounted = bytes[24..<28] == bytes[92..<96]
    wholeSize = isCounted ? Self.integer(bytes, at: 28) * pageSize : nil
    isPlain = pageSize == Format.pageSize && bytes[20] == 0 && Self.integer(bytes, at: 56) == 1
  }

  private static func integer(_ bytes: [UInt8], at offset: Int) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// What a file without SQLite's mark seems to be.
  private static func guess(_ bytes: [UInt8], _ name: String) -> String {
    switch DocumentText(beginning: bytes) {
    case .own: return "it is one written as JSON; \(advice(name))"
    case .course: return "it is one of an EmojiArt app, as JSON; \(advice(name))"
    case .otherJSON: return "it is JSON text"
    case nil: break
    }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) || bytes.starts(with: [0xFF, 0xD8]) {
      return "it is a picture"
    }
    if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) {
      return "it is text"
    }
    return "it is some other kind of file"
  }

  private static func advice(_ name: String) -> String {
    "`emojiart import \(shellWord(name)) --as NAME` brings it in"
  }

  /// A name as a shell takes it for one word.
  private static func shellWord(_ name: String) -> String {
    let special = " \t\n!\"#$&'()*;<>?[\\]^`{|}~".utf8
    guard name.utf8.contains(where: special.contains) else { return name }
    return "'" + name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
