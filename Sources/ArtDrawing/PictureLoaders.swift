// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker
import Glibc

/// gdk-pixbuf's loaders, which are libraries that are opened while the program runs.
public enum PictureLoaders {
  /// Opens the loaders of these kinds, and settles that this process has no others: pictures of another kind are refused as if its
  /// loader were not installed. At most once, before the first picture. For a process that may open nothing later.
  public static func load(_ kinds: [PictureKind]) {
    // They stay as long as the process, which looks at them again.
    let names = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: kinds.count + 1)
    for (index, kind) in kinds.enumerated() { names[index] = strdup(kind.rawValue).map { UnsafePointer($0) } }
    cpixbuf_load(names, kinds.count)
  }
}
