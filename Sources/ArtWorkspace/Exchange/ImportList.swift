// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// One file to import.
public struct ImportSource: Sendable {
  /// What the files of a folder share. There may be very many files, so each stores only its name.
  final class Folder: Sendable {
    /// The folder's path.
    let path: String
    /// The folder for its documents.
    let target: String

    init(_ path: String, target: String) { (self.path, self.target) = (path, target) }
  }

  private enum Origin: Sendable {
    case bytes(name: String, target: String)
    case named(String, target: String)
    case found(String, in: Folder)
  }

  private let origin: Origin

  /// A path that the user named, and the path of its document.
  public init(_ path: String, target: String) { origin = .named(path, target: target) }

  /// A file that was found in a folder.
  init(_ name: String, in folder: Folder) { origin = .found(name, in: folder) }

  private init(_ origin: Origin) { self.origin = origin }

  /// Bytes in memory; `name` is for messages.
  public static func bytes(name: String, target: String) -> ImportSource {
    ImportSource(.bytes(name: name, target: target))
  }

  /// The path; nil for bytes in memory.
  public var path: String? {
    switch origin {
    case .bytes: nil
    case .named(let path, _): path
    case .found(let name, let folder): FilePath.path(of: name, in: folder.path)
    }
  }

  /// The name for messages.
  public var name: String {
    if case .bytes(let name, _) = origin { name } else { path ?? "" }
  }

  /// The path of the document.
  public var target: String {
    switch origin {
    case .bytes(_, let target), .named(_, let target): target
    case .found(let name, let folder): Self.target(of: name, in: folder.target)
    }
  }

  /// Whether it was found in a folder: then other files are skipped and links are not followed.
  var isFound: Bool { if case .found = origin { true } else { false } }
}

extension ImportSource {
  /// The extensions of documents: our own and that of JSON.
  static let endings = [DocumentFile.ending, ".json"]

  /// The path of the document for a file name. Works on bytes: to Swift the character before the point may combine with it.
  static func target(of name: String, in folder: String) -> String {
    var stem = Substring(name)
    for ending in endings where name.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) {
      stem = Substring(name.unicodeScalars.dropLast(ending.unicodeScalars.count))
    }
    return FilePath.path(of: stem + DocumentFile.ending, in: folder)
  }

  /// Whether its name has a document's extension.
  var isCalledDocument: Bool {
    name.utf8.suffix(DocumentFile.ending.utf8.count).elementsEqual(DocumentFile.ending.utf8)
  }

  /// Whether its name has an extension at all.
  var hasEnding: Bool { FilePath(name).name.utf8.contains(UInt8(ascii: ".")) }
}

/// Files of folders that are no documents: their number, and the first of them.
public struct OtherFiles: Sendable {
  /// The largest number of paths that are kept: there may be very many files.
  private static let named = 3
  /// The paths of the first ones.
  public private(set) var first: [String] = []
  /// The number of all.
  public private(set) var count = 0

  mutating func add(_ path: String) {
    count += 1
    if first.count < Self.named { first.append(path) }
  }
}

/// The files to import: those that the user named, and those found in folders, in order.
public struct ImportList: Sendable {
  /// The folder for documents.
  public let folder: String
  private let isRecursive: Bool
  /// The files.
  public private(set) var sources: [ImportSource] = []
  /// Entries of folders that are neither files nor folders although their names qualify; with what they are.
  public private(set) var passed: [(name: String, kind: String)] = []
  /// Paths that cannot be read.
  public private(set) var faults: [(name: String, error: ArtError)] = []
  /// The files whose names do not qualify.
  public private(set) var others = OtherFiles()
  /// The number of subfolders that were skipped.
  public private(set) var foldersPassed = 0
  /// Whether a folder was named.
  public private(set) var hasFolder = false

  /// An empty list; `isRecursive` includes subfolders.
  public init(folder: String, isRecursive: Bool) {
    self.folder = folder
    self.isRecursive = isRecursive
  }

  /// Adds a source.
  public mutating func add(_ source: ImportSource) { sources.append(source) }

  /// Adds a file that the user named.
  public mutating func addFile(_ path: String) {
    add(ImportSource(path, target: ImportSource.target(of: FilePath(path).name, in: folder)))
  }

  /// Adds the files of a folder, and of its subfolders if `isRecursive`.
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
        case .file: others.add(FilePath.path(of: entry.name, in: next.path))
        case .folder: break
        case _ where Self.mayCount(entry.name):
          passed.append((FilePath.path(of: entry.name, in: next.path), entry.kind.rawValue))
        default: others.add(FilePath.path(of: entry.name, in: next.path))
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

  /// Whether a file name qualifies: it has a document's extension or none.
  static func mayCount(_ name: String) -> Bool {
    let bytes = name.utf8
    return ImportSource.endings.contains {
      bytes.count > $0.utf8.count && bytes.suffix($0.utf8.count).elementsEqual($0.utf8)
    }
      || !bytes.contains(UInt8(ascii: "."))
  }
}

/// The entries of a folder, sorted by name, without hidden files.
struct ImportFolder {
  /// The type of an entry.
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
  /// Names that are not UTF-8, with replacement characters.
  private(set) var unreadable: [String] = []

  var folders: [String] { entries.filter { $0.kind == .folder }.map(\.name) }

  /// Lists a folder. Throws `noSuchDocument`, `notPermitted`, `inputOutput`.
  init(_ path: String) throws(ArtError) {
    do throws(SystemError) {
      try FolderEntry.each(in: path) { if !$0.isHidden { add($0) } }
    } catch {
      throw .notRead(path, error.number)
    }
    entries.sort { FilePath($0.name) < FilePath($1.name) }
    unreadable.sort { FilePath($0) < FilePath($1) }
  }

  private mutating func add(_ entry: FolderEntry) {
    guard let name = entry.name else { return unreadable.append(entry.displayName) }
    do throws(SystemError) { entries.append((name, Kind(try entry.kind()))) } catch {
      // A missing entry was removed meanwhile; any other is reported as skipped.
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
