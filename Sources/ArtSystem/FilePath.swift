// SPDX-License-Identifier: Apache-2.0

import CArtSystem
import Glibc

/// A path, absolute or relative to a folder, compared by its bytes: precomposed and decomposed é are two files.
/// Slashes are found by their byte, because a name may begin with a scalar that forms one `Character` with the
/// slash before it, such as a skin tone.
package struct FilePath: Sendable, Hashable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The path as given; empty for the folder that relative paths start from.
  package let string: String

  package init(_ string: String) { self.string = string }

  /// A path of the program's own.
  package init(stringLiteral string: String) { self.string = string }

  /// The folder that relative paths start from.
  package static let root = FilePath("")

  /// The path as given.
  package var description: String { string }

  /// Whether this is `root`.
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

// MARK: - Components

extension FilePath {
  /// The part after the last slash.
  package var name: String { String(string.unicodeScalars[cut...]) }

  /// The part up to and including the last slash; empty where there is none.
  package var prefix: String { String(string.unicodeScalars[..<cut]) }

  /// The folder of `prefix`; `.` where the prefix is empty.
  package var folder: String {
    let scalars = string.unicodeScalars[..<cut]
    if scalars.isEmpty { return "." }
    return scalars.count == 1 ? String(scalars) : String(scalars.dropLast())
  }

  /// The index after the last slash.
  private var cut: String.Index {
    let scalars = string.unicodeScalars
    return scalars.lastIndex(of: "/").map { scalars.index(after: $0) } ?? scalars.startIndex
  }

  /// The names between the slashes, without empty ones.
  package var components: [String] { string.unicodeScalars.split(separator: "/").map { String($0) } }

  /// Whether the path contains a slash, so that it is more than a name.
  package var hasSlash: Bool { string.utf8.contains(UInt8(ascii: "/")) }

  /// Whether the path begins with a slash.
  package var isAbsolute: Bool { string.utf8.first == UInt8(ascii: "/") }

  /// Whether the path ends with a slash, so that it can only be a folder.
  package var endsWithSlash: Bool { string.utf8.last == UInt8(ascii: "/") }

  /// Whether the path ends with these bytes. `hasSuffix` of `String` compares characters: a scalar before the ending may belong to the
  /// first of them.
  package func hasEnding(_ ending: String) -> Bool {
    string.utf8.count >= ending.utf8.count && string.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
  }

  /// The path without an ending; the path itself where it has another one.
  package func without(ending: String) -> FilePath {
    guard hasEnding(ending) else { return self }
    return FilePath(String(decoding: string.utf8.dropLast(ending.utf8.count), as: UTF8.self))
  }
}

// MARK: - Relative to a folder

extension FilePath {
  /// The number of names in a relative path; 0 for `root`.
  package var depth: Int { isRoot ? 0 : 1 + string.utf8.count { $0 == UInt8(ascii: "/") } }

  /// The folder that contains this path; nil for `root`.
  package var parent: FilePath? {
    if isRoot { return nil }
    guard let slash = string.utf8.lastIndex(of: UInt8(ascii: "/")) else { return .root }
    return FilePath(String(string[..<slash]))
  }

  /// The path of an entry of this folder.
  package func appending(_ name: String) -> FilePath { FilePath(isRoot ? name : "\(string)/\(name)") }

  /// The shortest path of a folder's entry.
  package static func path(of name: String, in folder: String) -> String {
    if folder == "." { return name }
    return FilePath(folder).endsWithSlash ? folder + name : "\(folder)/\(name)"
  }

  /// Whether this is the folder itself, or lies in it at any depth.
  package func isWithin(_ folder: FilePath) -> Bool {
    guard string.utf8.starts(with: folder.string.utf8) else { return false }
    let next = string.utf8.dropFirst(folder.string.utf8.count).first
    return folder.isRoot || folder.endsWithSlash || next == nil || next == UInt8(ascii: "/")
  }
}

// MARK: - Resolving and renaming

extension FilePath {
  /// The absolute path without symbolic links. Throws the error of realpath(3), and EILSEQ where that path is
  /// not UTF-8, because no `String` leads there.
  package static func resolved(_ path: String) throws(SystemError) -> String {
    guard let real = realpath(path, nil) else { throw SystemError("realpath", path) }
    defer { free(real) }
    guard let text = String(validatingCString: real) else {
      throw SystemError("realpath", path, number: EILSEQ)
    }
    return text
  }

  /// The same; nil where it fails, whatever the reason.
  package static func resolvedIfThere(_ path: String) -> String? {
    do throws(SystemError) { return try resolved(path) } catch { return nil }
  }
}

extension FilePath {
  /// Renames a file without replacing another, in the first of these ways that the file system has:
  ///
  ///     renameat2, RENAME_NOREPLACE    one step
  ///     link, unlink                   the file has two names for a moment
  ///     open with O_EXCL, rename       the new name is an empty file for a moment; FAT, and many network file systems
  ///
  /// Throws the error of the last way that was tried, such as EEXIST; the file then has its old name only.
  package static func rename(_ old: String, to new: String) throws(SystemError) {
    let number = csystem_rename_without_replacing(old, new)
    if number == 0 { return }
    guard lacksCall(number) else { throw SystemError("rename", new, number: number) }
    guard link(old, new) == 0 else {
      let error = SystemError("link", new)
      guard lacksCall(error.number) else { throw error }
      return try reserve(new, for: old)
    }
    guard unlink(old) == 0 else {
      let error = SystemError("unlink", old)
      unlink(new)
      throw error
    }
  }

  /// Whether a call fails like this where the file system, or a filter of system calls, does not have it. EPERM may also be a lack of
  /// rights, which the next way meets, too.
  package static func lacksCall(_ number: Int32) -> Bool {
    [EINVAL, ENOSYS, EOPNOTSUPP, EPERM, EMLINK].contains(number)
  }

  /// Creates the new name as an empty file, which no other program can do after that, and renames the file over it.
  private static func reserve(_ new: String, for old: String) throws(SystemError) {
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SystemError("open", new) }
    close(file)
    guard Glibc.rename(old, new) == 0 else {
      let error = SystemError("rename", new)
      unlink(new)
      throw error
    }
  }

  /// Exchanges two files' names in one step. Throws the error of renameat2(2), EINVAL or ENOSYS where the file system cannot do it.
  package static func exchange(_ path: String, _ other: String) throws(SystemError) {
    let number = csystem_rename_exchanging(path, other)
    guard number == 0 else { throw SystemError("renameat2", other, number: number) }
  }
}
