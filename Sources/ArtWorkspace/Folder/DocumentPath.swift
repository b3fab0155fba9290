// SPDX-License-Identifier: Apache-2.0

/// A document's path, relative to its folder, as its bytes: two names that Swift takes for one, é and e with an accent, are two
/// files.
package struct DocumentPath: Sendable, Hashable, Comparable {
  package let string: String

  package init(_ string: String) { self.string = string }

  /// Whether it lies in that folder or below it; the empty one is all of it.
  func isBelow(_ folder: String) -> Bool {
    if folder.isEmpty { return true }
    let bytes = string.utf8
    let count = folder.utf8.count
    return bytes.count > count && bytes.starts(with: folder.utf8)
      && bytes.dropFirst(count).first == UInt8(ascii: "/")
  }

  package static func == (left: DocumentPath, right: DocumentPath) -> Bool {
    left.string.utf8.elementsEqual(right.string.utf8)
  }

  package static func < (left: DocumentPath, right: DocumentPath) -> Bool {
    left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
