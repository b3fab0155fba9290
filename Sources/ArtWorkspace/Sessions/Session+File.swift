// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem

// What a session reads and writes in the document's file beside the edits: pictures and named versions.

extension Session {
  /// Runs blocking work on the document's file, on another thread.
  func inFile<Value: Sendable>(
    _ work: @escaping @Sendable (DocumentFile) throws(ArtError) -> Value
  ) async throws(ArtError) -> Value {
    let file = DocumentFile(filePath)
    return try await ThreadPool.shared.value { () throws(ArtError) in try work(file) }
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
      let (version, art, _) = try await storedVersion(name)
      return try await snapshot.content.content(of: version, art)
    }
  }

  /// A version in the file, with its art, and the digest of its picture if the file has it. What others have saved before is adopted first.
  func storedVersion(
    _ name: String
  ) async throws(ArtError) -> (version: NamedVersion, content: VersionContent, picture: String?) {
    // Reading the version reports why the file cannot be read.
    await shared.document.refresh(isQuiet: false)
    let id = shared.id
    return try await inFile { (file) throws(ArtError) in try file.version(name, in: id) }
  }

  /// Saves, and keeps the saved state under a name. If others save at the same time, what they have saved is adopted, too; if they go on,
  /// the version is of the state that is then in the file. Under a tag that the session has used for it before, it is the version of then.
  ///
  /// Throws `closed`, what saving throws, `exists`, `badValue`, `tooLarge`; `replaced` if another document is at the path.
  public func keepVersion(named name: String, tag: RequestTag? = nil) async throws(ArtError) -> NamedVersion {
    let name = try NamedVersion.checkedName(name)
    try await checkWritable()
    let stamp = EditStamp(
      id: newVersion(tag), time: WallClock.milliseconds(), author: client.author, session: client.session)
    let id = shared.id
    for _ in 0..<3 {
      try await save()
      let base = await shared.document.saved
      do throws(ArtError) {
        return try await changingVersions { (file, held) throws(ArtError) in
          try file.keepVersion(named: name, stamp: stamp, in: id, of: base, holding: held)
        }
      } catch {
        guard error.code == .movedOn else { throw error }
        await shared.document.refresh(isQuiet: false)
      }
    }
    try await save()
    return try await changingVersions { (file, held) throws(ArtError) in
      try file.keepVersion(named: name, stamp: stamp, in: id, of: nil, holding: held)
    }
  }

  /// Names or removes a version in the document's file. The document guards it from then on, as it guards its saved edits.
  private func changingVersions(
    _ work:
      @escaping @Sendable (DocumentFile, HeldFile?) throws(ArtError) -> (
        version: NamedVersion, file: HeldFile?
      )
  ) async throws(ArtError) -> NamedVersion {
    let held = await shared.document.heldFile
    let changed = try await inFile { (file) throws(ArtError) in try work(file, held) }
    await shared.document.versionChanged(in: changed.file)
    return changed.version
  }

  /// The id of a version to keep. It has an origin of its own: the numbers of the document's are those of edits.
  private func newVersion(_ tag: RequestTag?) -> EditID {
    if let tag, let session = client.session { return EditID(versionOf: session, tag) }
    var random = SystemRandomNumberGenerator()
    return EditID(origin: Origin(using: &random), sequence: 1)
  }

  /// Throws `closed` after the session's end, and for a document that cannot be edited.
  private func checkWritable() async throws(ArtError) {
    try shared.checkOpen(self)
    try await shared.document.checkEditable()
  }

  /// Removes a version, by its name or id. Throws `closed`, `noSuchRevision`, `ambiguous`, and what writing the file throws; `replaced` if
  /// another document is at the path.
  public func removeVersion(_ reference: String) async throws(ArtError) -> NamedVersion {
    try await checkWritable()
    let id = shared.id
    return try await changingVersions { (file, held) throws(ArtError) in
      try file.removeVersion(reference, in: id, holding: held)
    }
  }
}
