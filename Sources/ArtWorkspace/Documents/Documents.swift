// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// What is done to whole documents: made, duplicated, given another name, put into the trash and brought back.
///
/// Unsaved edits are never lost by it. What programs that are gone have left for a document is restored into it before it gets
/// another name or goes into the trash, and is in a duplicate. What cannot be restored, and what programs that run have not saved
/// yet, stays in its journal in the state folder: such a program goes on with a document under its new name when it looks there,
/// and with a deleted one when it is back.
public struct Documents: Sendable {
  private let recovery: Recovery

  /// By a program whose edits are by the recovery's author; its notices go there.
  public init(by recovery: Recovery) { self.recovery = recovery }

  /// Makes a document without emoji; where no canvas is given it has the standard size. Throws what `DocumentFile.create` throws.
  public func create(_ file: DocumentFile, canvas: Canvas? = nil) throws(ArtError) {
    var random = SystemRandomNumberGenerator()
    _ = try file.create(canvas: canvas, using: &random)
  }

  /// Makes a document with its background, or nothing at all; where no canvas is given it has the picture's size. Throws as
  /// `FileBackground.set` does; `exists` and `noSuchDocument` before anything is fetched.
  public func create(
    _ file: DocumentFile, canvas: Canvas? = nil,
    background source: @autoclosure () throws(Refusal) -> PictureSource, typed: String,
    transfer: some PictureTransfer, proxies: ProxySettings = ProxySettings()
  ) throws -> ReceivedPicture {
    // Nobody should fetch for nothing. That nothing is replaced is seen to when the document is made.
    try file.checkFree()
    let found: PictureSource
    do throws(Refusal) { found = try source() } catch { throw BackgroundRefusal(error, asked: typed) }
    let received = try transfer.receive(found, for: file.path, proxies: proxies)
    var random = SystemRandomNumberGenerator()
    _ = try file.create(canvas: canvas, background: (received.picture, received.url), using: &random)
    return received
  }

  /// Makes a document of another one's content, with an id of its own and with the other's log, so that what was done there can be undone
  /// here. Edits that programs which are gone have left for the other one are in it; they stay there, too. Throws what
  /// `DocumentFile.create` and reading throw; then nothing is made.
  public func duplicate(_ file: DocumentFile, as new: DocumentFile) throws(ArtError) {
    try new.checkFree()
    let found = file.journals(among: recovery.journals())
    for error in found.kept { recovery.report(.kept(error)) }
    var readable: [OrphanedJournal] = []
    for journal in found.own {
      if let damage = try journal.contents().damage {
        recovery.report(.kept(.namelessJournal(journal.path, damage)))
      } else {
        readable.append(journal)
      }
    }
    var author = try recovery.newAuthor()
    var random = SystemRandomNumberGenerator()
    let reports = try new.create(
      duplicating: file, with: readable, stamp: { author.stamp(at: WallClock.milliseconds()) }, using: &random
    )
    for report in reports where report.edits > 0 { recovery.report(.included(new.path, report)) }
  }

  /// The same under the first name that is free: `bees copy`, `bees copy 2`. Throws as above. Returns the duplicate.
  public func duplicate(_ file: DocumentFile) throws(ArtError) -> DocumentFile {
    let parts = FilePath(file.path)
    let stem = DocumentName.withoutEnding(parts.name)
    var number = 1
    while true {
      let name = number == 1 ? "\(stem) copy" : "\(stem) copy \(number)"
      let new = DocumentFile(
        parts.prefix + DocumentName.withEnding(name), timeout: file.timeout, notice: file.notice)
      do throws(ArtError) {
        try duplicate(file, as: new)
        return new
      } catch {
        guard error.code == .exists, number < Self.names else { throw error }
        number += 1
      }
    }
  }

  private static let names = 10_000

  /// Gives a document another path on the same file system, where nothing stands; the ending of documents is added. Throws `badValue` for
  /// what is no name, what restoring throws, and what `DocumentFile.move` throws; then the document is where it was. Returns
  /// the document under its new name.
  @discardableResult
  public func rename(_ file: DocumentFile, to path: String) throws(ArtError) -> DocumentFile {
    guard DocumentName.isValid(path) else {
      throw ArtError(
        .badValue, "\"\(path)\" is no name for a document; give a plain one, such as bees", about: path)
    }
    try recovery.restoreFirst(file)
    return try file.move(to: DocumentName.withEnding(path))
  }

  /// Puts a document into the trash of its file system. Throws what restoring, `Trash` and `DocumentFile.move` throw; then the
  /// document is where it was. Returns what brings it back.
  public func delete(_ file: DocumentFile, into trash: Trash = Trash()) throws(ArtError) -> TrashedDocument {
    try recovery.restoreFirst(file)
    return try trash.put(file)
  }

  /// Brings a document back from the trash to where it was. Throws `exists` where something stands there by now, `noSuchDocument` where the
  /// folder is gone or the document is not in the trash any more, and what `DocumentFile.move` throws; then it stays in the
  /// trash. Returns the document.
  @discardableResult
  public func undelete(_ trashed: TrashedDocument) throws(ArtError) -> DocumentFile {
    try trashed.putBack()
  }
}

/// The documents of a folder, one after the other, as their own rows tell of them: the content is not looked at. Documents that other
/// programs hold are waited for all together.
public struct DocumentList: Sequence, IteratorProtocol {
  /// A document, or what cannot be told of one.
  public struct Entry: Sendable {
    /// Its name in the folder; with marks in the place of what is no UTF-8.
    public let name: String
    /// Its path; nil where no path leads to it.
    public let path: String?
    /// What is told of it, or why nothing is.
    public let summary: Result<DocumentSummary, ArtError>
  }

  private let folder: String
  private let recovery: Recovery
  /// What programs that are gone have left; edits of theirs count as part of their documents.
  public let journals: [OrphanedJournal]
  private let listing: FolderListing
  private var position = 0
  private var timeout = SharedTimeout(.seconds(5))

  /// Lists a folder. Throws `noSuchDocument`, `notPermitted`, `inputOutput`.
  public init(_ folder: String, recovery: Recovery) throws(ArtError) {
    (self.folder, self.recovery) = (folder, recovery)
    journals = recovery.journals()
    listing = try FolderListing(of: folder)
  }

  /// How many documents a path leads to.
  public var count: Int { listing.names.count }

  /// The next one: first those that no path leads to.
  public mutating func next() -> Entry? {
    defer { position += 1 }
    if position < listing.unreadable.count {
      let name = listing.unreadable[position]
      let error = ArtError(.badValue, "\(name) has a name that is no UTF-8; rename it", about: name)
      return Entry(name: name, path: nil, summary: .failure(error))
    }
    let index = position - listing.unreadable.count
    guard index < listing.names.count else { return nil }
    let name = listing.names[index]
    let path = FilePath.path(of: name, in: folder)
    do throws(ArtError) {
      let (recovery, journals) = (recovery, journals)
      let summary = try timeout.read(path) { (file) throws(ArtError) in
        if let shown = try recovery.read(file, with: journals) { return try file.summary(of: shown) }
        return try file.summary()
      }
      return Entry(name: name, path: path, summary: .success(summary))
    } catch {
      return Entry(name: name, path: path, summary: .failure(error))
    }
  }
}

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
      throw ArtError(.exists, "\(path) exists already", about: path, remedy: .chooseName)
    }
    let folder = FilePath(path).folder
    guard stat(folder, &status) == 0 else {
      throw ArtError(
        .noSuchDocument, "no folder \(folder) to create \(path) in; make it first", about: folder)
    }
  }
}

/// Checks a document, and mends it.
public struct DocumentCheck: Sendable {
  private let file: DocumentFile
  private let recovery: Recovery

  /// What is wrong, a line each; empty for a document that is whole.
  public let faults: [String]

  /// Checks the document in a file, and reports what programs that are gone have left for it. Throws what `DocumentFile.check` throws.
  public init(_ file: DocumentFile, recovery: Recovery) throws(ArtError) {
    (self.file, self.recovery) = (file, recovery)
    faults = try file.check().faults
    try recovery.mention(file)
  }

  /// Whether nothing is wrong.
  public var isWhole: Bool { faults.isEmpty }

  /// Ends what a save that was cut short has left beside a whole document. Throws what `DocumentFile.resolveHotJournal` throws.
  public func settle() throws(ArtError) { try file.resolveHotJournal() }

  /// Mends it; nil where somebody else has mended it meanwhile. The file as it was is kept, as the report says. Throws what
  /// `DocumentFile.repair` throws; then nothing is changed.
  public func mend(_ mode: RepairMode) throws(ArtError) -> RepairReport? {
    var author = try recovery.newAuthor()
    return try file.repair(mode, stamp: author.stamp(at: WallClock.milliseconds()))
  }
}
