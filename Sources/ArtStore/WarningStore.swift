// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The state of warnings about documents on this machine: a small file per document in the state folder, named by the document's id
/// and its path without symbolic links.
///
///     $STATE/warnings/ID-DIGEST.json    {"lastRefused":"…","stopped":true,"told":true}; no file for the initial state
public struct WarningStore: Sendable {
  /// Nil if there is no state folder; then no warning was shown, and nothing is stored.
  private let file: ReplacedFile?

  /// The store for a document. Throws what reading the document throws.
  public init(for document: DocumentFile) throws(ArtError) {
    try self.init(for: document, in: Self.standardFolder)
  }

  /// The same in that folder; nil stores nothing.
  package init(for document: DocumentFile, in folder: String?) throws(ArtError) {
    let path = Array((try document.realPath() ?? document.path).utf8)
    let id = try document.quickBase().id
    let name = "\(id)-\(path.withUnsafeBufferPointer { ContentDigest.of($0) }).json"
    // The limit is larger than any record.
    file = folder.map { ReplacedFile(path: "\($0)/\(name)", limit: 1_024, isPrivate: true) }
  }

  private static var standardFolder: String? {
    // Without a folder nothing is stored; at worst the user is warned once too often.
    do throws(ArtError) { return try StateFolder.path() + "/warnings" } catch { return nil }
  }

  /// The digest of a URL for `lastRefused`, from which the URL cannot be recovered.
  public func digest(of url: String) -> String {
    Array(url.utf8).withUnsafeBufferPointer { ContentDigest.of($0) }
  }

  /// The stored record; the initial one if there is none. Throws `inputOutput`, `notPermitted`.
  public func record() throws(ArtError) -> WarningRecord { Self.record(in: try file?.read()) }

  /// Changes the record under a lock, and returns the one before. Throws `inputOutput`, `notPermitted`,
  /// `diskFull`; `busy` if another program keeps the lock for a second.
  @discardableResult
  public func update(_ change: (inout WarningRecord) -> Void) throws(ArtError) -> WarningRecord {
    guard let file else { return WarningRecord() }
    return try file.update { (bytes) throws(ArtError) in
      let before = Self.record(in: bytes)
      var after = before
      change(&after)
      guard after != before else { return (bytes, before) }
      return (after == WarningRecord() ? nil : Array(after.text.utf8), before)
    }
  }

  /// The record in a file; foreign and damaged content counts as empty.
  private static func record(in bytes: [UInt8]?) -> WarningRecord {
    guard let bytes else { return WarningRecord() }
    do throws(ArtError) {
      return try bytes.withUnsafeBufferPointer { (bytes) throws(ArtError) in
        try JSONReader.read(bytes) { (json) throws(ArtError) in try WarningRecord(from: &json) }
      }
    } catch {
      return WarningRecord()
    }
  }
}

extension WarningRecord {
  fileprivate var text: String {
    JSON.object([
      "lastRefused": .optional(lastRefused), "stopped": .boolean(isStopped), "told": .boolean(wasShown),
    ]).text + "\n"
  }

  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    self.init()
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "lastRefused": lastRefused = reader.null() ? nil : try reader.string()
      case "stopped": isStopped = try reader.boolean()
      case "told": wasShown = try reader.boolean()
      default: throw reader.error("a record with the key \"\(key)\"")
      }
    }
  }
}
