// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import Glibc

// The use cases of whole documents in a workspace: those of `Documents`, for paths in its folder, and with its open documents. A document
// that is open is saved before it is copied, moved or deleted, so that nothing of it is left behind.
extension Workspace {
  /// The folders in a subfolder, sorted, without hidden ones and links; `""` is the workspace's own folder. Throws `badValue` for a path
  /// that leads out of the workspace, `noSuchDocument`, `notPermitted`, `inputOutput`.
  public func folders(in subfolder: String) throws(ArtError) -> [String] {
    let folder = try self.subfolder(subfolder)
    defer { withExtendedLifetime(folder) {} }
    var names: [String] = []
    do throws(SystemError) {
      try FolderEntry.each(in: folder.path) { entry in
        guard let name = entry.name, !Self.isHidden(name) else { return }
        // One that was removed meanwhile is none.
        do throws(SystemError) { if try entry.kind() != .folder { return } } catch { return }
        names.append(name)
      }
    } catch {
      throw ArtError(error, cannot: "look into", subfolder.isEmpty ? path : subfolder)
    }
    return names.sorted { FilePath($0) < FilePath($1) }
  }

  /// Makes a folder in the workspace. Throws `badValue` for a path that leads out of it, `exists`, `noSuchDocument`, `notPermitted`,
  /// `diskFull`, `inputOutput`.
  public func makeFolder(_ path: String) throws(ArtError) {
    let place = try checked(path)
    guard DocumentName.isValid(path), !place.components.contains(where: Self.isHidden) else {
      throw .noFolderName(path)
    }
    let parent = try subfolder(place.parent?.string ?? "")
    defer { withExtendedLifetime(parent) {} }
    let folder = parent.path(of: place.name)
    if let twin = TypedPath.twins(of: folder).first { throw .twinExists(twin, of: path) }
    guard mkdir(folder, 0o777) == 0 else {
      guard errno == EEXIST else { throw .notMade(path, errno) }
      throw ArtError(.exists, "\(path) exists already", about: path, remedy: .chooseName)
    }
  }

  /// Makes a document without emoji, under the first free name: `poster`, `poster 2`. `path` may lack the documents' extension. Returns its
  /// path. Throws `badValue` for an invalid name, and what `DocumentFile.create` throws.
  public func create(_ path: String, canvas: Canvas? = nil) throws(ArtError) -> String {
    try make(path) { (file) throws(ArtError) in
      try Documents(by: Recovery()).create(file, canvas: canvas)
    }
  }

  /// Makes a document with the art of another one, under the first free name. Throws as above, and what saving and reading the other one
  /// throw.
  public func create(
    _ path: String, from template: String, by recovery: Recovery
  ) async throws(ArtError) -> String {
    let source = try await saved(template)
    return try make(path) { (file) throws(ArtError) in
      try Documents(by: recovery).create(file, from: source)
    }
  }

  /// Duplicates a document with its log: `bees copy`, `bees copy 2`. Returns the path. Throws what saving and `Documents.duplicate` throw.
  public func duplicate(_ path: String, by recovery: Recovery) async throws(ArtError) -> String {
    let file = try await saved(path)
    return try make(DocumentName.withoutEnding(path) + " copy") { (new) throws(ArtError) in
      try Documents(by: recovery).duplicate(file, as: new)
    }
  }

  /// Moves a document to a free path in the workspace; its sessions follow. Returns the path, with the documents' extension. Throws what
  /// saving and `Documents.rename` throw; then the document stays at its path.
  public func rename(_ path: String, to new: String, by recovery: Recovery) async throws(ArtError) -> String {
    let target = try place(new)
    let file = try await saved(path)
    let moved = try target.named { () throws(ArtError) in
      try Documents(by: recovery).rename(file, to: target.path)
    }
    let place = FilePath(target.relative(moved.path))
    // Its sessions need not wait for the folder's report.
    let identity = FileIdentity(at: moved.path)
    if let identity, let shared = registry.document(is: identity), shared.path != place {
      shared.move(to: place)
    }
    return place.string
  }

  /// The bytes of a duplicate of a document, to give it away. Throws what saving and reading throw.
  public func copy(of path: String) async throws(ArtError) -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return try await saved(path).duplicate(using: &random)
  }

  /// Moves a document from the trash back to its path in the workspace. Returns the path. Throws what `Documents.undelete` throws.
  public func putBack(_ trashed: TrashedDocument, by recovery: Recovery) throws(ArtError) -> String {
    let target = try place(relative(trashed.original))
    let placed = TrashedDocument(original: target.path, path: trashed.path, info: trashed.info)
    return try target.named { () throws(ArtError) in
      target.relative(try Documents(by: recovery).undelete(placed).path)
    }
  }

  /// Repairs a damaged document; the damaged file is kept, as the report says. Nil if there is nothing to repair any more. Throws what
  /// `DocumentFile.repair` throws, and `busy` for an open document.
  public func repair(_ path: String, by recovery: Recovery) throws(ArtError) -> RepairReport? {
    let place = try document(at: path)
    guard registry.document(at: place) == nil else {
      throw ArtError(.busy, "\(path) is open; close it first", about: path)
    }
    return try DocumentCheck(documentFile(place), recovery: recovery).repair(.repair)
  }

  /// Merges a conflict copy into its document, also another user's. Throws `badValue` if it is none, and what `Merging.merge` throws.
  public func mergeCopy(_ path: String, by recovery: Recovery) throws(ArtError) -> Merging.Result {
    let copy = documentFile(try document(at: path))
    guard let found = ConflictCopy(copy.path) else {
      throw ArtError(.badValue, "\(path) is no conflict copy of a document beside it", about: path)
    }
    var file = DocumentFile(found.document, timeout: copy.timeout)
    (file.name, file.followsLinks) = (relative(found.document), false)
    return try Merging(by: recovery).merge(file, [copy])
  }

  /// Moves a document to the trash. Its sessions save first, get `removed` and end; if the path is another name of the file, they
  /// stay open. Throws what saving and `Documents.delete` throw; then the document stays at its path.
  public func delete(
    _ path: String, by recovery: Recovery, into trash: Trash = Trash()
  ) async throws(ArtError) -> TrashedDocument {
    let relative = try document(at: path)
    // Before its sessions end: a file system without a usable trash refuses.
    try trash.prepare(for: documentFile(relative).path)
    // The file itself says which document it is: another program may have renamed it just now.
    let identity = FileIdentity(at: documentFile(relative).path)
    if let identity { deleting.insert(identity) }
    defer { if let identity { deleting.remove(identity) } }
    if let identity, let shared = try await openDocument(at: relative, identity) {
      try await shared.document.save()
      if let failure = await shared.end(saying: .removed) { throw failure.error }
    }
    return try Documents(by: recovery).delete(documentFile(relative), into: trash)
  }

  /// The open document that ends when the file at a path does; nil where the file is only another name of an open document.
  private func openDocument(
    at path: FilePath, _ identity: FileIdentity
  ) async throws(ArtError) -> SharedDocument? {
    // A document that is being opened is open before its file goes.
    if let task = opening[identity] { _ = await task.value }
    if let shared = registry.document(is: identity) {
      let isOtherName =
        shared.path != path && FileIdentity(at: documentFile(shared.path).path) == identity
      return isOtherName ? nil : shared
    }
    // The document was replaced by another state of itself, or by another document.
    guard let shared = registry.document(at: path) else { return nil }
    return try documentFile(path).base().id == shared.id ? shared : nil
  }

  // MARK: Files

  /// The file of a document, with all that its sessions have edited.
  private func saved(_ path: String) async throws(ArtError) -> DocumentFile {
    let place = try document(at: path)
    let file = documentFile(place)
    if let identity = FileIdentity(at: file.path) {
      if let task = opening[identity] { _ = await task.value }
      if let shared = registry.document(is: identity) { try await shared.document.save() }
    }
    return file
  }

  /// Makes a document under the first free name, and returns its path.
  private func make(
    _ path: String, _ body: (DocumentFile) throws(ArtError) -> Void
  ) throws(ArtError) -> String {
    let place = try place(path)
    return try place.named { () throws(ArtError) in
      try Documents.firstFree(place.stem) { (path) throws(ArtError) in
        var file = DocumentFile(path)
        file.name = place.relative(path)
        try body(file)
        return file.name
      }
    }
  }

  /// Whether files of that name are hidden. A point may be one character with the scalar behind it, so the byte counts.
  static func isHidden(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ".") }

  /// The path of a document that is there: one with the documents' extension, and not below a hidden folder.
  nonisolated func document(at path: String) throws(ArtError) -> FilePath {
    let place = try checked(path)
    guard place.hasEnding(DocumentFile.ending), !place.components.contains(where: Self.isHidden) else {
      throw .badDocumentName(path)
    }
    return place
  }

  /// The place of a new document, in a folder of the workspace.
  func place(_ path: String) throws(ArtError) -> NewDocumentPlace {
    let place = try checked(path)
    guard DocumentName.isValid(path), !place.components.contains(where: Self.isHidden) else {
      throw .badDocumentName(path)
    }
    return NewDocumentPlace(
      folder: try subfolder(place.parent?.string ?? ""), name: FilePath(DocumentName.withEnding(place.string))
    )
  }

  /// A folder in the workspace, which no link below it leads out of. It is held open: a link that is put in its place later is not followed.
  private func subfolder(_ path: String) throws(ArtError) -> PlainFolder {
    let place = path.isEmpty ? FilePath.root : try checked(path)
    guard !place.components.contains(where: Self.isHidden) else { throw .noFolderName(path) }
    let folder = place.isRoot ? (root == "/" ? root : String(root.dropLast())) : root + place.string
    let resolved: String
    do throws(SystemError) { resolved = try FilePath.resolved(folder) } catch {
      throw ArtError(error, cannot: "look into", path.isEmpty ? self.path : path)
    }
    guard FilePath(resolved) == FilePath(folder) else { throw .linkedFolder(path) }
    do throws(SystemError) { return try PlainFolder(folder) } catch {
      guard error.number != ELOOP else { throw .linkedFolder(path) }
      throw ArtError(error, cannot: "look into", path.isEmpty ? self.path : path)
    }
  }

  /// The path in the workspace.
  private func relative(_ path: String) -> String {
    path.utf8.starts(with: root.utf8)
      ? String(decoding: path.utf8.dropFirst(root.utf8.count), as: UTF8.self) : path
  }
}

/// Where a workspace makes a document: in a folder that is held open.
struct NewDocumentPlace: Sendable {
  private let folder: PlainFolder
  /// The path in the workspace, with the documents' extension.
  private let name: FilePath

  fileprivate init(folder: PlainFolder, name: FilePath) { (self.folder, self.name) = (folder, name) }

  /// The path of the file, for this process only.
  var path: String { folder.path(of: name.name) }

  /// The same without the documents' extension.
  var stem: String { DocumentName.withoutEnding(path) }

  /// The path in the workspace of a file in the same folder.
  func relative(_ path: String) -> String { name.prefix + FilePath(path).name }

  /// Names paths of the folder as the workspace's callers know them.
  func named<Value>(_ work: () throws(ArtError) -> Value) throws(ArtError) -> Value {
    do throws(ArtError) { return try work() } catch {
      throw ArtError(
        error.code, named(error.cause), about: error.subject.map(named), remedy: error.remedy)
    }
  }

  private func named(_ text: String) -> String {
    text.replacing(part: folder.path(of: ""), with: name.prefix).replacing(
      part: folder.path, with: name.prefix.isEmpty ? "the folder" : String(name.prefix.dropLast()))
  }
}

extension ArtError {
  fileprivate static func noFolderName(_ path: String) -> ArtError {
    ArtError(.badValue, "\"\(path)\" is no name for a folder; give a plain one, such as posters", about: path)
  }

  fileprivate static func linkedFolder(_ path: String) -> ArtError {
    ArtError(.badValue, "\(path) is a link to another folder; open that one", about: path)
  }
}
