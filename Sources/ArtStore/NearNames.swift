// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

enum NearNames {
  /// Documents in the folder of a path whose names are near its own, at most two.
  static func documents(near path: String) -> [String] {
    let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let folder = cut == path.startIndex ? "." : String(path[..<cut])
    // Only a hint: a folder that cannot be listed has none.
    guard let names = try? FolderListing(of: folder).names else { return [] }
    // Without the ending, which all have in common.
    let stems = names.map { String($0.dropLast(Format.fileExtension.count)) }
    let name = path[cut...]
    let stem = name.hasSuffix(Format.fileExtension) ? name.dropLast(Format.fileExtension.count) : name
    return nearest(to: String(stem), among: stems).map { path[..<cut] + $0 + Format.fileExtension }
  }
}
