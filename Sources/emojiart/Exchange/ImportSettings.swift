// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtWorkspace
import Glibc

/// What the words of `import` ask for, read before any file is touched.
struct ImportSettings {
  let files: [String]
  let name: String?
  let into: String?
  let isRecursive: Bool
  let isOffline: Bool
  let allowsPrivate: Bool
  let choice: WarningChoice?
  let common: CommonOptions

  var isJSON: Bool { common.json }

  /// Throws `usage` and `badValue`.
  init(_ words: Import) throws(ArtError) {
    files = words.files
    name = words.name
    into = try words.into.map { (folder) throws(ArtError) in try CommonOptions.checked(folder) }
    isRecursive = words.recursive
    isOffline = words.offline
    allowsPrivate = words.allowPrivate
    choice = try words.warnings.choice()
    common = words.common
    try check()
  }

  private func check() throws(ArtError) {
    if let name {
      guard files.count == 1 else {
        throw ArtError(.usage, "--as names one document, and there are \(files.count) files; use --into")
      }
      if into != nil, FilePath(name).hasSlash {
        throw ArtError(.usage, "--as with a path, or --into: give one of them")
      }
    }
    if files.contains("-"), name == nil || files.count > 1 {
      throw ArtError(.usage, "- stands for stdin, alone and with a name for the document; add --as")
    }
    if isOffline, allowsPrivate {
      throw ArtError(.usage, "--offline fetches nothing, so that --allow-private has no use; leave one out")
    }
  }

  /// All that is to be imported. Throws what keeps from beginning at all.
  func list() throws(ArtError) -> ImportList {
    let folder = if let into { into } else { try common.currentFolder() }
    var list = ImportList(folder: folder, isRecursive: isRecursive)
    for file in files {
      guard file != "-" else {
        list.add(.bytes(name: "stdin", target: try target(name ?? "")))
        continue
      }
      guard !file.isEmpty else { throw ArtError(.badValue, "an empty name is no file; give one") }
      let isFolder = FileStatus.isFolder(at: file)
      if let name {
        guard !isFolder else {
          throw ArtError(.usage, "\(file) is a folder, and --as names one document; use --into")
        }
        list.add(ImportSource(file, target: try target(name)))
      } else if isFolder {
        list.addFolder(file)
      } else {
        list.addFile(file)
      }
    }
    return list
  }

  private func target(_ name: String) throws(ArtError) -> String {
    var options = common
    options.folder = into ?? common.folder
    return try options.newFile(name).path
  }
}
