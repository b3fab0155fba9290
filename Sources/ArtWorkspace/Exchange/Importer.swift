// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// How documents are imported.
public struct ImportOptions: Sendable {
  /// Whether no background is fetched: its URL stays pending.
  public var isOffline: Bool
  /// Whether backgrounds may come from any address.
  public var allowsPrivate: Bool
  /// What a front end adds to a refused background: how the refusal can be lifted there; nil for nothing.
  public var hint: @Sendable (Refusal) -> String?

  /// The options.
  public init(
    isOffline: Bool = false, allowsPrivate: Bool = false,
    hint: @escaping @Sendable (Refusal) -> String? = { _ in nil }
  ) {
    (self.isOffline, self.allowsPrivate, self.hint) = (isOffline, allowsPrivate, hint)
  }
}

/// Why a file did not become a document.
public enum ImportFailure: Error, Equatable {
  case failed(ArtError)
  /// Something stands at the path of the document.
  case targetExists(String)
  /// No document can be called so.
  case badName(String)
  /// It is an emojiart document already, which can be copied.
  case isDocument(String)
  /// Something stands where the folder of the document is to be.
  case noFolder(String)
}

/// A document that has come in.
public struct ImportedDocument: Sendable {
  /// What the file that it came from is called.
  public let source: String
  /// The document's path.
  public let path: String
  /// What the file was written in.
  public let dialect: Dialect
  /// How many emoji there were.
  public let found: Int
  /// The document.
  public let content: DocumentContent
  /// What was left out or changed.
  public let report: ExchangeReport
  /// Why it has no background, and will have none; nil where it has one, or nothing was refused.
  public let refusal: Refusal?
}

/// What an import came to.
public struct ImportTally: Sendable {
  /// The first failure's; nil where there was none.
  public private(set) var firstFailure: ArtError.Code?
  /// Documents that came in.
  public private(set) var documents = 0
  /// Files that did not.
  public private(set) var failures = 0
  /// Emoji that came in.
  public private(set) var emojis = 0
  /// Emoji that the files had.
  public private(set) var emojisFound = 0
  /// Documents of this program that were met in folders.
  public fileprivate(set) var own = 0
  /// Other files that were met there.
  public fileprivate(set) var others = 0
  /// Folders that were met there and not looked into.
  public fileprivate(set) var folders = 0
  /// What was met there and is no file.
  public fileprivate(set) var special = 0

  fileprivate mutating func add(_ document: ImportedDocument) {
    documents += 1
    emojis += document.content.emojiCount
    emojisFound += document.found
  }

  /// Counts a file that did not come in.
  public mutating func addFailure(_ code: ArtError.Code) {
    failures += 1
    firstFailure = firstFailure ?? code
  }
}

/// Imports files, one after the other, as a front end asks for each:
///
///     source ──read──▶ nothing: it is passed over, which the tally counts
///                  └─▶ ForeignArt ──make──▶ a new document, whole or not at all
public struct Importer<Transfer: PictureTransfer> {
  private let options: ImportOptions
  private let transfer: Transfer
  private let notice: @Sendable (DocumentNotice) -> Void
  private var random = SystemRandomNumberGenerator()
  /// The folder that the last document went to.
  private var folder: String?
  /// What has come in so far; a front end adds the failures that it has said.
  public var tally = ImportTally()

  /// An importer of what is in that list. `notice` is given to the documents that are made.
  public init(
    _ list: ImportList, _ options: ImportOptions = ImportOptions(), transfer: Transfer,
    notice: @escaping @Sendable (DocumentNotice) -> Void = { _ in }
  ) {
    (self.options, self.transfer, self.notice) = (options, transfer, notice)
    tally.others = list.others
    tally.special = list.passed.count
    tally.folders = list.foldersPassed
  }

  /// What a source holds; `bytes` are those of a source without a path. Nil for what is passed over. Throws why it is no document.
  public mutating func read(
    _ source: ImportSource, bytes: SourceBytes? = nil
  ) throws(ImportFailure) -> ForeignArt? {
    do throws(ArtError) {
      let found: SourceBytes
      if let path = source.path {
        found = try SourceBytes(path, followsLinks: !source.isFound)
      } else {
        found = bytes ?? SourceBytes()
      }
      if found.kind != .document { return try read(source, found) }
    } catch {
      throw .failed(error)
    }
    guard source.isFound else { throw .isDocument(source.name) }
    tally.own += 1
    return nil
  }

  private mutating func read(_ source: ImportSource, _ found: SourceBytes) throws(ArtError) -> ForeignArt? {
    if source.isFound, !source.hasEnding, found.kind == .other || found.bytes.isEmpty {
      tally.others += 1
      return nil
    }
    do throws(ArtError) {
      return try found.foreign()
    } catch {
      guard error.code == .notADocument, source.isFound, !source.isCalledDocument else { throw error }
      tally.others += 1
      return nil
    }
  }

  /// Makes the document. Throws an `ImportFailure`, and what the transfer throws.
  public mutating func make(_ foreign: ForeignArt, from source: ImportSource) throws -> ImportedDocument {
    // Nobody should fetch for nothing. That nothing is replaced is seen to when the document is made.
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
    if options.isOffline { try content.leaveUnfetched() }
    try makeFolder(of: source.target)
    do throws(ArtError) { try file.create(content, picture: background.picture) } catch {
      throw error.code == .exists ? ImportFailure.targetExists(source.target) : .failed(error)
    }
    return ImportedDocument(
      source: source.name, path: source.target, dialect: foreign.dialect, found: foreign.emojisFound,
      content: content, report: report, refusal: background.refusal)
  }

  private func checkFree(_ target: String) throws(ImportFailure) {
    guard DocumentName.isValid(target) else { throw .badName(target) }
    var status = stat()
    guard lstat(target, &status) != 0 else { throw .targetExists(target) }
  }

  private mutating func makeFolder(of path: String) throws(ImportFailure) {
    let wanted = FilePath(path).folder
    guard folder != wanted else { return }
    try FolderMaking.make(wanted)
    folder = wanted
  }
}

extension DocumentContent {
  /// What our own JSON says is still to come is left alone, too, until somebody asks for it.
  fileprivate mutating func leaveUnfetched() throws(ArtError) {
    guard let pending else { return }
    setPending(
      try PendingBackground(
        url: pending.url, since: pending.since, reason: "offline", anchor: pending.anchor))
  }
}

// MARK: Its background

/// What becomes of the picture that a document from elsewhere names or holds.
struct ImportBackground {
  /// The picture, when it was taken.
  private(set) var picture: CheckedPicture?
  /// Where it came from, if that is known.
  private(set) var url: String?
  /// What is still to be fetched, and why it was not.
  private(set) var pending: (url: String, reason: String)?
  /// What is told of it.
  private(set) var notes: [ExchangeReport.Note] = []
  /// Why there is none, and there will be none.
  private(set) var refusal: Refusal?

  /// No background.
  init() {}

  /// Looks at a picture, or fetches it unless `isOffline`. Throws where nobody can look at bytes that are there.
  init(
    _ background: ForeignArt.Background, for document: String, by transfer: some PictureTransfer,
    _ options: ImportOptions
  ) throws {
    if let bytes = background.bytes {
      do {
        picture = try transfer.picture(.check(bytes), for: document)
        url = background.url.flatMap(Self.kept)
        if background.url != nil, url == nil {
          let words = "the URL beside the picture that is in it, which is no URL of a picture"
          notes.append(ExchangeReport.Note(.leftOut, code: "pictureURL", text: words))
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
    if options.isOffline, !found.isData, let kept = found.storable {
      pending = (kept, "offline")
      return
    }
    do {
      let received = try transfer.receive(
        untrusted: text, for: document, allowsPrivate: options.allowsPrivate)
      (picture, url) = (received.picture, received.url)
      // One that was in the file is not missed then.
      refusal = nil
    } catch let refused as BackgroundRefusal {
      refuse(refused.refusal, of: found, hint: options.hint(refused.refusal))
    } catch let error as ArtError {
      guard let kept = found.storable else { throw error }
      wait(for: kept, reason: error.code.rawValue, because: error.cause)
    }
  }

  private mutating func refuse(_ refusal: Refusal, of url: BackgroundURL, hint: String?) {
    guard refusal.isTransient, let kept = url.storable else {
      let detail = refusal.detail + (hint.map { "; \($0)" } ?? "")
      return leaveOut(
        "the background \(url.redacted)", Refusal(refusal.reason, detail, isTransient: false))
    }
    wait(for: kept, reason: refusal.reason.rawValue, because: refusal.detail)
  }

  private mutating func leaveOut(_ what: String, _ refusal: Refusal) {
    self.refusal = refusal
    let words = "\(what) (\(refusal.reason.rawValue): \(refusal.detail))"
    notes.append(ExchangeReport.Note(.leftOut, code: "background", text: words))
  }

  private mutating func wait(for url: String, reason: String, because detail: String) {
    pending = (url, reason)
    let words = "the background is still to be fetched (\(reason): \(detail))"
    notes.append(ExchangeReport.Note(.changed, code: "pendingBackground", text: words))
  }

  /// What a document keeps of where its picture came from; nil for what is no URL of a picture.
  private static func kept(_ text: String) -> String? {
    do throws(Refusal) { return try BackgroundURL(text).storable } catch { return nil }
  }
}

// MARK: Its folder

/// Folders for documents that come in.
private enum FolderMaking {
  /// Makes a folder where there is none, and those that it is in, durably. Throws `noFolder` where something else stands, `notPermitted`,
  /// `diskFull`, `inputOutput`.
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
    if parent != folder { try make(parent) }
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw .failed(.notMade(folder, errno)) }
    sync(parent)
  }

  /// A folder that may not be read, or a file system of another kind, cannot be made to wait.
  private static func sync(_ folder: String) {
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
  }
}

extension ArtError {
  fileprivate static func notMade(_ folder: String, _ number: Int32) -> ArtError {
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
