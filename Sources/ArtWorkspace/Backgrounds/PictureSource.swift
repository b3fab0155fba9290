// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import Glibc
import Synchronization

// From what the user typed to a picture in a document:
//
//     what was typed ──▶ PictureSource ──read──▶ PictureOrder ──PictureTransfer──▶ CheckedPicture ──▶ ReceivedPicture
//                        path, URL,              bytes, or a     by the front end
//                        descriptor              URL to fetch

/// The source of a picture.
public enum PictureSource: Equatable, Sendable {
  /// A URL that the user typed.
  case url(BackgroundURL)
  /// A file of the user's own.
  case path(String)
  /// An open descriptor and its name in messages. Its content may be a `data:` URL.
  case descriptor(Int32, name: String)

  /// The source for a URL or path that the user typed. Throws `badURL` and `scheme` for an invalid URL.
  public init(typed: String) throws(Refusal) {
    if let path = Self.localPath(typed) { self = .path(path) } else { self = .url(try BackgroundURL(typed)) }
  }

  /// The path that a typed text means: of a file that is there, in a `file:` URI, or in quotes; nil for a URL.
  public static func localPath(_ typed: String) -> String? {
    // A file may have the name of a host, or quotes in its name.
    if BackgroundURL.scheme(of: typed) == nil, access(typed, F_OK) == 0 { return typed }
    if let path = BackgroundURL.filePath(in: typed) { return path }
    return BackgroundURL.isURL(typed) ? nil : BackgroundURL.unquoted(typed)
  }

  /// The name of the user's file in messages; nil for a URL.
  public var fileName: String? {
    switch self {
    case .url: nil
    case .path(let path): path
    case .descriptor(_, let name): name
    }
  }
}

/// What to check or fetch: the bytes of a picture, or a URL.
public enum PictureOrder: Sendable {
  case fetch(BackgroundRequest)
  case check([UInt8])
}

/// A picture that was fetched or read, and checked.
public struct ReceivedPicture: Sendable {
  /// The picture.
  public var picture: CheckedPicture
  /// Whether it came from a URL and not from the user's own file.
  public var isFromURL: Bool
  /// The URL, if a document stores it: long URLs are dropped, because they may be as large as the picture.
  public var url: String?

  /// A picture.
  public init(_ picture: CheckedPicture, isFromURL: Bool = true, url: String? = nil) {
    (self.picture, self.isFromURL, self.url) = (picture, isFromURL, url)
  }
}

/// A refused background. The document is unchanged, except for `aftermath`.
public struct BackgroundRefusal: Error, Sendable, Equatable {
  /// What became of a pending background.
  public enum Aftermath: Sendable {
    case staysPending
    case isNoLongerPending
  }

  /// The reason.
  public var refusal: Refusal
  /// The URL as the user typed it; nil for the user's own file.
  public var asked: String?
  /// The name of that file in messages.
  public var file: String?
  /// The redacted URL; nil if it is invalid.
  public var shown: String?
  /// What became of the pending background; nil if the document is unchanged.
  public var aftermath: Aftermath?

  /// A refusal.
  public init(
    _ refusal: Refusal, asked: String? = nil, file: String? = nil, shown: String? = nil,
    aftermath: Aftermath? = nil
  ) {
    (self.refusal, self.asked, self.file) = (refusal, asked, file)
    (self.shown, self.aftermath) = (shown, aftermath)
  }
}

// MARK: Fetching

/// Gets pictures for use cases. The front end implements it, and may show progress and handle signals meanwhile.
public protocol PictureTransfer {
  /// Waits for the picture of the document at that path. Throws a `Refusal`, an `ArtError` if it could not be fetched, or an
  /// error of the front end, which passes through the use case.
  func picture(_ order: PictureOrder, for document: String) throws -> CheckedPicture
}

/// Gets pictures without showing progress. Blocks the calling thread, which must not be one of Swift's concurrency.
public struct BlockingTransfer: PictureTransfer {
  private let fetcher: BackgroundFetcher

  /// A transfer by that fetcher.
  public init(_ fetcher: BackgroundFetcher = BackgroundFetcher()) { self.fetcher = fetcher }

  /// The picture. Throws a `Refusal`, or an `ArtError` if it could not be fetched.
  public func picture(_ order: PictureOrder, for document: String) throws -> CheckedPicture {
    let fetcher = fetcher
    return try Outcome { await order.result(by: fetcher) }.wait().picture
  }
}

extension PictureOrder {
  /// The picture or an error; `progress` is called with the state of a fetch.
  package func result(
    by fetcher: BackgroundFetcher, progress: @escaping @Sendable (FetchProgress) -> Void = { _ in }
  ) async -> Result<CheckedPicture, BackgroundFailure> {
    do throws(BackgroundFailure) {
      switch self {
      case .check(let bytes): return .success(try await fetcher.check(bytes))
      case .fetch(let request):
        let fetch = fetcher.fetch(request)
        let reporting = Task { for await step in fetch.progress { progress(step) } }
        defer { reporting.cancel() }
        return .success(try await fetch.picture)
      }
    } catch {
      return .failure(error)
    }
  }
}

extension Result where Success == CheckedPicture, Failure == BackgroundFailure {
  /// The picture. Throws a `Refusal`, or an `ArtError` if it could not be fetched.
  package var picture: CheckedPicture {
    get throws {
      switch self {
      case .success(let picture): return picture
      case .failure(.refused(let refusal)): throw refusal
      case .failure(.failed(let error)): throw error
      case .failure(.cancelled):
        throw ArtError(.unavailable, "the transfer was cancelled; nothing is changed")
      }
    }
  }
}

extension PictureTransfer {
  /// The picture of a source that the user typed, by the user's proxies. Throws `BackgroundRefusal`, an `ArtError`, and what the
  /// transfer throws.
  public func receive(
    _ source: PictureSource, for document: String, allowsPrivate: Bool = false,
    proxies: ProxySettings = ProxySettings()
  ) throws -> ReceivedPicture {
    var url: BackgroundURL?
    do {
      switch try source.read() {
      case .bytes(let bytes):
        return ReceivedPicture(try picture(.check(bytes), for: document), isFromURL: false)
      case .url(let found):
        url = found
        let request = BackgroundRequest(
          found, isUserInitiated: true, allowsPrivate: allowsPrivate, proxies: proxies)
        return ReceivedPicture(try picture(.fetch(request), for: document), url: found.storable)
      }
    } catch let refusal as Refusal {
      throw BackgroundRefusal(refusal, asked: url?.string, file: source.fileName, shown: url?.redacted)
    }
  }

  /// The picture of a URL in a document, which is untrusted. Throws as above.
  public func receive(
    untrusted text: String, for document: String, allowsPrivate: Bool
  ) throws -> ReceivedPicture {
    var url: BackgroundURL?
    do {
      let found = try BackgroundURL(text)
      url = found
      let request = BackgroundRequest(found, isUserInitiated: false, allowsPrivate: allowsPrivate)
      return ReceivedPicture(try picture(.fetch(request), for: document), url: found.storable)
    } catch let refusal as Refusal {
      throw BackgroundRefusal(refusal, asked: text, shown: url?.redacted)
    }
  }
}

extension PendingBackground {
  /// The background that the user wants to be fetched later; nil for a URL that is too long to be stored. `time` is in
  /// milliseconds since 1970.
  public init?(later url: BackgroundURL, at time: Int) throws(ArtError) {
    guard let storable = url.storable else { return nil }
    self = try PendingBackground(url: storable, since: time, reason: "later", anchor: .topLeft)
  }
}

// MARK: Reading

/// The content of a source.
package enum IncomingPicture {
  case url(BackgroundURL)
  case bytes([UInt8])
}

extension PictureSource {
  /// Reads the user's own file or descriptor. Throws an `ArtError` for a file that cannot be read, and a `Refusal` for one that
  /// cannot be a picture.
  package func read(_ limits: PictureLimits = PictureLimits()) throws -> IncomingPicture {
    switch self {
    case .url(let url): return .url(url)
    case .path(let path): return .bytes(try Self.readFile(path, limits))
    case .descriptor(let descriptor, let name):
      var bytes = try Self.readAll(descriptor, upTo: limits.bytes, or: dataURLLimit, name: name)
      guard bytes.starts(with: dataScheme, by: { $0 | 0x20 == $1 }) else {
        guard !bytes.isEmpty else {
          throw ArtError(.badValue, "\(name) is empty; it should be a picture", about: name)
        }
        return .bytes(bytes)
      }
      while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Refusal(.badURL, "the data: URL is no UTF-8")
      }
      bytes = []
      return .url(try BackgroundURL(text))
    }
  }

  private static func readFile(_ path: String, _ limits: PictureLimits) throws -> [UInt8] {
    let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw ArtError.noPicture(path, errno) }
    defer { PlainFile.close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw ArtError.noPicture(path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ArtError(
        .badValue, "\(path) is no regular file with a picture", about: path, remedy: .sendBytes)
    }
    guard Int(status.st_size) <= limits.bytes else {
      throw Refusal.tooBig(limits.bytes)
    }
    return try readAll(file, upTo: limits.bytes, or: limits.bytes, name: path)
  }

  /// Reads to the end. Content that begins as a `data:` URL may have `longer` bytes.
  private static func readAll(
    _ descriptor: Int32, upTo limit: Int, or longer: Int, name: String
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    // Reserved memory costs nothing until it is written to.
    bytes.reserveCapacity(limit + piece)
    var buffer = [UInt8](repeating: 0, count: piece)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        // The pipe may be non-blocking, set so by another program.
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&ready, 1, -1)
        continue
      }
      guard count >= 0 else { throw ArtError.noPicture(name, errno) }
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: buffer[..<count])
      let most = bytes.starts(with: dataScheme, by: { $0 | 0x20 == $1 }) ? longer : limit
      guard bytes.count <= most else { throw Refusal.tooBig(most) }
    }
  }
}

private let piece = 1 << 16
private let dataScheme = [UInt8]("data:".utf8)
/// The largest picture with each byte percent-encoded, and the head of the URL.
private let dataURLLimit = (60 << 20) + (64 << 10)

extension Refusal {
  fileprivate static func tooBig(_ limit: Int) -> Refusal {
    Refusal(.tooBig, "it has more than \(limit >> 20) MiB")
  }
}

extension ArtError {
  /// The user's own file cannot be read.
  fileprivate static func noPicture(_ path: String, _ number: Int32) -> ArtError {
    let cause = SystemError.text(of: number)
    switch number {
    case ENOENT, ENOTDIR:
      return ArtError(
        .noSuchDocument, "no picture \(path.isEmpty ? "\"\"" : path); a URL begins with http:// or https://")
    case EACCES, EPERM: return ArtError(.notPermitted, "cannot read \(path): \(cause)", about: path)
    default: return ArtError(.inputOutput, "cannot read \(path): \(cause)", about: path)
    }
  }
}
