// SPDX-License-Identifier: Apache-2.0

import ArtSystem

/// Which watch belongs to which folder. A folder has at most one watch and a watch at most one folder; the kernel gives a
/// folder that is watched again, under another name perhaps, the watch that it has.
struct WatchTree: Equatable {
  struct Entry: Equatable {
    let watch: Int32
    let identity: FileIdentity
  }

  private(set) var folders: [FilePath: Entry] = [:]
  private var paths: [Int32: FilePath] = [:]

  func path(of watch: Int32) -> FilePath? { paths[watch] }

  /// A folder is watched. Returns the watch that it had before, if it was another one: that is to be ended.
  mutating func put(_ path: FilePath, _ entry: Entry) -> Int32? {
    let former = folders[path]?.watch
    if let former { paths[former] = nil }
    // It has moved: what lies below it comes with the same walk.
    if let place = paths[entry.watch] { folders[place] = nil }
    folders[path] = entry
    paths[entry.watch] = path
    checkInvariants()
    return former == entry.watch ? nil : former
  }

  /// A watch has ended by itself.
  mutating func drop(_ watch: Int32) {
    if let path = paths.removeValue(forKey: watch) { folders[path] = nil }
    checkInvariants()
  }

  /// Forgets a folder and what lies below it, as far as it is not to be kept. Returns the watches to be ended.
  mutating func remove(within folder: FilePath, except kept: Set<FilePath> = []) -> [Int32] {
    var ended: [Int32] = []
    for (path, entry) in folders where path.isWithin(folder) && !kept.contains(path) {
      folders[path] = nil
      paths[entry.watch] = nil
      ended.append(entry.watch)
    }
    checkInvariants()
    return ended
  }

  /// Stops a debug build when a promise of this type does not hold.
  private func checkInvariants() { assert(folders.count == paths.count, "folders and watches are pairs") }
}
