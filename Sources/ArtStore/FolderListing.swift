// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// The documents of a folder.
public enum FolderListing {
  /// Names of the entries that end in `.emojiart`, sorted. Throws `noSuchDocument`, `notPermitted`,
  /// `inputOutput`.
  public static func names(in folder: String) throws(ArtError) -> [String] {
    guard let stream = opendir(folder) else {
      if errno == ENOENT { throw ArtError(.noSuchDocument, "no folder \(folder)") }
      if errno == ENOTDIR { throw ArtError(.noSuchDocument, "\(folder) is not a folder") }
      throw .system("list", folder)
    }
    defer { closedir(stream) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(Format.fileExtension), name != Format.fileExtension { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw .system("list", folder) }
    return names.sorted()
  }
}
