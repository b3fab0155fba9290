// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import Dispatch

// What a session reads and writes in the document's file beside the edits: pictures and named versions.

extension Session {
  /// Runs blocking work on the document's file, on another thread.
  func inFile<Value: Sendable>(
    _ work: @escaping @Sendable (DocumentFile) throws(ArtError) -> Value
  ) async throws(ArtError) -> Value {
    let file = DocumentFile(filePath)
    return try await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: Result { () throws(ArtError) in try work(file) })
      }
    }.get()
  }

  /// The bytes of the background of a content of this document; nil without one, and where they are lost. Throws what reading the file
  /// throws.
  public func picture(of content: DocumentContent) async throws(ArtError) -> [UInt8]? {
    guard let digest = content.background?.digest else { return nil }
    return try await inFile { (file) throws(ArtError) in try file.picture(digest) }
  }

  /// The named versions in the document's file, oldest first. Throws what reading the file throws.
  public func versions() async throws(ArtError) -> [NamedVersion] {
    try await inFile { (file) throws(ArtError) in try file.versions() }
  }

  /// The content of an earlier state. Throws `noSuchRevision`, `ambiguous`, and what reading the file throws.
  public func content(at reference: RevisionReference) async throws(ArtError) -> DocumentContent {
    switch reference {
    case .number(let revision): return try await content(at: revision)
    case .version(let name):
      let (version, art) = try await inFile { (file) throws(ArtError) in try file.version(name) }
      return try await snapshot.content.content(of: version, art)
    }
  }

  /// Saves, and keeps the saved state under a name. Throws what saving throws, `exists`, `badValue`, `tooLarge`; `replaced` if another
  /// document is at the path.
  public func keepVersion(named name: String) async throws(ArtError) -> NamedVersion {
    let name = try NamedVersion.checkedName(name)
    try await save()
    var random = SystemRandomNumberGenerator()
    // An origin of its own: the numbers of the document's are those of edits.
    let stamp = EditStamp(
      id: EditID(origin: Origin(using: &random), sequence: 1), time: WallClock.milliseconds(),
      author: client.author, session: client.session)
    let id = shared.id
    return try await inFile { (file) throws(ArtError) in
      try file.keepVersion(named: name, stamp: stamp, in: id)
    }
  }

  /// Removes a version, by its name or id. Throws `noSuchRevision`, `ambiguous`, and what writing the file throws; `replaced` if another
  /// document is at the path.
  public func removeVersion(_ reference: String) async throws(ArtError) -> NamedVersion {
    let id = shared.id
    return try await inFile { (file) throws(ArtError) in try file.removeVersion(reference, in: id) }
  }
}
