// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

extension DocumentFile {
  /// Whether a program that was killed in the middle of a merge has left a file beside the document. The next merge takes it. Throws what
  /// finding the file and looking into its folder throw.
  public func hasLeftovers() throws(ArtError) -> Bool {
    let file = try locate()
    let folder: PlainFolder
    do throws(SystemError) { folder = try PlainFolder(file.path.folder) } catch {
      throw ArtError(error, cannot: "look into", file.path.folder)
    }
    let all = try LeftoverFile.all(of: file.path, in: folder) { () throws(ArtError) in try rights() }
    return !all.own.isEmpty
  }

  /// Whether any document of a folder may have such a file. Throws `inputOutput`, `notPermitted`.
  public static func areLeftovers(in folder: String) throws(ArtError) -> Bool {
    try !LeftoverFile.names(in: folder, folder, beginningWith: ".").isEmpty
  }
}

/// A file at a hidden path beside a document: the file that was at the document's path before a merge, or a conflict copy that was merged,
/// for a moment, or what the end of a program left of that.
///
///     .XXXXXXXXXXXX-YYYYYYYYYYYY.merging    X: of the document's name; Y: drawn
///
/// Everybody who may write to the folder can put a file there. So one counts only if a record in the state folder names it, the document, and
/// the very file; it is regular, has one name, and belongs to this user.
///
/// The very file is not known where another program replaces the document right before it is exchanged, and a kill comes right after that. So
/// another file with a recorded name counts, too, if it would be merged as a conflict copy.
///
///     $STATE/merging/XXXXXXXXXXXX-YYYYYYYYYYYY    {"document":"k3m9abcd0f2z","files":["2049:131"]}
struct LeftoverFile {
  /// The path in messages.
  let path: String
  private let folder: PlainFolder
  private let name: String
  /// The file, if it was found by listing.
  private let identity: FileIdentity?

  /// A path that no file has, beside a document with that name and a file in the same folder.
  init(of document: String, beside file: LockedFile) {
    self.init(of: FilePath(file.file.path.prefix + document), in: file.folder)
  }

  /// The same for a document with that path, in its folder.
  init(of document: FilePath, in folder: PlainFolder) {
    var random = SystemRandomNumberGenerator()
    self.init(
      beside: document, in: folder, "\(Array(document.name.utf8).mark)-\(DocumentID(using: &random))", nil)
  }

  private init(
    beside document: FilePath, in folder: PlainFolder, _ name: String, _ identity: FileIdentity?
  ) {
    (self.folder, self.name, self.identity) = (folder, name, identity)
    path = "\(document.prefix).\(name)\(Self.ending)"
  }

  private static let ending = ".merging"

  /// A path of the file in this process, also after its folder has another name. It is for no message.
  var place: String { folder.path(of: ".\(name)\(Self.ending)") }

  /// All that lie beside a document: this user's own, and the paths of those that others have put there. Throws `inputOutput`, `notPermitted`.
  static func all(of file: LockedFile) throws(ArtError) -> (own: [LeftoverFile], foreign: [String]) {
    try all(of: file.file.path, in: file.folder) { () throws(ArtError) in try file.rights() }
  }

  /// The same for a document with that path and these rights, in its folder.
  fileprivate static func all(
    of document: FilePath, in folder: PlainFolder, _ rights: () throws(ArtError) -> FileRights
  ) throws(ArtError) -> (own: [LeftoverFile], foreign: [String]) {
    var (own, foreign): ([LeftoverFile], [String]) = ([], [])
    let prefix = ".\(Array(document.name.utf8).mark)-"
    for name in try names(in: folder.path, document.folder, beginningWith: prefix) {
      var status = stat()
      guard lstat(folder.path(of: name), &status) == 0 else { continue }
      let bare = String(name.dropFirst().dropLast(ending.count))
      let file = LeftoverFile(beside: document, in: folder, bare, FileIdentity(status))
      var isLeft = false
      if isOwn(status), let record = try Record.of(bare) {
        isLeft = record.files.contains(FileIdentity(status))
        if !isLeft { isLeft = try file.isTrusted(beside: rights()) }
      }
      if isLeft { own.append(file) } else { foreign.append(document.prefix + name) }
    }
    return (own, foreign)
  }

  /// Whether it would be merged as a conflict copy of a document with these rights.
  private func isTrusted(beside document: FileRights) throws(ArtError) -> Bool {
    guard let held = try hold(), held.identity == identity else { return false }
    return try held.distrust(beside: document) == nil
  }

  private static func isOwn(_ status: stat) -> Bool {
    status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1 && status.st_uid == geteuid()
  }

  /// The names of such files in a folder, sorted. Messages name it `folder`. Throws `inputOutput`, `notPermitted`.
  fileprivate static func names(
    in place: String, _ folder: String, beginningWith prefix: String
  ) throws(ArtError) -> [String] {
    var names: [String] = []
    do throws(SystemError) {
      try FolderEntry.each(in: place) { entry in
        let name = entry.displayName
        if name.utf8.starts(with: prefix.utf8), FilePath(name).hasEnding(ending) { names.append(name) }
      }
    } catch {
      throw ArtError(error, cannot: "look into", folder)
    }
    return names.sorted()
  }

  /// The file that is there now, held open; nil for none. Throws what opening it throws.
  func hold() throws(ArtError) -> HeldFile? { try HeldFile(path, at: place) }

  /// Its content, if it is a file of that document; nil if it is none, or gone. Throws what else reading throws.
  func copy(of document: DocumentID) throws(ArtError) -> DocumentCopy? {
    guard let held = try hold(), identity == nil || held.identity == identity else { return nil }
    do throws(ArtError) {
      let copy = try DocumentFile(path).copy(of: held)
      guard copy.content.id == document else { return nil }
      guard identity != nil else { return copy }
      return try Record.of(name)?.document == document ? copy : nil
    } catch {
      switch error.code {
      case .noSuchDocument, .notADocument, .damaged, .newerFormat: return nil
      default: throw error
      }
    }
  }

  /// Records that these files of a document may be at the path: before one comes there. Without a state folder there is no record, and what
  /// a kill leaves is left alone. Throws what the state folder and writing throw.
  func record(_ files: [FileIdentity], of document: DocumentID) throws(ArtError) {
    try Record.update(name) { Record(document: document, files: ($0?.files ?? []) + files) }
  }

  /// Removes the record of a path that has no file any more. A record that stays names no file, and is a notice: what went before is done.
  func forget(_ notice: (DocumentNotice) -> Void) {
    do throws(ArtError) { try Record.update(name) { _ in nil } } catch {
      notice(.line("the state folder still names \(path), which is gone: \(error.cause)"))
    }
  }

  /// Moves the file back to a place. Where something has come there meanwhile, it stays, and the next merge takes it.
  func putBack(at place: String, _ notice: (DocumentNotice) -> Void) {
    do throws(SystemError) { try FilePath.rename(self.place, to: place) } catch { return }
    forget(notice)
  }

  /// Removes the file, and the record. Another program's file that has come to the path since it was read stays. What cannot be removed is a
  /// notice: all that is in the file is elsewhere, too, and the next merge of it changes nothing.
  func remove(_ notice: (DocumentNotice) -> Void) {
    if let identity {
      guard FileIdentity(at: place) == identity else { return }
    }
    guard unlink(place) == 0 || errno == ENOENT else { return notice(.kept(.system("remove", path))) }
    forget(notice)
  }
}

// MARK: - Records

/// What a program wrote down of a leftover before it made one.
private struct Record: Equatable {
  let document: DocumentID
  let files: [FileIdentity]

  private static func file(_ name: String) throws(ArtError) -> ReplacedFile? {
    guard try StateFolder.isNamed else { return nil }
    var file = ReplacedFile(path: try StateFolder.path() + "/merging/\(name)", limit: 4_096)
    (file.isPrivate, file.isDurable) = (true, false)
    return file
  }

  static func of(_ name: String) throws(ArtError) -> Record? { try file(name)?.read().flatMap(Record.init) }

  static func update(_ name: String, _ change: (Record?) -> Record?) throws(ArtError) {
    try file(name)?.update { bytes in
      let record = change(bytes.flatMap(Record.init))
      // Without a change the file is not written.
      return (record.map { Array($0.json.text.utf8) }, ())
    }
  }

  private var json: JSON {
    .object([
      "document": .string(document.description),
      "files": .array(files.map { .string("\($0.device):\($0.inode)") }),
    ])
  }

  init(document: DocumentID, files: [FileIdentity]) { (self.document, self.files) = (document, files) }

  /// Nil for what is no record: then the file does not count.
  private init?(_ bytes: [UInt8]) {
    var (document, files): (DocumentID?, [FileIdentity]) = (nil, [])
    do throws(ArtError) {
      try bytes.withUnsafeBufferPointer { (bytes) throws(ArtError) in
        try JSONReader.read(bytes) { (reader) throws(ArtError) in
          try reader.object { (key, reader) throws(ArtError) in
            switch key {
            case "document": document = DocumentID(try reader.string())
            case "files":
              try reader.array { (reader) throws(ArtError) in
                let numbers = try reader.string().split(separator: ":").compactMap { UInt($0) }
                guard numbers.count == 2 else { throw reader.error("a file without its two numbers") }
                files.append(FileIdentity(device: numbers[0], inode: numbers[1]))
              }
            default: throw reader.error("an unknown key")
            }
          }
        }
      }
    } catch {
      return nil
    }
    guard let document else { return nil }
    self.init(document: document, files: files)
  }
}
