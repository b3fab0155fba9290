// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// The documents of a folder: the files with the extension `.emojiart`, and links with it. Folders, other special files and AppleDouble files
/// are none.
public struct FolderListing: Sendable {
  /// The largest number of folders between the listed one and a document.
  private static let deepest = 64
  /// Their names, sorted; of those in folders below, the paths from the folder.
  public private(set) var names: [String] = []
  /// Names that are not UTF-8, with replacement characters. No path leads to these.
  public private(set) var unreadable: [String] = []
  /// The folders below that cannot be listed.
  public private(set) var faults: [(name: String, error: ArtError)] = []

  /// Lists a folder. With `isRecursive` the folders below are listed, too, but for hidden ones and those behind symbolic links. Throws
  /// `noSuchDocument`, `notPermitted`, `inputOutput` for the folder itself.
  public init(of folder: String, isRecursive: Bool = false) throws(ArtError) {
    var waiting = try add(folder, prefix: "", isRecursive ? Self.deepest : 0)
    while let next = waiting.popLast() {
      do throws(ArtError) {
        waiting += try add("\(folder)/\(next.name)", prefix: next.name + "/", next.left)
      } catch {
        faults.append((next.name, error))
      }
    }
    names.sort { FilePath($0) < FilePath($1) }
    unreadable.sort { FilePath($0) < FilePath($1) }
  }

  /// Adds the documents of one folder. Returns the folders in it, if some are left to go down.
  private mutating func add(
    _ folder: String, prefix: String, _ left: Int
  ) throws(ArtError) -> [(name: String, left: Int)] {
    var folders: [(name: String, left: Int)] = []
    do throws(SystemError) {
      try FolderEntry.each(in: folder) { entry in
        if add(entry, prefix: prefix) || left == 0 || entry.isHidden { return }
        guard let name = entry.name else { return }
        do throws(SystemError) {
          if try entry.kind() == .folder { folders.append((prefix + name, left - 1)) }
        } catch {
          // One that is gone meanwhile is none.
          if error.number != ENOENT {
            faults.append((prefix + name, ArtError(error, cannot: "look at", prefix + name)))
          }
        }
      }
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
    return folders
  }

  /// Adds an entry that is called like a document. Returns whether it is.
  private mutating func add(_ entry: FolderEntry, prefix: String) -> Bool {
    let ending = Format.fileExtension.utf8
    let bytes = entry.nameBytes
    guard bytes.count > ending.count, bytes.suffix(ending.count).elementsEqual(ending) else { return false }
    guard !FolderEntry.isAppleDouble(bytes), !entry.leadsToFolder else { return false }
    switch entry.listedKind {
    case .pipe, .socket, .device: return false
    case .file, .folder, .link, nil: break
    }
    if let name = entry.name {
      names.append(prefix + name)
    } else {
      unreadable.append(prefix + entry.displayName)
    }
    return true
  }
}

extension DocumentFile {
  /// A document that was found in a folder, and that the user has not named: a symbolic link of another user is not followed, which could lead to a
  /// document that is not meant to be shown to others. Throws `notADocument` for one.
  package init(found path: String, timeout: Duration) throws(ArtError) {
    var (real, stranger) = (path, uid_t?.none)
    do throws(SystemError) {
      switch try Ownership.end(of: path) {
      case .path(let end): if FileIdentity(at: end) != nil { real = end }
      case .foreignLink(let owner): stranger = owner
      }
    } catch {
      // Opening it meets the same error.
    }
    if let stranger {
      throw .notADocument(path, "only a symbolic link of another user (\(stranger)) leads to it")
    }
    self.init(real, timeout: timeout)
    (name, followsLinks) = (path, false)
  }
}

enum NearNames {
  /// At most two documents in a path's folder whose names are similar to its own.
  static func documents(near path: String) -> [String] {
    let parts = FilePath(path)
    // This is only a hint, so a folder that cannot be listed gives none.
    guard let names = try? FolderListing(of: parts.folder).names else { return [] }
    // Without the extension, which all names share.
    let stems = names.map { FilePath($0).without(ending: Format.fileExtension).string }
    let stem = FilePath(parts.name).without(ending: Format.fileExtension).string
    // Never the very name, nor one that looks like it.
    return nearest(to: stem, among: stems.filter { $0 != stem }).map {
      parts.prefix + $0 + Format.fileExtension
    }
  }
}
