// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Testing

@testable import ArtWeb

/// Requests of our own page, and what other sites, programs and users can send.
@Suite("The gate of the studio") struct GateTests {
  private static let name = "0123456789abcdef0123.emojiart.localhost"
  private static let gate = Gate(name: name, port: 8080)
  private static let host = ("Host", "\(name):8080")
  private static let origin = ("Origin", "http://\(name):8080")
  private static let own = ("Sec-Fetch-Site", "same-origin")
  private static let ticket = ("Authorization", "Bearer right")
  private static let json = ("Content-Type", "application/json")

  /// What a browser says when a tab opens an address, or a frame does.
  private static func navigation(from site: String, to destination: String = "document") -> [(String, String)]
  {
    [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", destination)]
  }

  /// A request of our own page for each route, and the route.
  private static let routes: [(method: String, target: String, fields: [(String, String)])] = [
    ("GET", "/", []), ("GET", "/main.js", []), ("POST", "/session", [origin, json]),
    ("GET", "/live", [origin]),
    ("POST", "/glyphs", [origin, json, ticket]), ("GET", "/font?tag=1-2", [ticket]),
    ("GET", "/fonts", [ticket]),
    ("POST", "/choose-font", [origin, json, ticket]), ("GET", "/picture?document=bees.emojiart", [ticket]),
    ("GET", "/render?document=bees.emojiart&format=png&scale=2", [ticket]),
    (
      "POST", "/background?document=bees.emojiart&keepCanvas=1&tag=a",
      [origin, ("Content-Type", "image/png"), ticket]
    ),
  ]

  private static func status(
    _ method: String, _ target: String, _ fields: [(String, String)], at gate: Gate = gate
  ) -> Int {
    let request = WebRequest(method: method, target: target, fields: fields.map { (name: $0.0, value: $0.1) })
    do throws(WebRefusal) {
      _ = try gate.route(request) { $0 == "right" }
      return 200
    } catch {
      return error.status
    }
  }

  @Test("H1 every route takes the request of our own page")
  func ownRequests() {
    for route in Self.routes {
      #expect(
        Self.status(route.method, route.target, [Self.host, Self.own] + route.fields) == 200,
        "\(route.target)")
    }
    // A tab opens the address: one that was typed, a link of any page, and after https was tried.
    for site in ["none", "same-site", "cross-site"] {
      #expect(Self.status("GET", "/", [Self.host] + Self.navigation(from: site)) == 200, "\(site)")
    }
    // Browsers send no Sec-Fetch-Site with the request for a WebSocket.
    #expect(Self.status("GET", "/live", [Self.host, Self.origin]) == 200)
  }

  @Test("H1 a background is sent with a type of pictures, whatever its document says")
  func pictureTypes() throws {
    for (type, sent) in [
      ("image/png", "image/png"), ("image/avif", "image/avif"),
      ("image/svg+xml", "application/octet-stream"),
      ("image/png\r\nSet-Cookie: a=b", "application/octet-stream"),
    ] {
      let background = try Background(
        digest: String(repeating: "0", count: 32), mediaType: type, size: .standard, url: nil)
      #expect(StudioBodies.sentType(of: background) == sent)
    }
  }

  @Test("H1 a browser leaves out the port of a server at port 80, and only there")
  func portOfTheScheme() {
    for (port, status) in [(80, 200), (8080, 421)] {
      let fields = [("Host", Self.name), ("Origin", "http://\(Self.name)")]
      #expect(Self.status("GET", "/live", fields, at: Gate(name: Self.name, port: port)) == status)
    }
    let gate = Gate(name: Self.name, port: 80)
    #expect(Self.status("GET", "/live", [("Host", Self.name), Self.origin], at: gate) == 403)
  }

  @Test("H1 no route takes a request with one wrong field")
  func foreignRequests() {
    var tried = 0
    for route in Self.routes {
      let isPage = route.target == "/"
      func refused(_ status: Int, _ fields: [(String, String)], _ what: String) {
        tried += 1
        #expect(Self.status(route.method, route.target, fields) == status, "\(route.target): \(what)")
      }
      func with(_ host: [(String, String)], _ site: [(String, String)]) -> [(String, String)] {
        host + site + route.fields
      }
      for host in [
        "evil.example:8080", "127.0.0.1:8080", "localhost:8080", "[::1]:8080", "0.0.0.0:8080", Self.name,
        "\(Self.name):80", "\(Self.name).:8080", "\(Self.name):8080 ", "emojiart.localhost:8080",
        "1123456789abcdef0123.emojiart.localhost:8080",
      ] {
        refused(421, with([("Host", host)], [Self.own]), host)
      }
      refused(421, with([], [Self.own]), "no host")
      refused(421, with([Self.host, Self.host], [Self.own]), "two hosts")
      for site in ["cross-site", "same-site", "none", "", "same-origin, same-origin"] {
        refused(403, with([Self.host], [("Sec-Fetch-Site", site)]), "site \(site)")
      }
      refused(403, with([Self.host], [Self.own, Self.own]), "two sites")
      for site in ["cross-site", "same-site", "none"] {
        for destination in ["iframe", "frame", "embed", "object", "empty", "", "document, document"] {
          refused(
            403, with([Self.host], Self.navigation(from: site, to: destination)), "\(site) \(destination)")
        }
        let navigation = Self.navigation(from: site)
        if !isPage { refused(403, with([Self.host], navigation + [("Sec-Fetch-User", "?1")]), "a tab") }
        for lacking in [1, 2] {
          var fields = navigation
          fields.remove(at: lacking)
          refused(403, with([Self.host], fields), "without \(navigation[lacking].0)")
        }
        refused(403, with([Self.host], navigation + [navigation[0]]), "two sites of a navigation")
      }
      for origin in [
        "null", "http://evil.example", "http://\(Self.name):8081", "https://\(Self.name):8080",
        "http://127.0.0.1:8080", "",
      ] {
        let fields = route.fields.filter { $0.0 != "Origin" } + [("Origin", origin)]
        refused(403, [Self.host, Self.own] + fields, "origin \(origin)")
      }
      if route.fields.contains(where: { $0.0 == "Origin" }) {
        let fields = route.fields.filter { $0.0 != "Origin" }
        refused(403, [Self.host, Self.own] + fields, "no origin")
      }
      if route.fields.contains(where: { $0.0 == "Authorization" }) {
        let fields = route.fields.filter { $0.0 != "Authorization" }
        for ticket in ["Bearer wrong", "right", "Basic right", "Bearer ", "bearer right"] {
          refused(401, [Self.host, Self.own] + fields + [("Authorization", ticket)], ticket)
        }
        refused(401, [Self.host, Self.own] + fields, "no ticket")
        refused(401, [Self.host, Self.own] + fields + [Self.ticket, Self.ticket], "two tickets")
      } else if !isPage, route.target != "/live" {
        refused(403, with([Self.host], []), "no site")
      }
      for type in ["text/plain", "application/x-www-form-urlencoded", "image/svg+xml", ""]
      where route.fields.contains(where: { $0.0 == "Content-Type" }) {
        let fields = route.fields.filter { $0.0 != "Content-Type" } + [("Content-Type", type)]
        refused(415, [Self.host, Self.own] + fields, "type \(type)")
      }
    }
    print("gate: \(tried) requests with one wrong field refused")
    #expect(tried > 350)
  }

  @Test("H1 a tab opens the page by GET only, and neither another file nor a host that is none of ours")
  func navigations() {
    let tab = Self.navigation(from: "cross-site")
    for (method, target, host, status) in [
      ("GET", "/", Self.host, 200), ("HEAD", "/", Self.host, 403), ("POST", "/", Self.host, 405),
      ("GET", "/main.js", Self.host, 403), ("GET", "/", ("Host", "localhost:8080"), 421),
    ] {
      #expect(Self.status(method, target, [host] + tab) == status, "\(method) \(target)")
    }
    #expect(Self.status("GET", "/", [Self.host, ("Origin", "http://evil.example")] + tab) == 403)
  }

  @Test("H1 no route takes another method, and no target leads elsewhere")
  func methodsAndTargets() {
    let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "get"]
    for route in Self.routes {
      for method in methods where method != route.method {
        let status = Self.status(method, route.target, [Self.host, Self.own] + route.fields)
        let isHead = method == "HEAD" && route.method == "GET" && route.target != "/live"
        #expect(status == (isHead ? 200 : 405), "\(method) \(route.target)")
      }
    }
    let targets = [
      "/../etc/passwd", "/%2e%2e/etc/passwd", "//evil.example/", "http://\(Self.name):8080/", "*", "",
      "/main.js/",
      "/index.html", "/nothing", "/main.js?x=1", "/picture", "/picture?document=a&document=b",
      "/picture?document=%ff", "/picture?document=a&other=1", "/render?document=a",
      "/render?document=a&format=exe",
      "/render?document=a&format=png&scale=0", "/render?document=a&format=png&scale=1e9",
      "/render?document=a&format=png&dpi=0", "/background?document=a&keepCanvas=yes", "/main.js\u{e9}",
    ]
    for target in targets {
      let method = target.hasPrefix("/background") ? "POST" : "GET"
      let fields = [Self.host, Self.own, Self.origin, Self.ticket, ("Content-Type", "image/png")]
      #expect([400, 404, 405].contains(Self.status(method, target, fields)), "\(target)")
    }
  }

  @Test("H1 a request with more than 64 fields is refused")
  func manyFields() {
    let more = (0..<65).map { ("X-\($0)", "") }
    #expect(Self.status("GET", "/", [Self.host, Self.own] + more) == 431)
  }
}
