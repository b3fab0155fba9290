// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtFetch

/// The expected result of a route of the server.
private enum Expected {
  case accepted(Int)
  case refused(Refusal.Reason, isTransient: Bool = false)
}

@Suite("A hostile server") struct HostileServerTests {
  private let server: PictureServer
  /// The length of the server's picture, in bytes.
  private static let picture = 70

  init() throws { server = try PictureServer() }

  private func check(_ routes: [(String, Expected)], limits: FetchLimits? = nil) throws {
    let limits = limits ?? FetchLimits(bytes: 1 << 20, connect: .seconds(60), total: .seconds(120))
    for (path, expected) in routes {
      var most = 0
      let fetched = fetch(
        server.url + path, limits: limits, progress: { received, _ in most = max(most, received) })
      switch (expected, fetched) {
      case (.accepted(let count), .accepted(let got)): #expect(got == count, "\(path)")
      case (.refused(let reason, let isTransient), .refused(let got, let isNow, let detail)):
        #expect(got == reason && isNow == isTransient, "\(path): \(fetched)")
        #expect(detail.contains("127.0.0.1:\(server.port)"), "\(path): \(detail)")
        #expect(!detail.contains("?") && detail.utf8.allSatisfy { $0 >= 0x20 }, "\(path): \(detail)")
      default: Issue.record("\(path): \(fetched)")
      }
      #expect(most <= limits.bytes, "\(path)")
    }
    print("B5 hostile routes: \(routes.count), each with its answer")
  }

  @Test("B5 only an answer with status 200 is accepted, and some other statuses are refused for now")
  func status() throws {
    let forGood = [201, 204, 206, 300, 304, 305, 400, 401, 403, 404, 407, 410, 418, 451, 600, 999]
    let forNow = [408, 429, 500, 502, 503, 504, 599]
    try check(
      [("/picture", .accepted(Self.picture)), ("/status/200", .accepted(Self.picture))]
        + forGood.map { ("/status/\($0)", .refused(.status)) }
        + forNow.map { ("/status/\($0)", .refused(.status, isTransient: true)) }
        + [("/old", .refused(.status)), ("/junk", .refused(.status))])
  }

  @Test("a server that gives its pictures to people only is named with a way that works")
  func advice() {
    let way = "download the picture in a browser, and give the file's path"
    for (status, words) in [
      (401, "; \(way)"), (403, "; \(way)"), (429, ": too many requests; try later, or \(way)"), (404, ""),
    ] {
      let detail = fetch("\(server.url)/status/\(status)").detail
      #expect(detail == "127.0.0.1:\(server.port) answered \(status)\(words)")
    }
  }

  @Test("B6 at most ten redirects are followed, only to http and https, and each error names the server")
  func redirects() throws {
    let schemes = [
      "file:///etc/hostname", "FILE:/etc/hostname", "ftp://127.0.0.1/a.png", "gopher://127.0.0.1/_x",
      "data:image/png;base64,aGk=", "javascript:alert(1)", "dict://127.0.0.1/d", "ldap://127.0.0.1/",
      "smb://127.0.0.1/a",
      "tel:1", "about:blank", "ws://127.0.0.1/", "jar:http://127.0.0.1!/", "view-source:http://127.0.0.1/",
    ]
    let places = [301, 302, 303, 307, 308].map { status in
      ("/redirect/\(status)/to/\(encoded("/picture?secret=1"))", Expected.accepted(Self.picture))
    }
    let nowhere = [
      "http://", "http:///", "http://a b/", "http://me:word@127.0.0.1/", "http://[::1/",
      "http://127.0.0.1:99999/",
    ]
    try check(
      schemes.map { ("/redirect/to/\(encoded($0))", .refused(.scheme)) } + places
        + nowhere.map { ("/redirect/to/\(encoded($0))", .refused(.redirects)) }
        + [
          ("/redirect/1", .accepted(Self.picture)), ("/redirect/10", .accepted(Self.picture)),
          ("/redirect/11", .refused(.redirects)), ("/redirect/loop", .refused(.redirects)),
          ("/redirect/none", .refused(.redirects)), ("/redirect/empty", .refused(.redirects)),
          ("/redirect/twice", .refused(.redirects)), ("/redirect/relative", .accepted(Self.picture)),
          ("/redirect/to/\(encoded("//127.0.0.1:\(server.port)/picture"))", .accepted(Self.picture)),
        ])
    let name = encoded("http://\(String(repeating: "ä", count: 200))/")
    let detail = fetch("\(server.url)/redirect/to/\(name)").detail
    #expect(detail.hasSuffix("leads nowhere: the host's name is none that can be"), "\(detail)")
    #expect(fetch("data:image/png,hi").reason == .scheme, "a data URL is not fetched")
    let none = FetchLimits(connect: .seconds(60), total: .seconds(120), redirects: 0)
    #expect(fetch("\(server.url)/redirect/1", limits: none).reason == .redirects)
  }

  @Test(
    "B5 a body in another encoding than gzip and deflate, or of another length than announced, is refused")
  func encodings() throws {
    try check([
      ("/encoding/gzip", .refused(.tooBig)), ("/encoding/br", .refused(.encoding)),
      ("/encoding/deflate", .refused(.encoding)), ("/encoding/identity%2C%20GZIP", .refused(.encoding)),
      ("/encoding/identity", .accepted(Self.picture)), ("/encoding/nonsense", .refused(.encoding)),
      ("/transfer/gzip", .refused(.encoding)), ("/transfer/identity", .accepted(Self.picture)),
      ("/length/long", .refused(.encoding)), ("/length/negative", .refused(.encoding)),
      ("/length/twice", .refused(.encoding)), ("/length/list", .refused(.encoding)),
      ("/length/junk", .refused(.encoding)), ("/length/chunked", .refused(.encoding)),
      // The announced length counts: the rest is no part of the body.
      ("/length/short", .accepted(Self.picture - 10)),
    ])
  }

  @Test("B5 a compressed body that was not asked for is expanded, within the limit of a body")
  func compressed() throws {
    try check([
      ("/compressed/gzip", .accepted(Self.picture)), ("/compressed/x-gzip", .accepted(Self.picture)),
      ("/compressed/zlib", .accepted(Self.picture)), ("/compressed/plain", .accepted(Self.picture)),
      ("/compressed/more", .accepted(Self.picture)), ("/compressed/cut", .refused(.encoding)),
      ("/compressed/broken", .refused(.encoding)), ("/compressed/none", .refused(.encoding)),
      ("/compressed/gzip/1048576", .accepted(1 << 20)), ("/compressed/zlib/1048576", .accepted(1 << 20)),
      ("/compressed/plain/1048576", .accepted(1 << 20)), ("/compressed/gzip/1048577", .refused(.tooBig)),
      ("/compressed/plain/1048577", .refused(.tooBig)), ("/compressed/gzip/0", .accepted(0)),
    ])
  }

  @Test(
    "B7 a body or a head over the limit is refused, and nothing of a body that is announced as too large is read"
  )
  func sizes() throws {
    try check([
      ("/endless/chunks", .refused(.tooBig)), ("/endless/plain", .refused(.tooBig)),
      ("/size/1048576", .accepted(1 << 20)), ("/size/1048577", .refused(.tooBig)),
      ("/length/huge", .refused(.tooBig)), ("/length/over", .refused(.tooBig)),
      ("/flood/lines", .refused(.tooBig)), ("/flood/line", .refused(.tooBig)),
      ("/flood/trailers", .refused(.tooBig)), ("/flood/continue", .refused(.tooBig)),
    ])
    var calls = 0
    let announced = fetch("\(server.url)/length/over", progress: { _, _ in calls += 1 })
    #expect(announced.reason == .tooBig && calls == 0, "20 MiB and a byte were announced")
    #expect(announced.detail.hasSuffix("answers with more than the 20 MiB that are accepted"))
    #expect(fetch("\(server.url)/size/20971520") == .accepted(20 << 20))
  }

  @Test("B7 progress reports the received bytes, and the length of the body where it is known")
  func progress() throws {
    var reports: [(Int, Int?)] = []
    #expect(fetch("\(server.url)/size/300000", progress: { reports.append(($0, $1)) }) == .accepted(300_000))
    #expect(reports.first?.0 == 0 && reports.last?.0 == 300_000 && reports.allSatisfy { $0.1 == 300_000 })
    #expect(zip(reports, reports.dropFirst()).allSatisfy { $0.0 < $1.0 })
    reports = []
    #expect(
      fetch("\(server.url)/transfer/identity", progress: { reports.append(($0, $1)) })
        == .accepted(Self.picture))
    #expect(reports.last?.0 == Self.picture && reports.allSatisfy { $0.1 == nil })
  }

  @Test("B7 a body that arrives byte by byte is accepted, and its progress is not reported for each byte")
  func singleBytes() throws {
    var calls = 0
    let start = ContinuousClock.now
    #expect(fetch("\(server.url)/crumbs/300000", progress: { _, _ in calls += 1 }) == .accepted(300_000))
    let stride = Transfer.reportStride
    let most = 2 + 300_000 / stride.bytes + Int((ContinuousClock.now - start) / stride.time)
    #expect((2...most).contains(calls), "\(calls), and at most \(most)")
  }

  @Test("B7 the deadline is checked at each piece of a body")
  func lateBody() throws {
    let target = try Target("http://127.0.0.1/")
    for (left, isAccepted) in [(Duration.seconds(120), true), (.zero, false)] {
      let transfer = Transfer(
        to: target, by: Hop(addresses: [], isExempt: true), limit: 9, headBytesLeft: 99, before: .now + left,
        progress: { _, _ in })
      for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] {
        #expect(Array(line.utf8).withUnsafeBytes { transfer.receiveHead($0) })
      }
      #expect(
        Array("abc".utf8).withUnsafeBytes { transfer.receiveBody($0) } == isAccepted
      )
    }
  }

  @Test("B7 a fetch ends at the deadline of the whole fetch, and at the timeout of a connection")
  func slowness() throws {
    let limits = FetchLimits(connect: .seconds(60), total: .seconds(1))
    try check(
      ["bytes", "head", "nothing"].map { ("/slow/\($0)", .refused(.timeout, isTransient: true)) },
      limits: limits)
    // A server that accepts the connection and sends nothing of TLS.
    let unsecured = FetchLimits(connect: .seconds(1), total: .seconds(120))
    #expect(fetch("https://127.0.0.1:\(server.port)/picture", limits: unsecured).reason == .timeout)
    let nothing = FetchLimits(connect: .seconds(1), total: .zero)
    #expect(fetch("\(server.url)/slow/nothing", limits: nothing).reason == .timeout)
  }

  @Test("a connection that fails or is lost is refused for now")
  func connections() throws {
    try check([
      ("/reset/head", .refused(.refused, isTransient: true)),
      ("/reset/body", .refused(.refused, isTransient: true)),
      ("/reset/at-once", .refused(.refused, isTransient: true)),
    ])
    let port = try closedPort()
    let closed = fetch("http://127.0.0.1:\(port)/a.png?key=secret")
    #expect(closed == .refused(.refused, isTransient: true, "127.0.0.1:\(port) does not take connections"))
    #expect(fetch("http://nowhere.invalid/a.png").reason == .dns)
  }

  @Test(
    "B1 an answer whose type is no picture is refused, and one without a type or with a general one is accepted"
  )
  func kinds() throws {
    try check([
      ("/type/text%2Fhtml", .refused(.notAnImage)),
      ("/type/text%2Fplain%3B%20charset=utf-8", .refused(.notAnImage)),
      ("/type/application%2Fjson", .refused(.notAnImage)), ("/type/imagepng", .refused(.notAnImage)),
      ("/type/video%2Fmp4", .refused(.notAnImage)), ("/type/image", .refused(.notAnImage)),
      ("/type/", .accepted(Self.picture)), ("/type/IMAGE%2FPNG%3B%20q=1", .accepted(Self.picture)),
      ("/type/image%2Fx-unheard-of", .accepted(Self.picture)),
      ("/type/application%2Foctet-stream", .accepted(Self.picture)),
      ("/type/Binary%2FOctet-Stream", .accepted(Self.picture)),
      // The decoder checks the bytes.
      ("/html", .accepted(36)),
    ])
  }

  @Test("B8 a request has the program's name and the accepted types, and no cookie and no referrer")
  func requests() throws {
    #expect(fetch("\(server.url)/cookie#part") == .accepted(Self.picture))
    let lines = try server.text("/heads").split(whereSeparator: \.isNewline).map(String.init)
    let host = "Host: 127.0.0.1:\(server.port)"
    let rest = [
      host, "User-Agent: emojiart/\(EmojiArtVersion.current) (+https://emojiart.invalid/)", "Accept: image/*",
      "Accept-Encoding: identity",
    ]
    #expect(lines == ["GET /cookie HTTP/1.1"] + rest + ["GET /picture HTTP/1.1"] + rest)
  }

  private func closedPort() throws -> Int {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(file) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(file, pointer, size) == 0 && getsockname(file, pointer, &size) == 0
      }
    }
    try #require(bound)
    return Int(in_port_t(bigEndian: address.sin_port))
  }
}

/// A URL, encoded as a part of another one.
func encoded(_ url: String) -> String {
  url.utf8.map { byte in
    let letter = Character(Unicode.Scalar(byte))
    return byte < 0x80 && (letter.isLetter || letter.isNumber)
      ? String(letter) : String(format: "%%%02X", byte)
  }.joined()
}
