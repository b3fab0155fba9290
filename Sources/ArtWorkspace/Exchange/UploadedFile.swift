// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel
import ArtStore
import ArtSystem
import ArtWorker

/// A file that a user gives to a workspace as bytes. It becomes a document, by what its bytes are:
///
///     a document of this program   a duplicate, with its log
///     JSON, an EmojiArt document   what `Importer` makes of it, with its report
///     anything else                a picture: a document with that background, of its size
public struct UploadedFile: Sendable {
  /// The file's name, as the user has it.
  public let name: String
  /// Its bytes.
  public let bytes: [UInt8]

  /// A file.
  public init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

  /// The document that was made.
  public struct Imported: Sendable {
    /// Its path in the workspace.
    public let path: String
    /// What was left out or changed.
    public let report: ExchangeReport
    /// The permanent refusal of its background; nil for none.
    public let refusal: Refusal?
  }

  /// The name of its document, without ending: the file's name without folders, endings, and characters that no document's name has.
  var stem: String {
    let name = FilePath(String(String.UnicodeScalarView(name.unicodeScalars.map { $0 == "\\" ? "/" : $0 })))
      .name
    let scalars = name.unicodeScalars.filter { !$0.isUnsafeOnTerminal && $0 != "/" }
    var stem = String(String.UnicodeScalarView(scalars))
    if let point = stem.unicodeScalars.lastIndex(of: "."), point != stem.startIndex {
      stem = String(stem.unicodeScalars[..<point])
    }
    while stem.utf8.count > Self.nameBytes || stem.utf8.last == UInt8(ascii: " ") {
      stem.unicodeScalars.removeLast()
    }
    while let first = stem.utf8.first, first == UInt8(ascii: ".") || first == UInt8(ascii: " ") {
      stem.unicodeScalars.removeFirst()
    }
    return stem.isEmpty ? "untitled" : stem
  }

  /// Whether its name ends as documents' names do.
  var isCalledDocument: Bool {
    ImportSource.endings.contains { name.utf8.suffix($0.utf8.count).elementsEqual($0.utf8) }
  }

  /// The most bytes of a stem: a number, the ending and SQLite's own endings fit behind it.
  private static let nameBytes = 200
}

extension Workspace {
  /// Makes a document from a file, under the first free name in a subfolder; `""` is the workspace's own folder. Backgrounds of imported
  /// documents are fetched as those of strangers. Throws what `Importer` and `DocumentFile.create` throw, and `badValue` for a file that is
  /// neither a document nor a picture.
  public nonisolated func add(
    _ file: UploadedFile, to subfolder: String
  ) async throws(ArtError) -> UploadedFile.Imported {
    let path = subfolder.isEmpty ? file.stem : "\(subfolder)/\(file.stem)"
    let place = try await place(path)
    let stem = place.stem
    let source = SourceBytes(sniffing: file.bytes)
    // The apps make empty files for new documents.
    guard !file.bytes.isEmpty || file.isCalledDocument else {
      throw ArtError(.notADocument, "\(file.name) is empty", about: file.name)
    }
    let fetcher = fetcher
    switch source.kind {
    case .document:
      return try await Self.inPool(place) { () throws(ArtError) in
        let made = try Documents.firstFree(stem) { (path) throws(ArtError) in
          var random = SystemRandomNumberGenerator()
          let new = DocumentFile(path)
          try new.checkFree()
          try new.create(duplicating: file.bytes, using: &random)
          return path
        }
        return UploadedFile.Imported(
          path: place.relative(made), report: ExchangeReport(), refusal: nil)
      }
    case .text:
      return try await Self.onThread(place) { () throws(ArtError) in
        let list = ImportList(folder: stem, isRecursive: false)
        var importer = Importer(list, transfer: BlockingTransfer(fetcher))
        let foreign = try source.foreign()
        let made = try Documents.firstFree(stem) { (path) throws(ArtError) in
          do { return try importer.make(foreign, from: .bytes(name: file.name, target: path)) } catch {
            throw Self.error(error)
          }
        }
        return UploadedFile.Imported(
          path: place.relative(made.path), report: made.report, refusal: made.refusal)
      }
    case .other:
      let picture: CheckedPicture
      do throws(BackgroundFailure) { picture = try await fetcher.check(file.bytes) } catch {
        switch error {
        case .refused(let refusal):
          throw ArtError(
            .badValue, "\(file.name) is no document and no picture: \(refusal.detail)", about: file.name)
        case .failed(let error): throw error
        case .cancelled: throw ArtError(.closed, "the import was cancelled")
        }
      }
      return try await Self.inPool(place) { () throws(ArtError) in
        let made = try Documents.firstFree(stem) { (path) throws(ArtError) in
          var random = SystemRandomNumberGenerator()
          let new = DocumentFile(path)
          try new.checkFree()
          _ = try new.create(background: (picture, nil), using: &random)
          return path
        }
        return UploadedFile.Imported(
          path: place.relative(made), report: ExchangeReport(), refusal: nil)
      }
    }
  }

  /// Runs work that blocks. Its errors name the place as the workspace's callers do.
  private static func inPool<Value: Sendable>(
    _ place: NewDocumentPlace, _ work: @escaping @Sendable () throws(ArtError) -> Value
  ) async throws(ArtError) -> Value {
    try await ThreadPool.shared.value { () throws(ArtError) in try place.named(work) }
  }

  /// The same for work that waits for fetches, which use the pool: it has a thread that ends with it.
  private static func onThread<Value: Sendable>(
    _ place: NewDocumentPlace, _ work: @escaping @Sendable () throws(ArtError) -> Value
  ) async throws(ArtError) -> Value {
    try await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try Threads.begin(signals: .none) {
          continuation.resume(returning: Result { () throws(ArtError) in try place.named(work) })
        }
      } catch {
        continuation.resume(returning: Result<Value, ArtError>.failure(.noThread(error)))
      }
    }.get()
  }

  private static func error(_ error: any Error) -> ArtError {
    switch error {
    case let error as ArtError: error
    case ImportFailure.failed(let error), ImportFailure.isOther(_, let error): error
    case ImportFailure.incomplete: ArtError(.badValue, "not all of it can be imported")
    case ImportFailure.targetExists(let path): ArtError(.exists, "\(path) exists already", about: path)
    case ImportFailure.badName(let path): .badDocumentName(path)
    case ImportFailure.isDocument(let name):
      ArtError(.badValue, "\(name) is a document of this program", about: name)
    case ImportFailure.noFolder(let folder):
      ArtError(.exists, "\(folder) is no folder", about: folder)
    default: ArtError(.unavailable, "the import failed")
    }
  }
}
