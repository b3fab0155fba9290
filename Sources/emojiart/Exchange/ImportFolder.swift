// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// What lies in one folder, sorted by name; hidden files are not looked at.
struct ImportFolder {
  /// What an entry is.
  enum Kind: String {
    case file = "a file"
    case folder = "a folder"
    case link = "a symbolic link"
    case pipe = "a pipe"
    case socket = "a socket"
    case device = "a device"
    case unseen = "what cannot be looked at"
  }

  private(set) var entries: [(name: String, kind: Kind)] = []
  /// Names that are no UTF-8, with marks in the place of what cannot be read.
  private(set) var unreadable: [String] = []

  var folders: [String] { entries.filter { $0.kind == .folder }.map(\.name) }

  /// Throws `noSuchDocument`, `notPermitted`, `inputOutput`.
  init(_ path: String) throws(ArtError) {
    do throws(SystemError) {
      try FolderEntry.each(in: path) { if !$0.isHidden { add($0) } }
    } catch {
      throw .notRead(path, error.number)
    }
    entries.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    unreadable.sort()
  }

  private mutating func add(_ entry: FolderEntry) {
    guard let name = entry.name else { return unreadable.append(entry.shownName) }
    do throws(SystemError) { entries.append((name, Kind(try entry.kind()))) } catch {
      // What has gone meanwhile is not there; of anything else it is told that it is passed over.
      if error.number != ENOENT { entries.append((name, .unseen)) }
    }
  }
}

extension ImportFolder.Kind {
  fileprivate init(_ kind: FolderEntry.Kind) {
    self =
      switch kind {
      case .file: .file
      case .folder: .folder
      case .link: .link
      case .pipe: .pipe
      case .socket: .socket
      case .device: .device
      }
  }
}
