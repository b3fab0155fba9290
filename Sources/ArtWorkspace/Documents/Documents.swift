// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import Glibc

/// Use cases of whole documents: create, duplicate, move, delete and bring back.
///
/// Unsaved edits are never lost. Orphaned journals are restored before a document is moved or deleted, and are included in a
/// duplicate. Edits that cannot be restored, and unsaved edits of running programs, stay in their journals in the state folder:
/// such a program continues with a moved document when it next refreshes, and with a deleted one when it is back.
public struct Documents: Sendable {
  private let recovery: Recovery

  /// Use cases of a program whose author and notices are those of `recovery`.
  public init(by recovery: Recovery) { self.recovery = recovery }

  /// Makes a document without emoji; without a canvas it has the standard size. Throws what `DocumentFile.create` throws.
  public func create(_ file: DocumentFile, canvas: Canvas? = nil) throws(ArtError) {
    try file.checkFree(remedy: .editExisting)
    var random = SystemRandomNumberGenerator()
    _ = try file.create(canvas: canvas, using: &random)
  }

  /// Makes a document with its background, or nothing at all; without a canvas it has the picture's size. Throws as
  /// `FileBackground.set` does; `exists` and `noSuchDocument` before anything is fetched.
  public func create(
    _ file: DocumentFile, canvas: Canvas? = nil,
    background source: @autoclosure () throws(Refusal) -> PictureSource, typed: String,
    transfer: some PictureTransfer, proxies: ProxySettings = ProxySettings()
  ) throws -> ReceivedPicture {
    // Checked before a background is fetched in vain; `create` checks again that nothing is replaced.
    try file.checkFree()
    let found: PictureSource
    do throws(Refusal) { found = try source() } catch { throw BackgroundRefusal(error, asked: typed) }
    let received = try transfer.receive(found, for: file.path, proxies: proxies)
    var random = SystemRandomNumberGenerator()
    _ = try file.create(canvas: canvas, background: (received.picture, received.url), using: &random)
    return received
  }

  /// Makes a document with the art of another one, its orphaned edits included, at revision 0 and without its log. Throws what reading and
  /// `DocumentFile.create` throw, and `damaged` if the bytes of the template's background are lost.
  public func create(_ file: DocumentFile, from template: DocumentFile) throws(ArtError) {
    let (content, picture) = try art(of: template, for: file)
    try create(file, content, picture, content.background?.url, content.pending, from: template)
  }

  /// The same for somebody else: without what the background's picture says of its maker, and without the queries of URLs, which may be
  /// keys. Throws also a `Refusal` or an `ArtError` for a picture that cannot be read.
  public func createAnonymous(
    _ file: DocumentFile, from template: DocumentFile, by fetcher: BackgroundFetcher = BackgroundFetcher()
  ) throws {
    let (content, picture) = try art(of: template, for: file)
    let anonymous = try picture.map { (picture) in
      let result = Outcome { () async -> Result<CheckedPicture, BackgroundFailure> in
        do throws(BackgroundFailure) {
          return .success(try await fetcher.anonymous(picture.bytes))
        } catch {
          return .failure(error)
        }
      }
      return try result.wait().picture
    }
    let pending = try content.pending.flatMap { (pending) throws(ArtError) in
      try Self.withoutQuery(pending.url).map { (url) throws(ArtError) in
        try PendingBackground(url: url, since: pending.since, reason: pending.reason, anchor: pending.anchor)
      }
    }
    let url = content.background?.url.flatMap(Self.withoutQuery)
    try create(file, content, anonymous, url, pending, from: template)
  }

  /// A URL without its query; nil for a text that is no http URL.
  private static func withoutQuery(_ text: String) -> String? {
    do throws(Refusal) { return try BackgroundURL(text).withoutQuery } catch { return nil }
  }

  /// The art of a document that is copied into a new file.
  private func art(
    of template: DocumentFile, for file: DocumentFile
  ) throws(ArtError) -> (DocumentContent, CheckedPicture?) {
    try file.checkFree()
    let view = try DocumentView(template, recovery: recovery)
    guard let background = view.content.background else { return (view.content, nil) }
    guard let bytes = view.scene.picture else {
      throw ArtError(
        .damaged, "\(template.path) has lost the picture of its background; set another one first",
        about: template.path)
    }
    let picture = CheckedPicture(
      bytes: bytes, mediaType: background.mediaType, size: background.size, isAnimated: false)
    return (view.content, picture)
  }

  private func create(
    _ file: DocumentFile, _ content: DocumentContent, _ picture: CheckedPicture?, _ url: String?,
    _ pending: PendingBackground?, from template: DocumentFile
  ) throws(ArtError) {
    var random = SystemRandomNumberGenerator()
    let new = DocumentContent(
      id: DocumentID(using: &random), canvas: content.canvas, fill: content.fill,
      background: try picture.map { (picture) throws(ArtError) in try Background(picture, from: url) },
      pending: pending, emojis: content.emojisInOrder())
    // The emoji have different ids, because those of the template have.
    guard let new else { throw ArtError(.damaged, "\(template.path) has an id twice", about: template.path) }
    try file.create(new, picture: picture)
  }

  /// Makes a copy of a document with an id of its own and the same log, so that its edits can be undone in the copy. It includes
  /// the edits of orphaned journals, which are kept. Throws what `DocumentFile.create` and reading throw; then nothing is made.
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
    for report in reports where report.edits > 0 {
      recovery.report(.duplicated(new.path, original: file.path, report))
    }
  }

  /// Duplicates a document under the first free name: `bees copy`, `bees copy 2`. Returns the duplicate. Throws as above.
  public func duplicate(_ file: DocumentFile) throws(ArtError) -> DocumentFile {
    let parts = FilePath(file.path)
    let stem = DocumentName.withoutEnding(parts.name)
    return try Self.firstFree(parts.prefix + stem + " copy") { (path) throws(ArtError) in
      let new = DocumentFile(path, timeout: file.timeout, notice: file.notice)
      try duplicate(file, as: new)
      return new
    }
  }

  /// Makes a document at the first free path: `poster.emojiart`, `poster 2.emojiart`. `stem` is the path without number and ending. `make`
  /// throws `exists` for a path that is taken. Throws what `make` throws.
  static func firstFree<Value>(
    _ stem: String, _ make: (String) throws(ArtError) -> Value
  ) throws(ArtError) -> Value {
    var number = 1
    while true {
      do throws(ArtError) {
        return try make((number == 1 ? stem : "\(stem) \(number)") + DocumentFile.ending)
      } catch {
        guard error.code == .exists, number < names else { throw error }
        number += 1
      }
    }
  }

  private static let names = 10_000

  /// Moves a document to a free path on the same file system; the documents' extension is added. Returns the moved document.
  /// Throws `badValue` for an invalid name, what restoring throws, and what `DocumentFile.move` throws; then the document stays
  /// at its path.
  @discardableResult
  public func rename(_ file: DocumentFile, to path: String) throws(ArtError) -> DocumentFile {
    guard DocumentName.isValid(path) else { throw .badDocumentName(path) }
    let new = DocumentFile(DocumentName.withEnding(path))
    if FilePath(new.path) != FilePath(file.path) { try new.checkFree(movingFrom: file) }
    try recovery.restoreFirst(file)
    return try file.move(to: new.path)
  }

  /// Moves a document to the trash of its file system. Throws what restoring, `Trash` and `DocumentFile.move` throw; then the
  /// document stays at its path.
  public func delete(_ file: DocumentFile, into trash: Trash = Trash()) throws(ArtError) -> TrashedDocument {
    try recovery.restoreFirst(file)
    return try trash.put(file)
  }

  /// Moves a document from the trash back to its path, and returns it. Throws `exists` if another file is there by now,
  /// `noSuchDocument` if the folder is missing or the document is not in the trash any more, and what `DocumentFile.move` throws;
  /// then it stays in the trash. `notice` is that of the returned file.
  @discardableResult
  public func undelete(
    _ trashed: TrashedDocument, notice: @escaping @Sendable (DocumentNotice) -> Void = { _ in }
  ) throws(ArtError) -> DocumentFile {
    _ = try DocumentFile(trashed.path).stamp()
    try DocumentFile(trashed.original).checkFree()
    return try trashed.putBack(notice)
  }
}

/// The documents of a folder, one after the other, by their own rows: the content is read only to count what lies off the canvas. All documents that other programs
/// hold share one timeout.
public struct DocumentList: Sequence, IteratorProtocol {
  /// A document, or why it cannot be listed.
  public struct Entry: Sendable {
    /// Its name in the folder, or its path from there, with replacement characters if it is not UTF-8.
    public let name: String
    /// Its path; nil if its name is not UTF-8.
    public let path: String?
    /// Its summary, or why it has none.
    public let summary: Result<DocumentSummary, ArtError>
    /// How many emoji lie off the canvas; nil where that was not asked for, or the content cannot be read.
    public let offCanvas: OffCanvas?
    /// The path of the document of which it is a conflict copy; nil if it is none.
    public let conflictOf: String?
  }

  private let folder: String
  private let recovery: Recovery
  /// The orphaned journals; their edits count as part of their documents.
  public let journals: [OrphanedJournal]
  private let listing: FolderListing
  private var position = 0
  private var timeout = SharedTimeout(.seconds(5))
  private let countsOffCanvas: Bool

  /// Lists a folder, and with `isRecursive` those below: see `FolderListing`. With `countsOffCanvas` it reads each document as a whole, which takes the longer the more emoji it has. Throws `noSuchDocument`, `notPermitted`, `inputOutput`.
  public init(
    _ folder: String, recovery: Recovery, countsOffCanvas: Bool = false, isRecursive: Bool = false
  ) throws(ArtError) {
    (self.folder, self.recovery, self.countsOffCanvas) = (folder, recovery, countsOffCanvas)
    journals = recovery.journals()
    listing = try FolderListing(of: folder, isRecursive: isRecursive)
  }

  /// The number of documents with a path.
  public var count: Int { listing.names.count }

  /// The next document; folders that cannot be listed, and documents without a path, come first.
  public mutating func next() -> Entry? {
    defer { position += 1 }
    if position < listing.faults.count {
      let (name, error) = listing.faults[position]
      return Entry(name: name, path: nil, summary: .failure(error), offCanvas: nil, conflictOf: nil)
    }
    if position < listing.faults.count + listing.unreadable.count {
      let name = listing.unreadable[position - listing.faults.count]
      let error = ArtError(.badValue, "\(name) has a name that is no UTF-8; rename it", about: name)
      return Entry(name: name, path: nil, summary: .failure(error), offCanvas: nil, conflictOf: nil)
    }
    let index = position - listing.faults.count - listing.unreadable.count
    guard index < listing.names.count else { return nil }
    let name = listing.names[index]
    let path = FilePath.path(of: name, in: folder)
    do throws(ArtError) {
      let (recovery, journals, countsOffCanvas) = (recovery, journals, countsOffCanvas)
      let (summary, offCanvas) = try timeout.read(path) { (file) throws(ArtError) in
        if let shown = try recovery.read(file, with: journals) {
          return (try file.summary(of: shown), countsOffCanvas ? OffCanvas(shown.content) : nil)
        }
        return (try file.summary(), countsOffCanvas ? Self.offCanvas(of: file) : nil)
      }
      return Entry(
        name: name, path: path, summary: .success(summary), offCanvas: offCanvas,
        conflictOf: ConflictCopy(path)?.document)
    } catch {
      return Entry(name: name, path: path, summary: .failure(error), offCanvas: nil, conflictOf: nil)
    }
  }

  /// Nil where the content cannot be read: a list is about what each document says of itself, and `DocumentCheck` about its content.
  private static func offCanvas(of file: DocumentFile) -> OffCanvas? {
    do throws(ArtError) { return OffCanvas(try file.read()) } catch { return nil }
  }
}

/// The names of documents as users type them.
public enum DocumentName {
  /// Whether a name is valid for a document: a path or a plain name, with or without the documents' extension.
  public static func isValid(_ document: String) -> Bool {
    let name = FilePath(document).name
    return !FilePath(document).endsWithSlash && !["", ".", "..", DocumentFile.ending].contains(name)
      && !name.unicodeScalars.contains(where: \.isUnsafeOnTerminal)
  }

  /// The name without the documents' extension.
  public static func withoutEnding(_ document: String) -> String {
    FilePath(document).without(ending: DocumentFile.ending).string
  }

  /// Whether the name has the documents' extension.
  public static func hasEnding(_ document: String) -> Bool {
    FilePath(document).hasEnding(DocumentFile.ending)
  }

  /// The name with the documents' extension.
  public static func withEnding(_ document: String) -> String {
    hasEnding(document) ? document : document + DocumentFile.ending
  }
}

extension ArtError {
  /// The error of a name that no document can have.
  package static func badDocumentName(_ typed: String) -> ArtError {
    ArtError(
      .badValue, "\"\(typed)\" is no name for a document; give a plain one, such as bees", about: typed)
  }
}

/// Checks and repairs a document.
public struct DocumentCheck: Sendable {
  private let file: DocumentFile
  private let recovery: Recovery

  /// The faults, a line each; empty for a valid document.
  public let faults: [String]

  /// Checks the document in a file, and reports its orphaned edits. Throws what `DocumentFile.check` throws.
  public init(_ file: DocumentFile, recovery: Recovery) throws(ArtError) {
    (self.file, self.recovery) = (file, recovery)
    faults = try file.check().faults
    try recovery.mention(file)
  }

  /// Whether there are no faults.
  public var isWhole: Bool { faults.isEmpty }

  /// Removes what an interrupted save left beside a valid document. Throws what `DocumentFile.resolveHotJournal` throws.
  public func resolve() throws(ArtError) { try file.resolveHotJournal() }

  /// Repairs the document; nil if another program has repaired it meanwhile. The damaged file is kept, as the report says. Throws
  /// what `DocumentFile.repair` throws; then nothing is changed.
  public func repair(_ mode: RepairMode) throws(ArtError) -> RepairReport? {
    var author = try recovery.newAuthor()
    return try file.repair(mode, stamp: author.stamp(at: WallClock.milliseconds()))
  }
}
