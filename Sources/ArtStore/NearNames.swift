// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

enum NearNames {
  /// Documents in the folder of a path whose names are near its own, at most two.
  static func documents(near path: String) -> [String] {
    let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let folder = cut == path.startIndex ? "." : String(path[..<cut])
    // Only a hint: a folder that cannot be listed has none.
    guard let names = try? FolderListing.names(in: folder) else { return [] }
    return nearest(to: String(path[cut...]), among: names).map { String(path[..<cut]) + $0 }
  }
}
