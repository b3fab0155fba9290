// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// One file that is to become a document.
struct ImportSource {
  /// What the files of a folder have in common. There may be very many: each keeps its own name only.
  final class Folder: Sendable {
    /// The folder itself.
    let path: String
    /// Where its documents go.
    let target: String

    init(_ path: String, target: String) { (self.path, self.target) = (path, target) }
  }

  private enum Place {
    case stdin(target: String)
    case named(String, target: String)
    case found(String, in: Folder)
  }

  private let place: Place

  /// What a person named.
  init(_ path: String, target: String) { place = .named(path, target: target) }

  /// What was found in a folder.
  init(_ name: String, in folder: Folder) { place = .found(name, in: folder) }

  private init(_ place: Place) { self.place = place }

  static func stdin(target: String) -> ImportSource { ImportSource(.stdin(target: target)) }

  /// Nil for stdin.
  var path: String? {
    switch place {
    case .stdin: nil
    case .named(let path, _): path
    case .found(let name, let folder): CommonOptions.path(of: name, in: folder.path)
    }
  }

  /// What messages call it.
  var name: String { path ?? "stdin" }

  /// The path of the document.
  var target: String {
    switch place {
    case .stdin(let target), .named(_, let target): target
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
    return CommonOptions.path(of: stem + DocumentFile.ending, in: folder)
  }

  /// Whether its name is that of a document.
  var isCalledDocument: Bool {
    name.utf8.suffix(DocumentFile.ending.utf8.count).elementsEqual(DocumentFile.ending.utf8)
  }

  /// Whether its name has an ending at all.
  var hasEnding: Bool { PathParts(name).name.utf8.contains(UInt8(ascii: ".")) }
}

/// What `import` has to do: the files that people named and those found in folders, in order.
struct ImportList {
  /// The folder that documents go to.
  let folder: String
  let isRecursive: Bool
  private(set) var sources: [ImportSource] = []
  /// What of the folders may count by its name, and is neither a file nor a folder; what it is instead.
  private(set) var passed: [(name: String, kind: String)] = []
  /// What cannot be looked at.
  private(set) var faults: [(name: String, error: ArtError)] = []
  /// Files that do not count by their names.
  private(set) var others = 0
  /// Folders in folders that nobody asked to look into.
  private(set) var foldersPassed = 0
  /// Whether a folder was named.
  private(set) var hasFolder = false

  init(folder: String, isRecursive: Bool) {
    self.folder = folder
    self.isRecursive = isRecursive
  }

  mutating func add(_ source: ImportSource) { sources.append(source) }

  /// A file that a person named.
  mutating func addFile(_ path: String) {
    add(ImportSource(path, target: ImportSource.target(of: PathParts(path).name, in: folder)))
  }

  /// The files of a folder, and of those in it where these are wanted.
  mutating func addFolder(_ path: String) {
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
        faults.append((next.path, ArtError(.badValue, "\(name) has a name that is no UTF-8; rename it")))
      }
      let found = ImportSource.Folder(next.path, target: next.target)
      for entry in contents.entries {
        switch entry.kind {
        case .file where Self.mayCount(entry.name): add(ImportSource(entry.name, in: found))
        case .file: others += 1
        case .folder: break
        case _ where Self.mayCount(entry.name):
          passed.append((CommonOptions.path(of: entry.name, in: next.path), entry.kind.rawValue))
        default: others += 1
        }
      }
      guard isRecursive else {
        foldersPassed += contents.folders.count
        continue
      }
      for name in contents.folders.reversed() {
        let path = CommonOptions.path(of: name, in: next.path)
        guard next.depth < Self.deepest else {
          faults.append(
            (path, ArtError(.tooLarge, "it is more than \(Self.deepest) folders deep; name it alone")))
          continue
        }
        waiting.append((path, CommonOptions.path(of: name, in: next.target), next.depth + 1))
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
