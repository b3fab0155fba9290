// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// Paths of documents as users type them.
///
/// A Mac writes é as two scalars, a keyboard types it as one: the same text in other bytes, and on Linux two files. So a typed path means
/// the one file whose path is the same text, and no document gets a name that is the same text as that of a file beside it: its twin.
package enum TypedPath {
  /// The path of what a typed path means: itself if something is there, else the only entry of that text, folder by folder. The path itself
  /// if there is none. Throws `ambiguous` for several.
  package static func existing(_ path: String) throws(ArtError) -> String {
    guard isMissing(path) else { return path }
    let place = try inExistingFolder(path)
    guard isMissing(place) else { return place }
    let twins = twins(of: place)
    guard twins.count <= 1 else { throw .severalTwins(twins, of: path) }
    return twins.first?.string ?? place
  }

  /// The path with its folder as `existing` finds it.
  package static func inExistingFolder(_ path: String) throws(ArtError) -> String {
    let parts = FilePath(path)
    guard parts.hasSlash, isMissing(parts.folder) else { return path }
    return FilePath.path(of: parts.name, in: try existing(parts.folder))
  }

  /// The entries beside a path, without itself, whose names are the same text as its own, sorted. None if the folder cannot be read.
  static func twins(of path: String) -> [FilePath] {
    let parts = FilePath(path)
    guard mayHaveTwins(parts.name) else { return [] }
    var twins: [FilePath] = []
    do throws(SystemError) {
      try FolderEntry.each(in: parts.folder) { entry in
        // Strings are equal if they are canonically equivalent.
        guard let name = entry.name, name == parts.name, FilePath(name) != FilePath(parts.name) else {
          return
        }
        twins.append(FilePath(parts.prefix + name))
      }
    } catch {
      return []
    }
    return twins.sorted()
  }

  /// False for nearly all names in ASCII, so that their folder need not be read: of its characters only `;`, `` ` `` and K have another
  /// spelling, by the canonical decompositions of Unicode.
  private static func mayHaveTwins(_ name: String) -> Bool {
    name.utf8.contains {
      $0 >= 0x80 || [UInt8(ascii: ";"), UInt8(ascii: "`"), UInt8(ascii: "K")].contains($0)
    }
  }

  private static func isMissing(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
  }
}

extension DocumentFile {
  /// Throws `exists` if a file is at the path, or beside it one whose name is the same text; `noSuchDocument` if its folder is missing. A
  /// file that is to be moved to the path is no obstacle.
  func checkFree(
    movingFrom old: DocumentFile? = nil, remedy: ArtError.Remedy = .chooseName
  ) throws(ArtError) {
    var status = stat()
    guard lstat(path, &status) != 0 else {
      throw ArtError(.exists, "\(name) exists already", about: name, remedy: remedy)
    }
    // By what it is: the same file may be named by another path, such as one below a folder that is held open.
    let moved = old.flatMap { FileIdentity(at: $0.path) }
    if let twin = TypedPath.twins(of: path).first(where: {
      moved == nil || FileIdentity(at: $0.string) != moved
    }) {
      throw .twinExists(twin, of: name)
    }
    let folder = FilePath(path).folder
    guard stat(folder, &status) == 0 else {
      throw ArtError(
        .noSuchDocument, "no folder \(folder) to create \(name) in; make it first", about: folder)
    }
  }
}

extension ArtError {
  static func twinExists(_ twin: FilePath, of name: String) -> ArtError {
    ArtError(
      .exists, "\(name) exists already, in another spelling of Unicode: \(twin.name.spelledOut)", about: name,
      remedy: .chooseName)
  }

  static func severalTwins(_ twins: [FilePath], of name: String) -> ArtError {
    let names = twins.map(\.name.spelledOut).joined(separator: ", ")
    return ArtError(
      .ambiguous,
      "\(name) is the name of \(twins.count) files, in different spellings of Unicode: \(names); rename one by its own bytes, as the shell completes them",
      about: name)
  }
}

extension String {
  /// The text with all scalars outside ASCII as numbers, so that two spellings look different: `cafe\u{301}`.
  fileprivate var spelledOut: String {
    unicodeScalars.map { $0.isASCII ? String($0) : "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
      .joined()
  }
}
