// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// One file that is to become a document.
public struct ImportSource: Sendable {
  /// What the files of a folder have in common. There may be very many: each keeps its own name only.
  final class Folder: Sendable {
    /// The folder itself.
    let path: String
    /// Where its documents go.
    let target: String

    init(_ path: String, target: String) { (self.path, self.target) = (path, target) }
  }

  private enum Place: Sendable {
    case bytes(name: String, target: String)
    case named(String, target: String)
    case found(String, in: Folder)
  }

  private let place: Place

  /// What a person named, and the path of its document.
  public init(_ path: String, target: String) { place = .named(path, target: target) }

  /// What was found in a folder.
  init(_ name: String, in folder: Folder) { place = .found(name, in: folder) }

  private init(_ place: Place) { self.place = place }

  /// Bytes that are there; messages call them by that name.
  public static func bytes(name: String, target: String) -> ImportSource {
    ImportSource(.bytes(name: name, target: target))
  }

  /// Nil for bytes that are there.
  public var path: String? {
    switch place {
    case .bytes: nil
    case .named(let path, _): path
    case .found(let name, let folder): FilePath.path(of: name, in: folder.path)
    }
  }

  /// What messages call it.
  public var name: String {
    if case .bytes(let name, _) = place { name } else { path ?? "" }
  }

  /// The path of the document.
  public var target: String {
    switch place {
    case .bytes(_, let target), .named(_, let target): target
    case .found(let name, let folder): Self.target(of: name, in: folder.target)
    }
  }

  /// Whether it was found in a folder: what is no document is passed over then, and no link is followed.
  var isFound: Bool { if case .found = place { true } else { false } }
}

extension ImportSource {
  /// What files of documents end in: our own ending, and the one of JSON.
  static let endings = [DocumentFile.ending, ".json"]

  /// Where the document of a file of that name is to be. By bytes: to Swift a character before the point may be one with it.
  static func target(of name: String, in folder: String) -> String {
    var stem = Substring(name)
    for ending in endings where name.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) {
      stem = Substring(name.unicodeScalars.dropLast(ending.unicodeScalars.count))
    }
    return FilePath.path(of: stem + DocumentFile.ending, in: folder)
  }

  /// Whether its name is that of a document.
  var isCalledDocument: Bool {
    name.utf8.suffix(DocumentFile.ending.utf8.count).elementsEqual(DocumentFile.ending.utf8)
  }

  /// Whether its name has an ending at all.
  var hasEnding: Bool { FilePath(name).name.utf8.contains(UInt8(ascii: ".")) }
}

/// What is to be imported: the files that people named and those found in folders, in order.
public struct ImportList: Sendable {
  /// The folder that documents go to.
  public let folder: String
  private let isRecursive: Bool
  /// The files.
  public private(set) var sources: [ImportSource] = []
  /// What of the folders may count by its name, and is neither a file nor a folder; what it is instead.
  public private(set) var passed: [(name: String, kind: String)] = []
  /// What cannot be looked at.
  public private(set) var faults: [(name: String, error: ArtError)] = []
  /// Files that do not count by their names.
  public private(set) var others = 0
  /// Folders in folders that nobody asked to look into.
  public private(set) var foldersPassed = 0
  /// Whether a folder was named.
  public private(set) var hasFolder = false

  /// An empty one; `isRecursive` has folders in folders looked through, too.
  public init(folder: String, isRecursive: Bool) {
    self.folder = folder
    self.isRecursive = isRecursive
  }

  /// Adds a source.
  public mutating func add(_ source: ImportSource) { sources.append(source) }

  /// A file that a person named.
  public mutating func addFile(_ path: String) {
    add(ImportSource(path, target: ImportSource.target(of: FilePath(path).name, in: folder)))
  }

  /// The files of a folder, and of those in it where these are wanted.
  public mutating func addFolder(_ path: String) {
    hasFolder = true
    var waiting = [(path: path, target: folder, depth: 0)]
    while let next = waiting.popLast() {
      let contents: ImportFolder
      do throws(ArtError) {
        contents = try ImportFolder(next.path)
      } catch {
        faults.append((next.path, error))
        continue
      }
      for name in contents.unreadable {
        faults.append(
          (next.path, ArtError(.badValue, "\(name) has a name that is no UTF-8; rename it", about: name)))
      }
      let found = ImportSource.Folder(next.path, target: next.target)
      for entry in contents.entries {
        switch entry.kind {
        case .file where Self.mayCount(entry.name): add(ImportSource(entry.name, in: found))
        case .file: others += 1
        case .folder: break
        case _ where Self.mayCount(entry.name):
          passed.append((FilePath.path(of: entry.name, in: next.path), entry.kind.rawValue))
        default: others += 1
        }
      }
      guard isRecursive else {
        foldersPassed += contents.folders.count
        continue
      }
      for name in contents.folders.reversed() {
        let path = FilePath.path(of: name, in: next.path)
        guard next.depth < Self.deepest else {
          faults.append(
            (path, ArtError(.tooLarge, "it is more than \(Self.deepest) folders deep; name it alone")))
          continue
        }
        waiting.append((path, FilePath.path(of: name, in: next.target), next.depth + 1))
      }
    }
  }

  private static let deepest = 64

  /// Whether files of that name may be documents: by their endings, or because they have none.
  static func mayCount(_ name: String) -> Bool {
    let bytes = name.utf8
    return ImportSource.endings.contains {
      bytes.count > $0.utf8.count && bytes.suffix($0.utf8.count).elementsEqual($0.utf8)
    }
      || !bytes.contains(UInt8(ascii: "."))
  }
}

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
    guard let name = entry.name else { return unreadable.append(entry.displayName) }
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
