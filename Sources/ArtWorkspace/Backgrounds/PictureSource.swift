// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import Dispatch
import Glibc
import Synchronization

// A picture on its way into a document, whoever wants it:
//
//     what was typed ──▶ PictureSource ──read──▶ PictureOrder ──PictureTransfer──▶ CheckedPicture ──▶ ReceivedPicture
//                        path, URL,              bytes, or a     a front end waits as it likes
//                        descriptor              URL to fetch

/// Where a picture is to come from.
public enum PictureSource: Equatable, Sendable {
  /// A URL that a person typed.
  case url(BackgroundURL)
  /// A file of a person's own.
  case path(String)
  /// A descriptor that is open; messages call it by that name. What is read there may be a `data:` URL.
  case descriptor(Int32, name: String)

  /// What a person typed: a URL or a path. Throws `badURL` and `scheme` for a URL that is none.
  public init(typed: String) throws(Refusal) {
    self = BackgroundURL.isURL(typed) ? .url(try BackgroundURL(typed)) : .path(typed)
  }

  /// What messages call a file of a person's own; nil for a URL.
  public var fileName: String? {
    switch self {
    case .url: nil
    case .path(let path): path
    case .descriptor(_, let name): name
    }
  }
}

/// A picture that is wanted: bytes that are there, or a URL that is to be fetched.
public enum PictureOrder: Sendable {
  case fetch(BackgroundRequest)
  case check([UInt8])
}

/// A picture that was fetched, or read, and checked.
public struct ReceivedPicture: Sendable {
  /// The picture.
  public var picture: CheckedPicture
  /// Whether it came from a URL; not from a file of a person's own.
  public var isFromURL: Bool
  /// The URL, where it is one that a document keeps: long ones are let go, for they may be as large as the picture.
  public var url: String?

  /// A picture.
  public init(_ picture: CheckedPicture, isFromURL: Bool = true, url: String? = nil) {
    (self.picture, self.isFromURL, self.url) = (picture, isFromURL, url)
  }
}

/// A background that was refused. The document is as it was, but for what `aftermath` says.
public struct BackgroundRefusal: Error, Sendable, Equatable {
  /// What became of a background that was pending.
  public enum Aftermath: Sendable {
    case staysPending
    case isNoLongerPending
  }

  /// Why.
  public var refusal: Refusal
  /// The URL that a person asked for, as it was typed; nil for a file of the person's own.
  public var asked: String?
  /// What messages call such a file.
  public var file: String?
  /// What people are shown of the URL; nil where it cannot be read.
  public var shown: String?
  /// What became of it; nil where the document simply stayed as it was.
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

/// Gets use cases their pictures, in the way of a front end, which may show how far it is and take signals meanwhile.
public protocol PictureTransfer {
  /// The picture, for the document at that path. Waits for it. Throws a `Refusal`, an `ArtError` where there was nobody to fetch
  /// it, or whatever else ends the work, which passes through the use case.
  func picture(_ order: PictureOrder, for document: String) throws -> CheckedPicture
}

/// Gets pictures and does nothing meanwhile. Blocks the calling thread, which must not be one of Swift's concurrency.
public struct BlockingTransfer: PictureTransfer {
  private let fetcher: BackgroundFetcher

  /// By that fetcher.
  public init(_ fetcher: BackgroundFetcher = BackgroundFetcher()) { self.fetcher = fetcher }

  /// The picture. Throws a `Refusal`, or an `ArtError` where there was nobody to fetch it.
  public func picture(_ order: PictureOrder, for document: String) throws -> CheckedPicture {
    let fetcher = fetcher
    return try Outcome { await order.result(by: fetcher) }.wait().picture
  }
}

extension PictureOrder {
  /// The picture, or why there is none; `progress` is given how far a fetch is.
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
  /// The picture. Throws a `Refusal`, or an `ArtError` where there was nobody to fetch it.
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
  /// What a person typed, by that person's proxies. Throws `BackgroundRefusal`, an `ArtError`, and what the transfer throws.
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

  /// What stands in a document: whoever put it there, the user did not type it just now. Throws as above.
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
  /// One that a person wants to be fetched later; nil for a URL that is too long to be kept. `time` is in milliseconds since 1970.
  public init?(later url: BackgroundURL, at time: Int) throws(ArtError) {
    guard let kept = url.storable else { return nil }
    self = try PendingBackground(url: kept, since: time, reason: "later", anchor: .topLeft)
  }
}

// MARK: Reading

/// What a source holds.
package enum IncomingPicture {
  case url(BackgroundURL)
  case bytes([UInt8])
}

extension PictureSource {
  /// Reads what is a person's own. Throws `ArtError` for a file that cannot be read, and what a picture may not be as a
  /// `Refusal`.
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

  /// Reads to the end. What begins as a `data:` URL may have `longer` bytes.
  private static func readAll(
    _ descriptor: Int32, upTo limit: Int, or longer: Int, name: String
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    // Memory is taken as it is written to.
    bytes.reserveCapacity(limit + piece)
    var buffer = [UInt8](repeating: 0, count: piece)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        // Another program left the pipe so that reading does not wait.
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
/// Three times the largest picture, which is how long it is when each byte is percent-encoded, and what stands before it.
private let dataURLLimit = (60 << 20) + (64 << 10)

extension Refusal {
  fileprivate static func tooBig(_ limit: Int) -> Refusal {
    Refusal(.tooBig, "it has more than \(limit >> 20) MiB")
  }
}

extension ArtError {
  /// A file of a person's own cannot be read.
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
