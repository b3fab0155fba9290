// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// One file that is to become a document.
struct ImportSource: Equatable {
  /// What messages call it.
  let name: String
  /// Nil for stdin.
  let path: String?
  /// The path of the document.
  let target: String
  /// Whether it was found in a folder: what is no document is passed over then, and no link is followed.
  var isFound = false
}

extension ImportSource {
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
    add(ImportSource(name: path, path: path, target: target(PathParts(path).name)))
  }

  /// The files of a folder, and of those in it where these are wanted.
  mutating func addFolder(_ path: String) {
    hasFolder = true
    var waiting = [(path: path, below: "", depth: 0)]
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
      for entry in contents.entries {
        let path = CommonOptions.path(of: entry.name, in: next.path)
        switch entry.kind {
        case .file where Self.mayCount(entry.name):
          let target = target(next.below + entry.name)
          add(ImportSource(name: path, path: path, target: target, isFound: true))
        case .file: others += 1
        case .other(let kind) where Self.mayCount(entry.name): passed.append((path, kind))
        case .other: others += 1
        case .folder: break
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
        waiting.append((path, "\(next.below)\(name)/", next.depth + 1))
      }
    }
  }

  private static let deepest = 64

  /// Whether files of that name may be documents: by their endings, or because they have none.
  static func mayCount(_ name: String) -> Bool {
    let bytes = name.utf8
    return endings.contains {
      bytes.count > $0.utf8.count && bytes.suffix($0.utf8.count).elementsEqual($0.utf8)
    }
      || !bytes.contains(UInt8(ascii: "."))
  }

  private static let endings = [DocumentFile.ending, ".json"]

  /// Where the document of a file of that name is to be. By bytes: to Swift a character before the point may be one with it.
  private func target(_ name: String) -> String {
    var stem = Substring(name)
    for ending in Self.endings where name.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) {
      stem = Substring(name.unicodeScalars.dropLast(ending.unicodeScalars.count))
    }
    return CommonOptions.path(of: stem + DocumentFile.ending, in: folder)
  }
}
