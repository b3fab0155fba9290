// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// How documents are imported.
public struct ImportOptions: Sendable {
  /// Whether backgrounds are not fetched: their URLs stay pending.
  public var isOffline: Bool
  /// Whether backgrounds may come from any address.
  public var allowsPrivate: Bool
  /// How much of a source must be imported.
  public var demand: ImportDemand
  /// The front end's hint on how to lift a refusal; nil for none.
  public var hint: @Sendable (Refusal) -> String?

  /// Options of an import.
  public init(
    isOffline: Bool = false, allowsPrivate: Bool = false, demand: ImportDemand = .anything,
    hint: @escaping @Sendable (Refusal) -> String? = { _ in nil }
  ) {
    (self.isOffline, self.allowsPrivate, self.demand, self.hint) = (isOffline, allowsPrivate, demand, hint)
  }
}

/// How much of a source must be imported; otherwise no document is made of it.
public enum ImportDemand: Sendable {
  /// Nothing.
  case anything
  /// An emoji or a background, if the source has any.
  case something
  /// All of it.
  case everything
}

/// Why a file could not be imported.
public enum ImportFailure: Error, Equatable {
  case failed(ArtError)
  /// It is no JSON, or not that of a document; with what it seems to be instead.
  case isOther(OtherSource, ArtError)
  /// Less than the demand would be imported. The report says what is left out.
  case incomplete(ExchangeReport)
  /// A file is at the path of the document.
  case targetExists(String)
  /// The name is invalid for a document.
  case badName(String)
  /// The file is an emojiart document already, which can be copied.
  case isDocument(String)
  /// Another file is at the path of the document's folder.
  case noFolder(String)
}

/// An imported document.
public struct ImportedDocument: Sendable {
  /// The name of its source.
  public let source: String
  /// The document's path.
  public let path: String
  /// The format of its source.
  public let dialect: Dialect
  /// The number of emoji in the source.
  public let found: Int
  /// The content.
  public let content: DocumentContent
  /// What was left out or changed.
  public let report: ExchangeReport
  /// The permanent refusal of its background; nil for none.
  public let refusal: Refusal?
}

/// The result of an import.
public struct ImportTally: Sendable {
  /// The code of the first failure; nil for none.
  public private(set) var firstFailure: ArtError.Code?
  /// The number of imported documents.
  public private(set) var documents = 0
  /// The number of files that failed.
  public private(set) var failures = 0
  /// The number of those whose documents were there already.
  public private(set) var taken = 0
  /// The number of imported emoji.
  public private(set) var emojis = 0
  /// The number of emoji in the files.
  public private(set) var emojisFound = 0
  /// The number of emojiart documents in the folders, which were skipped.
  public fileprivate(set) var own = 0
  /// The other files in the folders.
  public fileprivate(set) var others = OtherFiles()
  /// The number of subfolders that were skipped.
  public fileprivate(set) var folders = 0
  /// The number of entries that are no files.
  public fileprivate(set) var special = 0

  fileprivate mutating func add(_ document: ImportedDocument) {
    documents += 1
    emojis += document.content.emojiCount
    emojisFound += document.found
  }

  /// Counts a file that failed; `isTaken` if its document was there already.
  public mutating func addFailure(_ code: ArtError.Code, isTaken: Bool = false) {
    failures += 1
    if isTaken { taken += 1 }
    firstFailure = firstFailure ?? code
  }
}

/// Imports files one after the other, each when the front end asks for it:
///
///     source ──read──▶ nil: it is skipped, which the tally counts
///                  └─▶ ForeignArt ──make──▶ a new document, whole or not at all
public struct Importer<Transfer: PictureTransfer> {
  private let options: ImportOptions
  private let transfer: Transfer
  private let notice: @Sendable (DocumentNotice) -> Void
  private var random = SystemRandomNumberGenerator()
  /// The folder of the last document.
  private var folder: FilePath?
  /// The result so far; the front end adds the failures that it reported.
  public var tally = ImportTally()

  /// An importer of the files in that list. `notice` is passed to the documents that are made.
  public init(
    _ list: ImportList, _ options: ImportOptions = ImportOptions(), transfer: Transfer,
    notice: @escaping @Sendable (DocumentNotice) -> Void = { _ in }
  ) {
    (self.options, self.transfer, self.notice) = (options, transfer, notice)
    tally.others = list.others
    tally.special = list.passed.count
    tally.folders = list.foldersPassed
  }

  /// Reads a source; `bytes` are those of a source without a path. Nil if the source is skipped. Throws why it is no document.
  public mutating func read(
    _ source: ImportSource, bytes: SourceBytes? = nil
  ) throws(ImportFailure) -> ForeignArt? {
    var seen: OtherSource?
    do throws(ArtError) {
      let found: SourceBytes
      if let path = source.path {
        found = try SourceBytes(path, followsLinks: !source.isFound)
      } else {
        found = bytes ?? SourceBytes()
      }
      if found.kind != .document {
        seen = OtherSource(found.bytes)
        return try read(source, found)
      }
    } catch {
      guard let seen, error.code == .badJSON || error.code == .notADocument else { throw .failed(error) }
      throw .isOther(seen, error)
    }
    guard source.isFound else { throw .isDocument(source.name) }
    tally.own += 1
    return nil
  }

  private mutating func read(_ source: ImportSource, _ found: SourceBytes) throws(ArtError) -> ForeignArt? {
    // An empty file can be a blank document, an interrupted copy or a placeholder: it is imported only if the user names it.
    if source.isFound, found.bytes.isEmpty || !source.hasEnding && found.kind == .other {
      if source.hasEnding {
        notice(.line("\(source.name) is empty, and is skipped; name it to import it as a blank document"))
      }
      tally.others.add(source.name)
      return nil
    }
    do throws(ArtError) {
      return try found.foreign()
    } catch {
      guard error.code == .notADocument, source.isFound, !source.isCalledDocument else { throw error }
      tally.others.add(source.name)
      return nil
    }
  }

  /// Makes the document. Throws an `ImportFailure`, and what the transfer throws.
  public mutating func make(_ foreign: ForeignArt, from source: ImportSource) throws -> ImportedDocument {
    // Checked before a background is fetched in vain; making the document checks again that nothing is replaced.
    try checkFree(source.target)
    do {
      let document = try make(foreign, source)
      tally.add(document)
      return document
    } catch let error as ArtError {
      throw ImportFailure.failed(error)
    }
  }

  private mutating func make(_ foreign: ForeignArt, _ source: ImportSource) throws -> ImportedDocument {
    let file = DocumentFile(source.target, notice: notice)
    let background =
      if let named = foreign.background {
        try ImportBackground(named, for: file.path, by: transfer, options)
      } else {
        ImportBackground()
      }
    let pending = background.pending.map {
      (url: $0.url, since: WallClock.milliseconds(), reason: $0.reason)
    }
    var (content, report) = try foreign.content(
      picture: background.picture, digest: background.picture?.digest, url: background.url, pending: pending,
      using: &random)
    for note in background.notes { report.note(note) }
    try check(content, foreign, report)
    if options.isOffline { try content.leaveUnfetched() }
    try makeFolder(of: source.target)
    do throws(ArtError) { try file.create(content, picture: background.picture) } catch {
      throw error.code == .exists ? ImportFailure.targetExists(source.target) : .failed(error)
    }
    return ImportedDocument(
      source: source.name, path: source.target, dialect: foreign.dialect, found: foreign.emojisFound,
      content: content, report: report, refusal: background.refusal)
  }

  /// Throws `incomplete` if less than the demand is imported.
  private func check(
    _ content: DocumentContent, _ foreign: ForeignArt, _ report: ExchangeReport
  ) throws(ImportFailure) {
    let isMet =
      switch options.demand {
      case .anything: true
      case .something:
        (foreign.emojisFound == 0 && foreign.background == nil) || content.emojiCount > 0
          || content.background != nil || content.pending != nil
      case .everything: !report.notes.contains { $0.kind == .leftOut }
      }
    guard isMet else { throw .incomplete(report) }
  }

  private func checkFree(_ target: String) throws(ImportFailure) {
    guard DocumentName.isValid(target) else { throw .badName(target) }
    var status = stat()
    guard lstat(target, &status) != 0 else { throw .targetExists(target) }
    if let twin = TypedPath.twins(of: target).first { throw .failed(.twinExists(twin, of: target)) }
  }

  private mutating func makeFolder(of path: String) throws(ImportFailure) {
    let wanted = FilePath(FilePath(path).folder)
    guard folder != wanted else { return }
    try FolderMaking.make(wanted.string)
    folder = wanted
  }
}

extension DocumentContent {
  /// Keeps what is pending in our own JSON pending, until a user asks to fetch it.
  fileprivate mutating func leaveUnfetched() throws(ArtError) {
    guard let pending else { return }
    setPending(
      try PendingBackground(
        url: pending.url, since: pending.since, reason: "offline", anchor: pending.anchor))
  }
}

// MARK: Background

/// The background of a document from another program.
struct ImportBackground {
  /// The picture, if it was accepted.
  private(set) var picture: CheckedPicture?
  /// Its URL, if known.
  private(set) var url: String?
  /// The URL that is still to be fetched, and why it was not.
  private(set) var pending: (url: String, reason: String)?
  /// The notes for the report.
  private(set) var notes: [ExchangeReport.Note] = []
  /// Why it was permanently refused.
  private(set) var refusal: Refusal?

  /// No background.
  init() {}

  /// Checks the picture, or fetches it unless `isOffline`. Throws if the bytes cannot be checked.
  init(
    _ background: ForeignArt.Background, for document: String, by transfer: some PictureTransfer,
    _ options: ImportOptions
  ) throws {
    if let bytes = background.bytes {
      do {
        picture = try transfer.picture(.check(bytes), for: document)
        url = background.url.flatMap(Self.storableURL)
        if background.url != nil, url == nil {
          let text = "the URL of the embedded picture, which is no URL of a picture"
          notes.append(ExchangeReport.Note(.leftOut, code: "pictureURL", text: text))
        }
        return
      } catch let refusal as Refusal {
        leaveOut("the picture in it", refusal)
      }
    }
    if let url = background.url {
      try fetch(url, for: document, by: transfer, options)
    }
  }

  private mutating func fetch(
    _ text: String, for document: String, by transfer: some PictureTransfer, _ options: ImportOptions
  ) throws {
    let found: BackgroundURL
    do throws(Refusal) { found = try BackgroundURL(text) } catch { return leaveOut("the background", error) }
    if options.isOffline, !found.isData, let storable = found.storable {
      pending = (storable, "offline")
      return
    }
    do {
      let received = try transfer.receive(
        untrusted: text, for: document, allowsPrivate: options.allowsPrivate)
      (picture, url) = (received.picture, received.url)
      // The picture was in the file, so the refusal of its URL does not matter.
      refusal = nil
    } catch let refused as BackgroundRefusal {
      refuse(refused.refusal, of: found, hint: options.hint(refused.refusal))
    } catch let error as ArtError {
      guard let storable = found.storable else { throw error }
      wait(for: storable, reason: error.code.rawValue, because: error.cause)
    }
  }

  private mutating func refuse(_ refusal: Refusal, of url: BackgroundURL, hint: String?) {
    guard refusal.isTransient, let storable = url.storable else {
      let detail = refusal.detail + (hint.map { "; \($0)" } ?? "")
      return leaveOut(
        "the background \(url.redacted)", Refusal(refusal.reason, detail, isTransient: false))
    }
    wait(for: storable, reason: refusal.reason.rawValue, because: refusal.detail)
  }

  private mutating func leaveOut(_ what: String, _ refusal: Refusal) {
    self.refusal = refusal
    let text = "\(what) (\(refusal.reason.rawValue): \(refusal.detail))"
    notes.append(ExchangeReport.Note(.leftOut, code: "background", text: text))
  }

  private mutating func wait(for url: String, reason: String, because detail: String) {
    pending = (url, reason)
    let text = "the background is still to be fetched (\(reason): \(detail))"
    notes.append(ExchangeReport.Note(.changed, code: "pendingBackground", text: text))
  }

  /// The URL as a document stores it; nil for text that is no URL of a picture.
  private static func storableURL(_ text: String) -> String? {
    do throws(Refusal) { return try BackgroundURL(text).storable } catch { return nil }
  }
}

// MARK: Folder

/// Makes the folders of imported documents.
private enum FolderMaking {
  /// Makes a folder and its missing parents, durably. Throws `noFolder` if another file is there, `notPermitted`, `diskFull`,
  /// `inputOutput`.
  static func make(_ folder: String) throws(ImportFailure) {
    var status = stat()
    if stat(folder, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        throw .noFolder(folder)
      }
      return
    }
    guard errno == ENOENT else { throw .failed(.notMade(folder, errno)) }
    guard lstat(folder, &status) != 0 else { throw .failed(.notMade(folder, EEXIST)) }
    let parent = FilePath(folder).folder
    if FilePath(parent) != FilePath(folder) { try make(parent) }
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw .failed(.notMade(folder, errno)) }
    sync(parent)
  }

  /// Failures are ignored: a folder without read permission, and some file systems, cannot be synced.
  private static func sync(_ folder: String) {
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
  }
}

extension ArtError {
  static func notMade(_ folder: String, _ number: Int32) -> ArtError {
    let cause = SystemError.text(of: number)
    switch number {
    case EACCES, EPERM, EROFS:
      return ArtError(.notPermitted, "cannot make the folder \(folder): \(cause)", about: folder)
    case ENOSPC, EDQUOT:
      return ArtError(.diskFull, "cannot make the folder \(folder): \(cause)", about: folder)
    case ENAMETOOLONG:
      return ArtError(
        .badValue, "the name \(folder.prefix(40))… is too long for the file system", about: folder)
    case ENOENT, EEXIST:
      return ArtError(.exists, "\(folder) is a link to what is not there; choose another one", about: folder)
    default: return ArtError(.inputOutput, "cannot make the folder \(folder): \(cause)", about: folder)
    }
  }
}
