// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtSystem

/// Two ends of a connection within this machine. Programs that other tests start meanwhile inherit none of them.
private struct Connection {
  let (listener, client, server): (Int32, Int32, Int32)
  /// The port of the client, and of the listener.
  let (peer, port): (Int, Int)

  /// Connects from an address to 127.0.0.1.
  init(from address: String = "127.0.0.1") throws {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    listener = socket(AF_INET, kind, 0)
    client = socket(AF_INET, kind, 0)
    var target = sockaddr_in()
    target.sin_family = sa_family_t(AF_INET)
    target.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var source = target
    inet_pton(AF_INET, address, &source.sin_addr)
    let (waiting, calling) = (listener, client)
    let isBound =
      Self.with(&target) { bind(waiting, $0, $1) } == 0 && Self.with(&source) { bind(calling, $0, $1) } == 0
    try #require(isBound && listen(waiting, 1) == 0)
    port = try Self.port(of: waiting)
    target.sin_port = in_port_t(port).bigEndian
    let isConnected = Self.with(&target) { connect(calling, $0, $1) } == 0
    try #require(isConnected)
    server = accept(waiting, nil, nil)
    _ = fcntl(server, F_SETFD, FD_CLOEXEC)
    peer = try Self.port(of: calling)
  }

  private static func with(
    _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func port(of descriptor: Int32) throws -> Int {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    try #require(result == 0)
    return Int(in_port_t(bigEndian: address.sin_port))
  }

  /// Closes the client's end, once.
  func closeClient() { Glibc.close(client) }

  /// Closes the other descriptors.
  func close() {
    for descriptor in [listener, server] { Glibc.close(descriptor) }
  }
}

@Suite("The other end of a connection within the machine") struct LoopbackPeerTests {
  @Test("H12 both ways of finding out know the own user's open connection, and no other one")
  func ways() throws {
    let connection = try Connection()
    defer { connection.close() }
    let asked = { LoopbackPeer.isOwn(address: "127.0.0.1", port: $0, at: $1) }
    let listed = { LoopbackPeer.isListed($0, at: $1) }
    for isOwn in [asked, listed] {
      #expect(isOwn(connection.peer, connection.port))
      #expect(isOwn(connection.port, connection.peer), "the other end")
      // A port that only listens, and the same port twice, are no connection.
      #expect(!isOwn(1, connection.port) && !isOwn(connection.port, connection.port))
      #expect(!isOwn(-1, connection.port) && !isOwn(65_536, connection.port))
    }
    connection.closeClient()
    // The end that is closed belongs to nobody, as soon as a program that another test is starting does not share it any more.
    for isOwn in [asked, listed] {
      try wait(for: "the closed end", until: { !isOwn(connection.peer, connection.port) })
    }
  }

  @Test(
    "H12 an end at another address of the machine is not the own user's, also with a port of the own user")
  func addresses() throws {
    let other = try Connection(from: "127.0.0.2")
    defer {
      other.closeClient()
      other.close()
    }
    #expect(!LoopbackPeer.isOwn(address: "127.0.0.2", port: other.peer, at: other.port))
    let own = try Connection()
    defer {
      own.closeClient()
      own.close()
    }
    for address in ["127.0.0.2", "127.0.0.11", "::1", "::ffff:127.0.0.1", "0.0.0.0", ""] {
      #expect(!LoopbackPeer.isOwn(address: address, port: own.peer, at: own.port))
    }
    #expect(LoopbackPeer.isOwn(address: "127.0.0.1", port: own.peer, at: own.port))
  }

  @Test("H12 both ways of finding out know the own user's connection to ::1")
  func version6() throws {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let (listener, client) = (socket(AF_INET6, kind, 0), socket(AF_INET6, kind, 0))
    defer { for descriptor in [listener, client] where descriptor >= 0 { Glibc.close(descriptor) } }
    guard listener >= 0, client >= 0 else { return Skip("no IPv6")("H12 the own connection to ::1") }
    var target = sockaddr_in6()
    (target.sin6_family, target.sin6_addr) = (sa_family_t(AF_INET6), in6addr_loopback)
    func result(_ call: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Int32) -> Int32 {
      var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
      return withUnsafeMutablePointer(to: &target) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &size) }
      }
    }
    func with(_ call: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Int32) throws {
      try #require(result(call) == 0)
    }
    let isBound = result { bind(listener, $0, $1) } == 0
    guard isBound || errno != EADDRNOTAVAIL else {
      return Skip("no IPv6")("H12 the own connection to ::1")
    }
    try #require(isBound)
    try #require(listen(listener, 1) == 0)
    try with { getsockname(listener, $0, &$1) }
    let port = Int(in_port_t(bigEndian: target.sin6_port))
    try with { connect(client, $0, $1) }
    try with { getsockname(client, $0, &$1) }
    let peer = Int(in_port_t(bigEndian: target.sin6_port))
    #expect(LoopbackPeer.isOwn(address: "::1", port: peer, at: port))
    #expect(LoopbackPeer.isListed(peer, at: port, isV6: true))
    #expect(!LoopbackPeer.isOwn(address: "::1", port: port, at: port))
    #expect(!LoopbackPeer.isOwn(address: "127.0.0.1", port: peer, at: port))
    #expect(!LoopbackPeer.isListed(peer, at: port))
  }
}
