// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// The bytes of a file to import. The file is never written to.
public struct SourceBytes: Sendable {
  /// The largest file in bytes.
  static let limit = ForeignArt.byteLimit

  /// What a file seems to be, by its first bytes.
  public enum Kind: Equatable, Sendable {
    /// A document of this program.
    case document
    /// JSON, or an empty file.
    case text
    case other
  }

  /// What the bytes seem to be.
  public let kind: Kind
  /// The bytes; empty for a document of this program.
  public let bytes: [UInt8]

  /// Reads an open descriptor to its end; `name` is for messages. Throws `tooLarge`, `inputOutput`.
  public init(descriptor: Int32, name: String) throws(ArtError) {
    var bytes: [UInt8] = []
    try Self.readAll(descriptor, into: &bytes, name: name)
    self.init(kind: Self.kind(of: bytes), bytes: bytes)
  }

  /// The given bytes.
  public init(kind: Kind = .text, bytes: [UInt8] = []) {
    self.kind = kind
    self.bytes = bytes
  }

  /// The given bytes, whatever they are.
  init(sniffing bytes: [UInt8]) { self.init(kind: Self.kind(of: bytes), bytes: bytes) }

  /// Reads a regular file, unless it is a document of this program. Throws `noSuchDocument`, `notPermitted`, `inputOutput`,
  /// `badValue` for a file of another type, `tooLarge`.
  public init(_ path: String, followsLinks: Bool) throws(ArtError) {
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW)
    let file = open(path, flags)
    guard file >= 0 else { throw .notRead(path, errno) }
    defer { PlainFile.close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .notRead(path, errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFIFO: throw ArtError(.badValue, "\(path) is a pipe", about: path, remedy: .sendBytes)
    case S_IFDIR: throw ArtError(.badValue, "\(path) is a folder", about: path)
    default: throw ArtError(.badValue, "\(path) is a device, and not a file", about: path)
    }
    guard status.st_size <= Self.limit else { throw .tooLargeSource(path) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(status.st_size) + 1)
    try Self.readAll(file, into: &bytes, name: path, upTo: Self.head)
    kind = Self.kind(of: bytes)
    guard kind != .document else {
      self.bytes = []
      return
    }
    try Self.readAll(file, into: &bytes, name: path)
    self.bytes = bytes
  }

  /// The parsed document. Throws what `ForeignArt(reading:)` throws.
  package func foreign() throws(ArtError) -> ForeignArt {
    try bytes.withUnsafeBufferPointer { (bytes) throws(ArtError) in try ForeignArt(reading: bytes) }
  }

  private static let head = 512
  private static let piece = 1 << 16

  private static func kind(of bytes: [UInt8]) -> Kind {
    if bytes.starts(with: "SQLite format 3\0".utf8) { return .document }
    let isText = bytes.isEmpty || DocumentText(beginning: Array(bytes.prefix(head))) != nil
    return isText ? .text : .other
  }

  /// Reads to the end, or up to that many bytes.
  private static func readAll(
    _ descriptor: Int32, into bytes: inout [UInt8], name: String, upTo wanted: Int = .max
  ) throws(ArtError) {
    var buffer = [UInt8](repeating: 0, count: min(piece, wanted))
    while bytes.count < wanted {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        // The pipe may be non-blocking, set so by another program.
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&ready, 1, -1)
        continue
      }
      guard count >= 0 else { throw .notRead(name, errno) }
      guard count > 0 else { return }
      bytes.append(contentsOf: buffer[..<count])
      guard bytes.count <= limit else { throw .tooLargeSource(name) }
    }
  }
}

extension ArtError {
  /// A file or a folder cannot be read.
  static func notRead(_ name: String, _ number: Int32) -> ArtError {
    let cause = SystemError.text(of: number)
    switch number {
    case ENOENT, ENOTDIR:
      return ArtError(.noSuchDocument, "\(name) is not there; give a file or a folder that is", about: name)
    case ELOOP: return ArtError(.badValue, "\(name) is a symbolic link", about: name)
    case EACCES, EPERM:
      return ArtError(.notPermitted, "\(name) cannot be read: \(cause); look at its permissions", about: name)
    default: return ArtError(.inputOutput, "\(name) cannot be read: \(cause)", about: name)
    }
  }

  fileprivate static func tooLargeSource(_ name: String) -> ArtError {
    ArtError(
      .tooLarge, "\(name) is larger than \(SourceBytes.limit >> 20) MiB, the most that is read", about: name)
  }
}
