// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// What this machine keeps of the warnings about documents: a small file for each, by the document's id and its path without
/// symbolic links, in the state folder.
///
///     $STATE/warnings/ID-DIGEST.json    {"lastRefused":"…","stopped":true,"told":true}
///     $STATE/warnings/new               what is being written, under the lock on the folder; a kill may leave it there
public struct WarningStore: Sendable {
  /// Nil where there is no state folder: then nothing was told, and nothing is kept.
  private let folder: String?
  private let name: String

  /// Of the document in that file. Throws what reading the document throws.
  public init(for document: DocumentFile) throws(ArtError) {
    try self.init(for: document, in: Self.standardFolder)
  }

  init(for document: DocumentFile, in folder: String?) throws(ArtError) {
    let path = Array((try document.realPath() ?? document.path).utf8)
    let id = try document.quickBase().id
    name = "\(id)-\(path.withUnsafeBufferPointer { ContentDigest.of($0) }).json"
    self.folder = folder
  }

  private static var standardFolder: String? {
    // Where no variable names a folder nothing is kept, which warns a person once too often at most.
    do throws(ArtError) { return try StateFolder.path() + "/warnings" } catch { return nil }
  }

  /// What a record has of a URL, for `lastRefused`: nothing that the URL could be read from.
  public func digest(of url: String) -> String {
    Array(url.utf8).withUnsafeBufferPointer { ContentDigest.of($0) }
  }

  /// What is kept; nothing was told where nothing is, or what is there cannot be read.
  public func record() -> WarningRecord {
    // A person is warned once too often at most.
    do throws(ArtError) { return try read() } catch { return WarningRecord() }
  }

  /// What is kept; foreign and damaged content is as if nothing was. What could not be read might be there, and throws: it is
  /// not to be written over.
  private func read() throws(ArtError) -> WarningRecord {
    guard let folder else { return WarningRecord() }
    let path = "\(folder)/\(name)"
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw .system("look at", path) }
      return WarningRecord()
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.largest else { return WarningRecord() }
    let bytes = try PlainFile.read(path, limit: Self.largest) ?? []
    do throws(ArtError) {
      return try bytes.withUnsafeBufferPointer { (bytes) throws(ArtError) in
        try JSONReader.read(bytes) { (json) throws(ArtError) in try WarningRecord(from: &json) }
      }
    } catch {
      return WarningRecord()
    }
  }

  /// Changes what is kept, one program after the other, and returns what it was before. Throws `inputOutput`, `notPermitted`,
  /// `diskFull`; `busy` when another program does not let go of it for a second.
  @discardableResult
  public func update(_ change: (inout WarningRecord) -> Void) throws(ArtError) -> WarningRecord {
    guard let folder else { return WarningRecord() }
    try StateFolder.makeFolders(folder)
    let lock = try FolderLock(folder, patience: .seconds(1))
    defer { withExtendedLifetime(lock) {} }
    let before = try read()
    var after = before
    change(&after)
    guard after != before else { return before }
    guard after != WarningRecord() else {
      guard unlink("\(folder)/\(name)") == 0 || errno == ENOENT else {
        throw .system("remove", "\(folder)/\(name)")
      }
      return before
    }
    let new = "\(folder)/new"
    guard unlink(new) == 0 || errno == ENOENT else { throw .system("remove", new) }
    try PlainFile.create(new, Array(after.text.utf8))
    guard rename(new, "\(folder)/\(name)") == 0 else { throw .system("write", "\(folder)/\(name)") }
    return before
  }

  /// More than a record has.
  private static let largest = 1_024
}

extension WarningRecord {
  fileprivate var text: String {
    JSON.object([
      "lastRefused": .optional(lastRefused), "stopped": .boolean(isStopped), "told": .boolean(wasTold),
    ]).text + "\n"
  }

  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    self.init()
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "lastRefused": lastRefused = reader.null() ? nil : try reader.string()
      case "stopped": isStopped = try reader.boolean()
      case "told": wasTold = try reader.boolean()
      default: throw reader.error("a record with the key \"\(key)\"")
      }
    }
  }
}
