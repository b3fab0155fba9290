// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// The documents of a folder: the entries with the extension `.emojiart`.
public struct FolderListing: Sendable {
  /// Their names, sorted.
  public private(set) var names: [String] = []
  /// Names that are not UTF-8, with replacement characters. No path leads to these.
  public private(set) var unreadable: [String] = []

  /// Lists a folder. Throws `noSuchDocument`, `notPermitted`, `inputOutput`.
  public init(of folder: String) throws(ArtError) {
    do throws(SystemError) {
      try FolderEntry.each(in: folder) { add($0) }
    } catch {
      if error.number == ENOENT { throw ArtError(.noSuchDocument, "no folder \(folder)", about: folder) }
      if error.number == ENOTDIR {
        throw ArtError(.noSuchDocument, "\(folder) is not a folder", about: folder)
      }
      throw ArtError(error, cannot: "list", folder)
    }
    if PlainFile.isRemoved(folder) {
      throw ArtError(.noSuchDocument, "the folder \(folder) was removed", about: folder)
    }
    names.sort()
    unreadable.sort()
  }

  private mutating func add(_ entry: FolderEntry) {
    let ending = Format.fileExtension.utf8
    let bytes = entry.nameBytes
    guard bytes.count > ending.count, bytes.suffix(ending.count).elementsEqual(ending) else { return }
    if let name = entry.name { names.append(name) } else { unreadable.append(entry.displayName) }
  }
}

enum NearNames {
  /// At most two documents in a path's folder whose names are similar to its own.
  static func documents(near path: String) -> [String] {
    let parts = FilePath(path)
    // This is only a hint, so a folder that cannot be listed gives none.
    guard let names = try? FolderListing(of: parts.folder).names else { return [] }
    // Without the extension, which all names share.
    let stems = names.map { String($0.dropLast(Format.fileExtension.count)) }
    let isFull = parts.name.hasSuffix(Format.fileExtension)
    let stem = isFull ? String(parts.name.dropLast(Format.fileExtension.count)) : parts.name
    return nearest(to: stem, among: stems).map { parts.prefix + $0 + Format.fileExtension }
  }
}
