// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A connection to a server of this machine whose bytes the test chooses.
final class RawConnection {
  private let descriptor: Int32
  private var received: [UInt8] = []
  private var hasEnded = false

  /// Connects. Throws if nothing listens there.
  init(_ address: String = "127.0.0.1", port: Int) throws {
    let isV6 = address.contains(":")
    descriptor = socket(isV6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    // A connection that is reset at its end leaves no entry in the kernel's table, in which the server looks for the user of each one.
    var reset = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
    let number = in_port_t(port).bigEndian
    let isConnected: Bool
    if isV6 {
      var end = sockaddr_in6()
      (end.sin6_family, end.sin6_port) = (sa_family_t(AF_INET6), number)
      inet_pton(AF_INET6, address, &end.sin6_addr)
      isConnected = Self.connect(descriptor, to: &end)
    } else {
      var end = sockaddr_in()
      (end.sin_family, end.sin_port) = (sa_family_t(AF_INET), number)
      inet_pton(AF_INET, address, &end.sin_addr)
      isConnected = Self.connect(descriptor, to: &end)
    }
    guard isConnected else {
      close(descriptor)
      throw ProgramError(what: "nothing listens at \(address):\(port)")
    }
  }

  private static func connect<Address>(_ descriptor: Int32, to end: inout Address) -> Bool {
    withUnsafePointer(to: &end) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
      }
    }
  }

  deinit { close(descriptor) }

  /// The port of this end.
  func ownPort() -> Int {
    var end = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &end) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return result == 0 ? Int(in_port_t(bigEndian: end.sin_port)) : 0
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends bytes; those that the server does not read any more are dropped.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private func more() throws {
    try waitUntilReadable(descriptor, for: "an answer of the server")
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    hasEnded = count <= 0
    received += buffer.prefix(max(0, count))
  }

  /// The next answer of HTTP; nil if the server closes the connection without one.
  func answer(isHead: Bool = false) throws -> RawAnswer? {
    while true {
      if let answer = RawAnswer(from: &received, isHead: isHead) { return answer }
      guard !hasEnded else { return nil }
      try more()
    }
  }

  /// The next frame of the server; nil if it closes the connection without one.
  func frame() throws -> Frame? {
    while true {
      if let frame = Frame(from: &received) { return frame }
      guard !hasEnded else { return nil }
      try more()
    }
  }

  /// Waits until the server closes the connection.
  func waitForEnd() throws { while !hasEnded { try more() } }
}
