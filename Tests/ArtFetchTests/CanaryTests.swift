// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtFetch

@Suite("A canary server on loopback") struct CanaryTests {
  /// It listens at all addresses of this machine, and counts connections.
  private let canary: PictureServer

  init() throws { canary = try PictureServer("--host", "::") }

  /// Spellings of this machine's addresses that libcurl and the system's resolver follow.
  private static let reaching = """
    127.0.0.1 127.1 127.0.1 127.0.0.2 127.255.255.254 127.000.000.001 127.0.0.01 2130706433 2130706434 0x7f000001 0X7F000001
    0x7f.0.0.1 0x7F.1 0x7f.0x0.0x0.0x1 0x7f.0.1 0x7f.0x000001 0177.0.0.1 0177.1 017700000001 0177.0x0.0.1 127.0x1 127.65535
    0 0.0.0.0 0x0 00 0.0 000.000.000.000 0x0.0x0.0x0.0x0 localhost LOCALHOST LocalHost
    [::1] [0:0:0:0:0:0:0:1] [0::1] [::0001] [0000:0000:0000:0000:0000:0000:0000:0001] [::0:1] [::0.0.0.1] [::1%25lo]
    [::] [0:0:0:0:0:0:0:0] [::0] [::0.0.0.0]
    [::ffff:127.0.0.1] [::FFFF:7F00:1] [::ffff:7f00:0001] [0:0:0:0:0:ffff:127.0.0.1] [::ffff:127.0.0.2] [::ffff:0.0.0.0]
    %31%32%37.0.0.1 %6c%6f%63alhost %4C%4f%63ALHOST %32130706433 127%2e0%2e0%2e1 0x%37f.1
    １２７.０.０.１ １２７.1 ①②⑦.0.0.1 127。0。0。1 127．0．0．1 127｡0｡0｡1 ｌｏｃａｌｈｏｓｔ ⓛⓞⓒⓐⓛⓗⓞⓢⓣ ℓocalhost 2１3０706433 ０x7f.1
    """.split { $0 == " " || $0 == "\n" }.map { "http://\($0)PORT/picture" }

  /// Spellings that reach nothing from here, or not on every machine, or that URL parsers read differently.
  private static let others = """
    http://127.0.0.1.PORT/ http://0x7f.1.PORT/ http://localhost.PORT/ http://[::127.0.0.1]PORT/
    http://[::7f00:1]PORT/ http://[::ffff:0:127.0.0.1]PORT/ http://[64:ff9b::127.0.0.1]PORT/
    http://[64:ff9b::7f00:1]PORT/ http://[64:ff9b:1::7f00:1]PORT/ http://[2002:7f00:1::]PORT/ http://[2002:7f00:1::1]PORT/
    http://[2001:0:7f00:1::80ff:fffe]PORT/ http://[fe80::1%25lo]PORT/ http://[fe80::1]PORT/ http://[fd00::1]PORT/
    http://[ff02::1]PORT/ http://[fec0::1]PORT/ http://10.0.0.1PORT/ http://169.254.169.254PORT/ http://0xa9fea9fePORT/
    http://2852039166PORT/ http://192.168.1.1PORT/ http://172.16.0.1PORT/ http://100.64.0.1PORT/ http://255.255.255.255PORT/
    http://224.0.0.1PORT/ http://198.18.0.1PORT/ http://4294967295PORT/ http://[::ffff:10.0.0.1]PORT/
    http://example.com@127.0.0.1PORT/ http://127.0.0.1PORT\\@example.com/ http://me:word@localhostPORT/
    http://127.0.0.1%00.example.comPORT/ http://127.0.0.1%2f.example.com@localhostPORT/ http:127.0.0.1PORT/
    http:/127.0.0.1PORT/ http:///127.0.0.1PORT/ http://127.0.0.1PORT#@example.com/ http://[127.0.0.1]PORT/
    http://[::1]evilPORT/ http://127.0.0.1%0aPORT/ http://127.1.PORT/ http://localhost..PORT/ HTTP://localhostPORT/
    hTTp://127.0.0.1PORT/picture http://256.256.256.256PORT/ http://0x100000000PORT/ http://08.0.0.1PORT/
    http://127.0.0.1／@example.comPORT/ http://example.com＃@127.0.0.1PORT/ http://127.0.0.1：80PORT/
    """.split { $0 == " " || $0 == "\n" }.map(String.init)

  private func urls(_ patterns: [String]) -> [String] {
    patterns.map { $0.replacingOccurrences(of: "PORT", with: ":\(canary.port)") }
  }

  @Test("B9 an untrusted URL reaches no special address, however it is spelled")
  func spellings() throws {
    #expect(Self.reaching.count >= 60)
    var refusals: [Refusal.Reason: Int] = [:]
    for url in urls(Self.reaching + Self.others) {
      let fetched = fetch(url, isUserInitiated: false)
      let reason = try #require(fetched.reason, "\(url): \(fetched)")
      #expect([.notAllowed, .badURL, .dns].contains(reason), "\(url): \(fetched)")
      refusals[reason, default: 0] += 1
    }
    for url in urls(Self.reaching) {
      #expect(fetch(url, isUserInitiated: false).reason == .notAllowed, "\(url)")
    }
    let connections = try canary.number("/connections")
    #expect(connections == 0)
    let kinds = refusals.map { "\($0.value) \($0.key)" }.sorted().joined(separator: ", ")
    print(
      "B9 canary: \(Self.reaching.count + Self.others.count) spellings, \(connections) connections; \(kinds)"
    )

    var arrived = 0
    for url in urls(Self.reaching) {
      let fetched = fetch(url)
      #expect(fetched == .accepted(70), "\(url): \(fetched)")
      arrived += 1
    }
    #expect(try canary.number("/connections") == arrived)
    print("B9 control: typed, \(arrived) of them reach it")
    #expect(
      fetch("http://localhost:\(canary.port)/picture", isUserInitiated: false, allowsPrivate: true)
        == .accepted(70))
  }

  @Test("B10 the secure server beside a typed http one is reached, at the ports of their schemes only")
  func secureServer() throws {
    func isSame(_ url: String, as typed: String) throws -> Bool {
      try Target("\(url)/a").isSameServer(try Target("\(typed)/a"))
    }
    #expect(try isSame("https://nas", as: "http://nas") && isSame("http://nas:8080", as: "http://nas:8080"))
    for (url, typed) in [
      ("https://nas:8443", "http://nas"), ("https://nas", "http://nas:8080"), ("http://nas", "https://nas"),
      ("http://nas:8080", "http://nas"),
    ] {
      #expect(try !isSame(url, as: typed), "\(url) \(typed)")
    }
  }

  @Test(
    "B10 a redirect from the host of a user-initiated URL does not reach a special address of another host, nor of another port of it"
  )
  func redirects() throws {
    let server = try PictureServer()
    let start = "http://localhost:\(server.port)"
    // Another spelling of the user-initiated URL's host is allowed, like that host.
    let places = urls(Self.reaching).filter { (try? Target($0))?.host.hasPrefix("localhost") == false }
    #expect(places.count >= 50)
    for place in places {
      let fetched = fetch("\(start)/redirect/to/\(encoded(place))")
      #expect(fetched.reason == .notAllowed || fetched.reason == .redirects, "\(place): \(fetched)")
    }
    #expect(fetch("\(start)/redirect/3").reason == nil, "redirects to the same host")
    let connections = try canary.number("/connections")
    #expect(connections == 0)
    print("B10 canary: \(places.count) redirects, \(connections) connections")

    let own = encoded("http://LOCALHOST:\(canary.port)/picture")
    #expect(fetch("\(start)/redirect/to/\(own)").reason == .notAllowed, "the same host at another port")
    #expect(try canary.number("/connections") == 0)
    #expect(fetch("\(start)/redirect/to/\(own)", allowsPrivate: true) == .accepted(70))
    let other = encoded("http://127.0.0.1:\(canary.port)/picture")
    #expect(fetch("\(start)/redirect/to/\(other)", allowsPrivate: true) == .accepted(70))
    #expect(try canary.number("/connections") == 2, "the control")
  }
}
