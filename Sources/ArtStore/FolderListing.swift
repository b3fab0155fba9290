// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// The documents of a folder: the entries whose names end in `.emojiart`.
public struct FolderListing: Sendable {
  /// Their names, sorted.
  public private(set) var names: [String] = []
  /// Names that are no UTF-8, with marks in the place of what cannot be read: no path leads to these.
  public private(set) var unreadable: [String] = []

  /// Looks into a folder. Throws `noSuchDocument`, `notPermitted`, `inputOutput`.
  public init(of folder: String) throws(ArtError) {
    guard let stream = opendir(folder) else {
      if errno == ENOENT { throw ArtError(.noSuchDocument, "no folder \(folder)") }
      if errno == ENOTDIR { throw ArtError(.noSuchDocument, "\(folder) is not a folder") }
      throw .system("list", folder)
    }
    defer { closedir(stream) }
    if PlainFile.isRemoved(folder) { throw ArtError(.noSuchDocument, "the folder \(folder) was removed") }
    errno = 0
    while let entry = readdir(stream) {
      add(Self.bytes(of: entry))
      errno = 0
    }
    guard errno == 0 else { throw .system("list", folder) }
    names.sort()
    unreadable.sort()
  }

  private static func bytes(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
  }

  private mutating func add(_ bytes: [UInt8]) {
    let ending = Array(Format.fileExtension.utf8)
    guard bytes.count > ending.count, bytes.suffix(ending.count).elementsEqual(ending) else { return }
    if let name = String(validating: bytes, as: UTF8.self) {
      names.append(name)
    } else {
      unreadable.append(String(decoding: bytes, as: UTF8.self))
    }
  }
}
