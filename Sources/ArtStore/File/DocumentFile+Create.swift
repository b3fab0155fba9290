// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CStore
import Glibc

extension DocumentFile {
  /// Creates a document without emoji, atomically. It never replaces a file. Without a canvas it has the size
  /// of the background. Throws `exists`, `notPermitted`, `diskFull`, `inputOutput`.
  public func create(
    canvas: Canvas? = nil, background: (picture: CheckedPicture, url: String?)? = nil,
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> DocumentID {
    let id = DocumentID(using: &generator)
    var art = ArtRow(id: id, canvas: canvas ?? background?.picture.size ?? .standard)
    if let background { art.background = try Background(background.picture, from: background.url) }
    try create(art, emojis: [], background?.picture)
    return id
  }

  /// Creates a document with that content at revision 0, without its log. `picture` has the bytes of its
  /// background. Atomic, and throws, as `create(canvas:background:using:)`.
  public func create(_ content: DocumentContent, picture: CheckedPicture? = nil) throws(ArtError) {
    guard content.background?.digest == picture?.digest else {
      throw ArtError(
        .inputOutput, "the picture for \(path) is not the one of its background; nothing was made",
        about: path)
    }
    var art = ArtRow(id: content.id, canvas: content.canvas)
    art.fill = content.fill
    art.background = content.background
    art.pending = content.pending
    try create(art, emojis: content.emojisInOrder(), picture)
  }

  private func create(_ art: ArtRow, emojis: [Emoji], _ picture: CheckedPicture?) throws(ArtError) {
    try checkCreatable()
    var image = try FileImage(name: path, art: art)
    try image.insert(emojis)
    guard let picture else { return try link(&image) }
    guard picture.bytes.count > Format.largestUnspilled else {
      try image.insert(picture)
      return try link(&image)
    }
    // A large picture goes into a scratch file: in memory there would be several copies of it.
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.fill(try image.bytes())
    var copy = DocumentFile(scratch.document)
    copy.name = path
    try copy.edit { (transaction: DocumentTransaction) throws(ArtError) in try transaction.keep(picture) }
    try image.link(copy: scratch.document, as: path)
    syncNames(path)
  }

  private func link(_ image: inout FileImage) throws(ArtError) {
    try image.link(as: path)
    syncNames(path)
  }

  /// Makes the changed names at these paths durable, in their folders. The change is done by then, so a folder that cannot be
  /// synchronised is a notice, never an error. Returns whether the change survives a power cut.
  @discardableResult
  func syncNames(_ paths: String...) -> Bool {
    do throws(ArtError) {
      for path in paths { try PlainFile.syncFolder(of: path) }
      return true
    } catch {
      notice(.line("\(name): done, but \(error.cause); a power cut may undo it"))
      return false
    }
  }

  /// Throws `exists` if a file beside the path would be mixed in by SQLite, and `badValue` if the name is too
  /// long for a rollback journal, unless a document comes back to it.
  func checkCreatable(comingBack isBack: Bool = false) throws(ArtError) {
    var status = stat()
    if !isBack, lstat(path + Self.journalEnding, &status) != 0, errno == ENAMETOOLONG {
      throw .tooLongName(path)
    }
    for sibling in ["-wal", "-shm"] where lstat(path + sibling, &status) == 0 {
      throw .leftover(path + sibling)
    }
  }
}

// MARK: - A file that is built in memory

/// A document file that is built in memory.
struct FileImage {
  let connection: Connection
  private let name: String
  /// The row of `art` that the file will have.
  var art: ArtRow

  /// With `spills` the rows need not be in memory.
  init(name: String, art: ArtRow, spills: Bool = false) throws(ArtError) {
    self.name = name
    self.art = art
    connection = try Connection(inMemory: name, spills: spills)
    try connection.execute(
      """
      PRAGMA page_size = \(Format.pageSize);
      PRAGMA application_id = \(Format.applicationID);
      PRAGMA user_version = \(Format.version);
      BEGIN; \(Format.schema.map(\.sql).joined(separator: ";")); COMMIT; BEGIN
      """)
  }

  /// Inserts the emoji of a document that has none yet.
  mutating func insert(_ emojis: [Emoji]) throws(ArtError) {
    let statement = try Statement("INSERT INTO emoji(id, z, json, sum) VALUES(?,?,?,?)", on: connection)
    // In the order of the primary key each row is appended.
    for emoji in emojis.sorted(by: { $0.id < $1.id }) {
      let row = EmojiRow(emoji)
      let values = row.values
      try statement.run(values.id, values.z, values.json, values.sum)
      art.digest.add(row.sum)
    }
    art.emojiCount += emojis.count
  }

  /// Inserts the first picture of a document.
  mutating func insert(_ picture: CheckedPicture) throws(ArtError) {
    try insertPicture(picture.bytes, digest: picture.digest, number: 1)
  }

  /// Inserts a picture with its number.
  mutating func insertPicture(_ bytes: [UInt8], digest: String, number: Int) throws(ArtError) {
    art.digest.add(try PlainTable.insertPicture(bytes, digest: digest, number: number, on: connection))
  }

  /// Throws `damaged` if the content is not a valid document.
  func verify() throws(ArtError) {
    try art.write(on: connection)
    _ = try DocumentTransaction(connection, begin: "SAVEPOINT verification").load()
    try connection.execute("RELEASE verification")
  }

  /// The bytes of the file.
  func bytes() throws(ArtError) -> [UInt8] {
    try art.write(on: connection)
    try connection.execute("COMMIT")
    var size: sqlite3_int64 = 0
    guard let start = sqlite3_serialize(connection.handle, "main", &size, 0) else { throw .diskFull(name) }
    defer { sqlite3_free(start) }
    guard size <= Format.largestFile else { throw .tooLargeFile(name) }
    return Array(UnsafeBufferPointer(start: start, count: Int(size)))
  }

  /// Writes the file to a path where nothing exists. Its name is not durable yet.
  func link(as path: String) throws(ArtError) {
    let bytes = try bytes()
    try link(as: path) { (file) throws(ArtError) in try PlainFile.write(bytes, to: file, name: name) }
  }

  /// Writes a copy of another file to a path where nothing exists. Its name is not durable yet.
  func link(copy: String, as path: String) throws(ArtError) {
    try link(as: path) { (file) throws(ArtError) in try PlainFile.copy(copy, to: file, name: name) }
  }

  private func link(as path: String, writing: (Int32) throws(ArtError) -> Void) throws(ArtError) {
    _ = try withUnnamedFile(near: path, like: nil, writing) { (file) throws(ArtError) in
      do throws(SystemError) { try file.link(as: path) } catch {
        throw error.number == EEXIST ? .exists(path) : ArtError(error, cannot: "create", path)
      }
    }
  }

  /// Replaces a file, keeping its owner and mode; its name is not durable yet. The file is locked exclusively, so that no other program uses
  /// the temporary names of its repairs. A kill leaves at most one such file, which the next repair removes. Returns what became of the rights.
  func replace(_ old: LockedFile) throws(ArtError) -> FileRights.Applied {
    let bytes = try bytes()
    let mark = Self.mark(of: old)
    Self.removeTemporaryFiles(mark, in: old.folder)
    let temporary = old.folder.path(of: "\(mark)\(Self.drawn).tmp")
    return try withUnnamedFile(near: old.file.path.string, in: old.folder, like: try old.rights()) {
      (new) throws(ArtError) in
      try PlainFile.write(bytes, to: new, name: self.name)
    } _: { (new) throws(ArtError) in
      do throws(SystemError) { _ = try new.replace(old.place, over: temporary) } catch {
        throw ArtError(error, cannot: "replace", old.file.name)
      }
    }
  }

  /// How the temporary names of a document's repairs begin.
  private static func mark(of file: LockedFile) -> String {
    ".\(Array(file.file.path.name.utf8).mark)-"
  }

  private static var drawn: DocumentID {
    var random = SystemRandomNumberGenerator()
    return DocumentID(using: &random)
  }

  /// Removes what killed repairs of this user have left. What others have put under such names keeps no repair from its work.
  private static func removeTemporaryFiles(_ mark: String, in folder: PlainFolder) {
    var paths: [String] = []
    do throws(SystemError) {
      try FolderEntry.each(in: folder.path) { entry in
        let name = entry.displayName
        guard name.utf8.starts(with: mark.utf8), FilePath(name).hasEnding(".tmp") else { return }
        paths.append(folder.path(of: name))
      }
    } catch {
      // The folder cannot be listed, and may be written.
    }
    for path in paths {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
        continue
      }
      unlink(path)
    }
  }

  /// Creates a file without a name, fills it durably with `writing`, and passes it to `body` to be named.
  private func withUnnamedFile(
    near path: String, in folder: PlainFolder? = nil, like old: FileRights?,
    _ writing: (Int32) throws(ArtError) -> Void, _ body: (UnnamedFile) throws(ArtError) -> Void
  ) throws(ArtError) -> FileRights.Applied {
    try Self.withUnnamedFile(near: path, in: folder, like: old, name: name, writing, body)
  }

  /// The same for any bytes; `name` names the document in messages. With `pinned`, the file is made in that folder, whatever is at the path.
  /// Returns what became of the rights `old`.
  @discardableResult
  static func withUnnamedFile(
    near path: String, in pinned: PlainFolder? = nil, like old: FileRights?, name: String,
    _ writing: (Int32) throws(ArtError) -> Void, _ body: (UnnamedFile) throws(ArtError) -> Void
  ) throws(ArtError) -> FileRights.Applied {
    let folder = FilePath(path).folder
    let place = pinned?.path ?? folder
    // A copy of a private file must never be readable by others.
    let mode: mode_t = old == nil ? 0o666 : 0o600
    let file: UnnamedFile
    do throws(SystemError) {
      file = try UnnamedFile(in: place, mode: mode, else: "\(place)/.\(drawn).tmp")
    } catch {
      guard error.number == ENOENT || error.number == ENOTDIR || PlainFile.isRemoved(place) else {
        throw ArtError(error, cannot: "create", name)
      }
      throw ArtError(
        .noSuchDocument, "no folder \(folder) to create \(name) in; make it first", about: folder)
    }
    defer {
      file.abandon()
      // It may be an open document by now, so it needs `PlainFile.close`.
      PlainFile.close(file.descriptor)
    }
    let rights = try fill(file.descriptor, writing, like: old, name: name)
    try body(file)
    return rights
  }

  private static func fill(
    _ file: Int32, _ writing: (Int32) throws(ArtError) -> Void, like old: FileRights?, name: String
  ) throws(ArtError) -> FileRights.Applied {
    try writing(file)
    var rights = FileRights.Applied.all
    if let old {
      rights = try old.apply(to: file, name: name)
    } else {
      // A umask may remove the owner's rights; then not even the owner could open the file.
      var status = stat()
      guard fstat(file, &status) == 0 else { throw .system("look at", name) }
      let mode = status.st_mode & 0o777
      guard mode & 0o600 == 0o600 || fchmod(file, mode | 0o600) == 0 else {
        throw .system("set the mode of", name)
      }
    }
    guard fsync(file) == 0 else { throw .system("write", name) }
    return rights
  }
}
