// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension PictureServer {
  /// The body of the answer to a request; waits without a limit.
  @discardableResult
  func get(_ path: String) async throws -> String {
    let port = try #require(UInt16(port))
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try Self.get(path, port: port) }) }
    }
  }

  /// The number of requests whose path contains a text.
  func count(_ part: String = "") async throws -> Int {
    try await get("/log").split(separator: "\n").count { part.isEmpty || $0.contains(part) }
  }

  private static func get(_ path: String, port: UInt16) throws -> String {
    let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard connection >= 0 else { throw Trouble() }
    defer { close(connection) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    let request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
    guard connected == 0,
      send(connection, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
    else { throw Trouble() }
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(connection, &piece, piece.count, 0)
      guard count > 0 else { break }
      answer += piece[..<count]
    }
    let text = String(decoding: answer, as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n") else { throw Trouble() }
    return String(text[end.upperBound...])
  }
}
