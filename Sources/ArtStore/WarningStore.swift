// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// What this machine keeps of the warnings about documents: a small file for each, by the document's id and its path without
/// symbolic links, in the state folder.
///
///     $STATE/warnings/ID-DIGEST.json    {"lastRefused":"…","stopped":true,"told":true}; none where it would say nothing
public struct WarningStore: Sendable {
  /// Nil where there is no state folder: then nothing was told, and nothing is kept.
  private let file: ReplacedFile?

  /// Of the document in that file. Throws what reading the document throws.
  public init(for document: DocumentFile) throws(ArtError) {
    try self.init(for: document, in: Self.standardFolder)
  }

  /// The same in that folder; nil for none.
  package init(for document: DocumentFile, in folder: String?) throws(ArtError) {
    let path = Array((try document.realPath() ?? document.path).utf8)
    let id = try document.quickBase().id
    let name = "\(id)-\(path.withUnsafeBufferPointer { ContentDigest.of($0) }).json"
    // More than a record has.
    file = folder.map { ReplacedFile(path: "\($0)/\(name)", limit: 1_024, isPrivate: true) }
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
    do throws(ArtError) { return Self.record(in: try file?.read()) } catch { return WarningRecord() }
  }

  /// Changes what is kept, one program after the other, and returns what it was before. Throws `inputOutput`, `notPermitted`,
  /// `diskFull`; `busy` when another program does not let go of it for a second.
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

  /// Foreign and damaged content is as if nothing was.
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
