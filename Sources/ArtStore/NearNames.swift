// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

enum NearNames {
  /// Documents in the folder of a path whose names are near its own, at most two.
  static func documents(near path: String) -> [String] {
    let parts = FilePath(path)
    // Only a hint: a folder that cannot be listed has none.
    guard let names = try? FolderListing(of: parts.folder).names else { return [] }
    // Without the ending, which all have in common.
    let stems = names.map { String($0.dropLast(Format.fileExtension.count)) }
    let isFull = parts.name.hasSuffix(Format.fileExtension)
    let stem = isFull ? String(parts.name.dropLast(Format.fileExtension.count)) : parts.name
    return nearest(to: stem, among: stems).map { parts.prefix + $0 + Format.fileExtension }
  }
}
