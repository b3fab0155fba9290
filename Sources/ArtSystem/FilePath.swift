// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc

/// A path, absolute or relative to some folder, as its bytes: two names that Swift takes for one, é and e with an accent, are
/// two files. Slashes are found by their byte, too: a name may begin with a scalar that joins the slash before it to one
/// character, such as a skin tone.
package struct FilePath: Sendable, Hashable, Comparable {
  /// The path as it was given; empty for the folder itself that others are relative to.
  package let string: String

  /// A path as it is.
  package init(_ string: String) { self.string = string }

  /// The folder that relative paths begin at.
  package static let root = FilePath("")

  /// Whether it is that folder.
  package var isRoot: Bool { string.isEmpty }

  package static func == (left: FilePath, right: FilePath) -> Bool {
    left.string.utf8.elementsEqual(right.string.utf8)
  }

  package static func < (left: FilePath, right: FilePath) -> Bool {
    left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

// MARK: - Its parts

extension FilePath {
  /// What stands behind the last slash.
  package var name: String { String(string.unicodeScalars[cut...]) }

  /// What stands before it, that slash included; empty where there is none.
  package var prefix: String { String(string.unicodeScalars[..<cut]) }

  /// The folder that the path names, `.` where it names none.
  package var folder: String {
    let scalars = string.unicodeScalars[..<cut]
    if scalars.isEmpty { return "." }
    return scalars.count == 1 ? String(scalars) : String(scalars.dropLast())
  }

  /// Where the name begins.
  private var cut: String.Index {
    let scalars = string.unicodeScalars
    return scalars.lastIndex(of: "/").map { scalars.index(after: $0) } ?? scalars.startIndex
  }

  /// The parts between its slashes, without the empty ones.
  package var components: [String] { string.unicodeScalars.split(separator: "/").map { String($0) } }

  /// Whether it is more than a name.
  package var hasSlash: Bool { string.utf8.contains(UInt8(ascii: "/")) }
}

// MARK: - Relative to a folder

extension FilePath {
  /// How many folders deep it lies; 0 for the folder itself.
  package var depth: Int { isRoot ? 0 : 1 + string.utf8.count { $0 == UInt8(ascii: "/") } }

  /// The folder that it lies in; nil for the folder itself.
  package var parent: FilePath? {
    if isRoot { return nil }
    guard let slash = string.utf8.lastIndex(of: UInt8(ascii: "/")) else { return .root }
    return FilePath(String(string[..<slash]))
  }

  /// The path of what lies in it by that name.
  package func appending(_ name: String) -> FilePath { FilePath(isRoot ? name : "\(string)/\(name)") }

  /// Whether it is that folder, or lies in it at any depth.
  package func isWithin(_ folder: FilePath) -> Bool {
    if folder.isRoot { return true }
    var rest = string.utf8.makeIterator()
    for byte in folder.string.utf8 where rest.next() != byte { return false }
    guard let next = rest.next() else { return true }
    return next == UInt8(ascii: "/")
  }
}

// MARK: - What the system makes of it

extension FilePath {
  /// The absolute path without symbolic links that it leads to. Throws what realpath(3) says, and EILSEQ where that path is no
  /// UTF-8: no text leads there.
  package static func resolved(_ path: String) throws(SystemError) -> String {
    guard let real = realpath(path, nil) else { throw SystemError("realpath", path) }
    defer { free(real) }
    guard let text = String(validatingCString: real) else {
      throw SystemError("realpath", path, number: EILSEQ)
    }
    return text
  }

  /// The same, and nil for whatever reason there is none.
  package static func resolvedIfThere(_ path: String) -> String? {
    do throws(SystemError) { return try resolved(path) } catch { return nil }
  }
}

extension FilePath {
  /// Gives a file another name that nothing has. A file system that can do so in no single step has the file under two names for a
  /// moment. Throws what renameat2(2), link(2) and unlink(2) say, EEXIST among it; then the file has its old name only.
  package static func rename(_ old: String, to new: String) throws(SystemError) {
    let number = csystem_rename_without_replacing(old, new)
    if number == 0 { return }
    guard [EINVAL, ENOSYS].contains(number) else { throw SystemError("rename", new, number: number) }
    guard link(old, new) == 0 else { throw SystemError("link", new) }
    guard unlink(old) == 0 else {
      let error = SystemError("unlink", old)
      unlink(new)
      throw error
    }
  }
}
