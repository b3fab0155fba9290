// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import ArtFetch

@Suite("Looking up addresses") struct ResolverTests {
  private let canary: PictureServer

  init() throws { canary = try PictureServer() }

  /// A resolver with prepared answers, one after the other; records the names that were looked up.
  private final class Names: Sendable {
    private let answers: Mutex<[[Address]]>
    let asked = Mutex<[String]>([])

    init(_ answers: [String]...) throws {
      self.answers = Mutex(try answers.map { try $0.map { try #require(Address($0)) } })
    }

    var resolver: Resolver {
      Resolver { [self] name in
        asked.withLock { $0.append(name) }
        return answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] }
      }
    }
  }

  private func url(_ host: String, _ path: String = "/picture") -> String {
    "http://\(host):\(canary.port)\(path)"
  }

  @Test("B9 a name with a special address among its addresses is refused")
  func mixedAddresses() throws {
    // No connection to a public address is tried: each name has a special address as well.
    for addresses in [
      ["93.184.216.34", "127.0.0.1"], ["127.0.0.1", "93.184.216.34"], ["2606:4700::1", "::1"], ["10.0.0.1"],
      ["2606:4700::1", "93.184.216.34", "169.254.169.254"],
    ] {
      let names = try Names(addresses)
      let fetched = fetch(url("pictures.example"), isUserInitiated: false) { $0.resolver = names.resolver }
      #expect(fetched.reason == .notAllowed, "\(addresses): \(fetched)")
      #expect(fetched.detail.contains("pictures.example") && names.asked.withLock { $0.count } == 1)
    }
    #expect(try canary.number("/connections") == 0)
  }

  @Test("B10 a host is looked up once, and the connection goes to that address")
  func pinning() throws {
    for host in ["pictures.example", "pictures.example.", "PICTURES.Example", "пример.example"] {
      let names = try Names(["127.0.0.1"], ["127.0.0.2"])
      let fetched = fetch(url(host, "/redirect/2")) { $0.resolver = names.resolver }
      #expect(fetched == .accepted(70), "\(host): \(fetched)")
      #expect(names.asked.withLock { $0.count } == 1)
    }
    // No server listens at the first address.
    let both = try Names(["::1", "127.0.0.1"])
    #expect(fetch(url("pictures.example")) { $0.resolver = both.resolver } == .accepted(70))
    let names = try Names([])
    #expect(fetch(url("pictures.example")) { $0.resolver = names.resolver }.reason == .dns)
  }

  @Test("B10 the address of a connection is checked again at the socket")
  func checkedAtSocket() throws {
    // libcurl looks the name up itself and finds another address than the resolver: it gets no socket.
    let names = try Names(["93.184.216.34"])
    let fetched = fetch(url("localhost"), isUserInitiated: false) {
      $0.resolver = names.resolver
      $0.pinsAddresses = false
    }
    #expect(fetched.reason == .notAllowed, "\(fetched)")
    #expect(try canary.number("/connections") == 0)
    let right = try Names(["127.0.0.1", "::1"])
    let control = fetch(url("localhost")) {
      $0.resolver = right.resolver
      $0.pinsAddresses = false
    }
    #expect(control == .accepted(70), "the control")
  }

  @Test("B7 a look-up without an answer ends at the deadline")
  func hangingName() {
    let never = DispatchSemaphore(value: 0)
    defer { never.signal() }
    let fetched = fetch(
      url("pictures.example"), limits: FetchLimits(connect: .seconds(60), total: .milliseconds(200))
    ) {
      $0.resolver = Resolver { _ in
        never.wait()
        return []
      }
    }
    #expect(
      fetched == .refused(.timeout, isTransient: true, "the name pictures.example was not found in time"))
  }
}
