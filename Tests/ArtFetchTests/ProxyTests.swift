// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport
import Testing

@testable import ArtFetch

@Suite("Proxies") struct ProxyTests {
  private let server: PictureServer
  private let proxy: PictureServer
  private let settings: ProxySettings

  init() throws {
    server = try PictureServer()
    // It requests everything from the server.
    proxy = try PictureServer("--proxy", "--to", server.port)
    settings = ProxySettings(
      http: proxy.url, https: "127.0.0.1:\(proxy.port)", none: "direct.invalid, 10.0.0.0/8")
  }

  private func proxiedRequests() throws -> [String] {
    try proxy.text("/log").split(separator: "\n").map(String.init)
  }

  @Test(
    "B11 the host of a user-initiated URL is reached through the user's proxy, which looks its address up")
  func typed() throws {
    #expect(fetch("http://pictures.invalid/redirect/1?secret=1", proxies: settings) == .accepted(70))
    #expect(try proxiedRequests().count == 2, "the URL and the redirect to the same host")
    #expect(try proxiedRequests()[0] == "GET http://pictures.invalid/redirect/1?secret=1 HTTP/1.1")
    #expect(try server.number("/count") == 2)
    #expect(
      fetch("http://pictures.invalid/", proxies: ProxySettings(http: "http://[::1]:1")).reason == .refused)
  }

  @Test("B11 an untrusted URL uses no proxy, and neither does a redirect to another host")
  func untyped() throws {
    #expect(
      fetch("http://pictures.invalid/picture", isUserInitiated: false, proxies: settings).reason == .dns)
    #expect(fetch(server.url + "/picture", isUserInitiated: false, proxies: settings).reason == .notAllowed)
    #expect(
      fetch(server.url + "/picture", isUserInitiated: false, allowsPrivate: true, proxies: settings)
        == .accepted(70))
    #expect(try proxiedRequests().isEmpty)
    let elsewhere = encoded("http://localhost:\(server.port)/picture")
    let start = "http://pictures.invalid/redirect/to/\(elsewhere)"
    #expect(fetch(start, proxies: settings).reason == .notAllowed)
    #expect(fetch(start, allowsPrivate: true, proxies: settings) == .accepted(70), "directly")
    #expect(try proxiedRequests().count == 2)
  }

  @Test("B11 the name and password of a proxy are sent to it, and no error has them")
  func passwords() throws {
    let settings = ProxySettings(http: "http://me:word@127.0.0.1:\(proxy.port)/")
    #expect(fetch("http://pictures.invalid/picture", proxies: settings) == .accepted(70))
    #expect(try proxy.text("/heads").contains("Proxy-Authorization: Basic bWU6d29yZA=="))
    let dead = fetch("http://pictures.invalid/", proxies: ProxySettings(http: "http://me:word@127.0.0.1:1"))
    #expect(dead == .refused(.refused, isTransient: true, "the proxy 127.0.0.1:1 does not take connections"))
  }

  @Test("B11 excepted hosts are reached without a proxy")
  func exceptions() throws {
    var settings = settings
    settings.none = "localhost"
    #expect(fetch("http://localhost:\(server.port)/picture", proxies: settings) == .accepted(70))
    #expect(try proxiedRequests().isEmpty)
    settings.none = "elsewhere.invalid"
    #expect(fetch("http://localhost:\(server.port)/picture", proxies: settings) == .accepted(70))
    #expect(try proxiedRequests().count == 1)
  }

  @Test(
    "B11 a name is excepted when it is listed or ends with a listed one, and an address by its network",
    arguments: [
      ("pictures.example", "pictures.example", true), ("pictures.example", "example", true),
      ("pictures.example", ".example", true), ("pictures.example", "a.example, PICTURES.EXAMPLE", true),
      ("pictures.example.", "pictures.example", true), ("PICTURES.example", "pictures.example.", true),
      ("pictures.example", "*", true), ("10.1.2.3", "*", true), ("10.1.2.3", "10.1.2.3", true),
      ("10.1.2.3", "10.0.0.0/8", true), ("10.1.2.3", "10.1.2.0/23", true), ("::1", "[::1]", true),
      ("fd00::7", "fd00::/8", true),
      ("pictures.example", "", false), ("pictures.example", "ictures.example", false),
      ("pictures.example", ",. ,", false),
      ("pictures.example", "other.pictures.example", false), ("10.1.2.3", "10.1.2.4", false),
      ("10.1.2.3", "10.2.0.0/16", false), ("10.1.2.3", "10.0.0.0/33", false),
      ("10.1.2.3", "10.0.0.0/-1", false),
      ("10.1.2.3", "3", false), ("::1", "::2", false), ("fd00::7", "10.0.0.0/8", false),
      ("10.1.2.3", "10.0.0.0/x", false),
    ])
  func matching(_ host: String, _ list: String, _ isExcepted: Bool) {
    #expect(ProxySettings(http: "proxy", none: list).excepts(host) == isExcepted)
  }

  @Test("B11 a proxy that cannot be used is an error, and the server is not reached without it")
  func unusable() throws {
    for setting in [
      "socks5://127.0.0.1:1080", "socks5h://127.0.0.1", "socks4://127.0.0.1", "ftp://127.0.0.1",
    ] {
      let fetched = fetch(server.url + "/picture", proxies: ProxySettings(http: setting))
      #expect(fetched.reason == .scheme, "\(setting): \(fetched)")
    }
    for setting in ["http://", "a b", "http://[::1", "127.0.0.1:99999"] {
      let fetched = fetch(server.url + "/picture", proxies: ProxySettings(http: setting))
      #expect(fetched.reason == .badURL, "\(setting): \(fetched)")
    }
    // A server that is no proxy refuses the tunnel.
    let tunnel = fetch("https://localhost:1/", proxies: ProxySettings(https: server.url))
    #expect(tunnel.reason == .refused, "\(tunnel)")
    #expect(try server.number("/connections") == 1)
    #expect(fetch(server.url + "/picture", proxies: ProxySettings(http: "", https: "")) == .accepted(70))
  }
}
