// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Glibc

/// Where a picture is to come from.
enum PictureSource: Equatable {
  case url(BackgroundURL)
  case path(String)
  case stdin

  /// What a person typed. Throws `badURL` and `scheme` for a URL that is none.
  init(_ typed: String) throws(Refusal) {
    self = typed == "-" ? .stdin : BackgroundURL.isURL(typed) ? .url(try BackgroundURL(typed)) : .path(typed)
  }

  /// What messages call a file of a person's own.
  var fileName: String? {
    switch self {
    case .url: nil
    case .path(let path): path
    case .stdin: "stdin"
    }
  }
}

/// A picture on its way: bytes that are there, or a URL that is to be fetched.
enum IncomingPicture {
  case url(BackgroundURL)
  case bytes([UInt8])
}

extension PictureSource {
  /// Reads what is a person's own. Throws `ArtError` for a file that cannot be read, and what a picture may not be as a
  /// `Refusal`.
  func read(_ limits: PictureLimits = PictureLimits()) throws -> IncomingPicture {
    switch self {
    case .url(let url): return .url(url)
    case .path(let path): return .bytes(try Self.readFile(path, limits))
    case .stdin:
      var bytes = try Self.readAll(0, upTo: limits.bytes, or: dataURLLimit, name: "stdin")
      guard bytes.starts(with: dataScheme, by: { $0 | 0x20 == $1 }) else {
        guard !bytes.isEmpty else { throw ArtError(.badValue, "stdin is empty; it should be a picture") }
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
      throw ArtError(.badValue, "\(path) is no regular file; give one with a picture, or - for stdin")
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
    let cause = String(cString: strerror(number))
    switch number {
    case ENOENT, ENOTDIR:
      return ArtError(
        .noSuchDocument, "no picture \(emojiart.shown(path)); a URL begins with http:// or https://")
    case EACCES, EPERM: return ArtError(.notPermitted, "cannot read \(path): \(cause)")
    default: return ArtError(.inputOutput, "cannot read \(path): \(cause)")
    }
  }
}
