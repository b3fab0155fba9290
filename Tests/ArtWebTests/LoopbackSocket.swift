// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A socket that listens at a port of this machine. The test closes it.
struct LoopbackSocket {
  enum Address { case v4, v6 }

  let descriptor: Int32
  let port: Int

  /// Whether the machine has ::1. What cannot be found out counts as there.
  static let hasV6: Bool = {
    let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return errno != EAFNOSUPPORT }
    defer { close(descriptor) }
    var address = sockaddr_in6()
    (address.sin6_family, address.sin6_addr) = (sa_family_t(AF_INET6), in6addr_loopback)
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
      }
    }
    return isBound || errno != EADDRNOTAVAIL
  }()

  /// The same; says what is not tried if it has none.
  static func hasV6(for what: String) -> Bool {
    if !hasV6 { Skip("no IPv6")(what) }
    return hasV6
  }

  /// Sockets at one port of 127.0.0.1 and of ::1, or only the first on a machine without ::1.
  static func pair() throws -> [LoopbackSocket] {
    var refused: [LoopbackSocket] = []
    // The refused ones stay taken meanwhile, so each port comes once.
    defer { for socket in refused { close(socket.descriptor) } }
    while true {
      let first = try LoopbackSocket(.v4)
      guard hasV6 else { return [first] }
      do { return [first, try LoopbackSocket(.v6, port: first.port)] } catch {
        refused.append(first)
        // Another program has the port of ::1.
        guard refused.count < 64 else { throw error }
      }
    }
  }

  /// Listens at a port; 0 stands for any.
  init(_ place: Address, port: Int = 0) throws {
    let (family, kind) = (
      place == .v4 ? AF_INET : AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    )
    let descriptor = socket(family, kind, 0)
    var (v4, v6) = (sockaddr_in(), sockaddr_in6())
    (v4.sin_family, v6.sin6_family) = (sa_family_t(AF_INET), sa_family_t(AF_INET6))
    (v4.sin_port, v6.sin6_port) = (in_port_t(port).bigEndian, in_port_t(port).bigEndian)
    (v4.sin_addr.s_addr, v6.sin6_addr) = (in_addr_t(0x7F00_0001).bigEndian, in6addr_loopback)
    func isBound<Value>(_ address: inout Value) -> Bool {
      var size = socklen_t(MemoryLayout<Value>.size)
      return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, size) == 0 && listen(descriptor, 64) == 0
            && getsockname(descriptor, $0, &size) == 0
        }
      }
    }
    guard place == .v4 ? isBound(&v4) : isBound(&v6) else {
      close(descriptor)
      throw ProgramError(what: "no socket at port \(port)")
    }
    self.descriptor = descriptor
    self.port = Int(in_port_t(bigEndian: place == .v4 ? v4.sin_port : v6.sin6_port))
  }
}
