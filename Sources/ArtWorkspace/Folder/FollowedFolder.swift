// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// A folder that is followed, or documents in it.
public struct FollowedFolder: Equatable, Sendable {
  private let folderPath: FilePath
  /// The folder as it is opened.
  public var folder: String { folderPath.string }
  /// The wanted documents by their names in the folder, with their display names; nil for all documents.
  package var names: [FilePath: String]?

  /// A folder, or documents in it.
  package init(folder: String, names: [FilePath: String]? = nil) {
    (folderPath, self.names) = (FilePath(folder), names)
  }

  /// The display name of a document, by its path in the folder.
  public func name(of document: String) -> String {
    names?[FilePath(document)] ?? FilePath.path(of: document, in: folder)
  }

  /// The display name of the folder.
  public var folderName: String { names?.values.lazy.map { FilePath($0) }.min()?.folder ?? folder }

  /// A title for display.
  public var title: String {
    names?.values.map { FilePath($0) }.sorted().map(\.string).joined(separator: ", ") ?? folder
  }
}

extension FollowedFolder {
  /// The folders to follow for the paths that the user named: folders, or documents, which `file` finds. `here` is the default. A
  /// path within another one is left out. Throws `noSuchDocument` for a missing path, `badValue` for a path without a document's
  /// ending.
  public static func places(
    _ typed: [String], in here: String, isRecursive: Bool, file: (String) throws(ArtError) -> DocumentFile
  ) throws(ArtError) -> [FollowedFolder] {
    var folders: [(real: FilePath, folder: FollowedFolder)] = []
    var documents: [Document] = []
    for typedName in typed.isEmpty ? [here] : typed {
      let name = try TypedPath.existing(typedName)
      if let real = realFolder(name) {
        folders.append((real, FollowedFolder(folder: name)))
      } else if typed.isEmpty || FilePath(name).endsWithSlash {
        throw .noFolder(name)
      } else {
        documents.append(try document(name, file))
      }
    }
    var result = folders.enumerated().filter { index, folder in
      !folders.enumerated().contains { other, outer in
        outer.real == folder.real ? other < index : isRecursive && folder.real.isWithin(outer.real)
      }
    }.map(\.element)
    for document in documents {
      let isCovered = result.contains { outer in
        outer.folder.names == nil
          && (outer.real == document.real || isRecursive && document.real.isWithin(outer.real))
      }
      guard !isCovered else { continue }
      if let index = result.firstIndex(where: { $0.real == document.real && $0.folder.names != nil }) {
        result[index].folder.names?[document.name] = document.called
      } else {
        let folder = FollowedFolder(folder: document.folder, names: [document.name: document.called])
        result.append((document.real, folder))
      }
    }
    return result.map(\.folder)
  }

  /// A document to follow, and its folder without symbolic links and as it is opened.
  private struct Document {
    let real: FilePath
    let folder: String
    let name: FilePath
    let called: String
  }

  /// A document's folder and its name in it, symbolic links resolved: the watcher follows none.
  private static func document(
    _ typed: String, _ file: (String) throws(ArtError) -> DocumentFile
  ) throws(ArtError) -> Document {
    let file = try file(typed)
    do throws(ArtError) { _ = try file.stamp() } catch {
      // The user may have meant a folder.
      guard error.code == .noSuchDocument, !DocumentName.hasEnding(typed) else { throw error }
      throw error.withCause("no folder \(typed), and \(error.cause)")
    }
    guard let resolved = FilePath.resolvedIfThere(file.path) else { throw .noFolder(typed) }
    let parts = FilePath(resolved)
    guard parts.hasEnding(DocumentFile.ending) else {
      throw ArtError(.badValue, "\(file.path) has not the ending .emojiart; rename it to have it watched")
    }
    // Messages name the document as given, unless it is a symbolic link.
    let given = FilePath(file.path)
    let isLink =
      realFolder(given.folder).map { FilePath(FilePath.path(of: given.name, in: $0.string)) } != parts
    return Document(
      real: FilePath(parts.folder), folder: isLink ? parts.folder : given.folder, name: FilePath(parts.name),
      called: file.path)
  }

  private static func realFolder(_ name: String) -> FilePath? {
    FileStatus.isFolder(at: name) ? FilePath.resolvedIfThere(name).map { FilePath($0) } : nil
  }
}

extension ArtError {
  fileprivate static func noFolder(_ name: String) -> ArtError {
    ArtError(.noSuchDocument, "no folder \(name); give one that is there, or a document", about: name)
  }
}
