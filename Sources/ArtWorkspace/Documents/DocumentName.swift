// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// The names of documents, as people give them.
public enum DocumentName {
  /// Whether a document may be called so: by a path or a plain name, with or without the ending of documents.
  public static func isValid(_ document: String) -> Bool {
    let name = FilePath(document).name
    return !document.hasSuffix("/") && !["", ".", "..", DocumentFile.ending].contains(name)
      && !name.unicodeScalars.contains(where: \.isUnsafeOnTerminal)
  }

  /// Without the ending of documents, where it has that. By bytes: to Swift a character before the point may be one with it.
  public static func withoutEnding(_ document: String) -> String {
    let ending = DocumentFile.ending
    guard document.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) else { return document }
    return String(document.unicodeScalars.dropLast(ending.unicodeScalars.count))
  }

  /// With the ending of documents, which is added where it is missing.
  public static func withEnding(_ document: String) -> String {
    document.hasSuffix(DocumentFile.ending) ? document : document + DocumentFile.ending
  }
}

extension FilePath {
  /// The path of what a folder holds, as short as it can be.
  package static func path(of name: String, in folder: String) -> String {
    if folder == "." { return name }
    return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }
}

extension DocumentFile {
  /// Throws `exists` where something stands at the path, `noSuchDocument` where its folder is missing.
  func checkFree() throws(ArtError) {
    var status = stat()
    guard lstat(path, &status) != 0 else {
      throw ArtError(.exists, "\(path) exists already; choose another name")
    }
    let folder = FilePath(path).folder
    guard stat(folder, &status) == 0 else {
      throw ArtError(.noSuchDocument, "no folder \(folder) to create \(path) in; make it first")
    }
  }
}
