// SPDX-License-Identifier: Apache-2.0

/// A path relative to the watched folder; empty for the folder itself.
///
/// Swift's texts are equal when they look equal; names of files are equal when their bytes are: `é` may be two files.
struct RelativePath: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static let root = RelativePath("")

  var isRoot: Bool { text.isEmpty }

  /// How many folders deep it lies; 0 for the watched folder.
  var depth: Int { isRoot ? 0 : 1 + text.utf8.count { $0 == UInt8(ascii: "/") } }

  /// The folder that it lies in; nil for the watched folder.
  var parent: RelativePath? {
    if isRoot { return nil }
    guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return .root }
    return RelativePath(String(text[..<slash]))
  }

  /// The names from the watched folder down.
  var names: [Substring] { text.split(separator: "/") }

  func appending(_ name: String) -> RelativePath { RelativePath(isRoot ? name : "\(text)/\(name)") }

  /// Whether it is that folder, or lies in it at any depth.
  func isWithin(_ folder: RelativePath) -> Bool {
    if folder.isRoot { return true }
    var rest = text.utf8.makeIterator()
    for byte in folder.text.utf8 where rest.next() != byte { return false }
    guard let next = rest.next() else { return true }
    return next == UInt8(ascii: "/")
  }

  static func == (left: RelativePath, right: RelativePath) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension RelativePath: Comparable {
  static func < (left: RelativePath, right: RelativePath) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}
