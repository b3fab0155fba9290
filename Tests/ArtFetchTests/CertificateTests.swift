// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtFetch

@Suite("Certificates") struct CertificateTests {
  private let scratch: ScratchFolder
  private let good: PictureServer
  private var authority: String { scratch.path + "/ca.pem" }

  init() throws {
    scratch = try ScratchFolder()
    good = try PictureServer("--tls", "good", "--certificates", scratch.path)
  }

  private func secure(
    _ url: String, allowsPrivate: Bool = false, proxies: ProxySettings = ProxySettings()
  ) -> Fetched {
    fetch(url, allowsPrivate: allowsPrivate, proxies: proxies) { $0.authorities = authority }
  }

  @Test(
    "B12 a server with a valid certificate from a known authority is accepted, and one of an unknown authority is not"
  )
  func known() {
    #expect(secure("\(good.url)/redirect/2") == .accepted(70))
    #expect(secure("https://127.0.0.1:\(good.port)/picture") == .accepted(70))
    let unknown = fetch("\(good.url)/picture") { $0.authorities = nil }
    #expect(
      unknown.reason == .tls && unknown.detail.contains("an authority that is not known here"), "\(unknown)")
    let missing = fetch("\(good.url)/picture") { $0.authorities = scratch.path + "/none.pem" }
    #expect(missing.reason == .tls, "\(missing)")
  }

  @Test(
    "B12 a certificate that is expired, for another host or self-signed is refused for now, with the reason",
    arguments: [
      ("expired", "has expired"), ("other-name", "is another host's"), ("self-signed", "is self-signed"),
    ])
  func bad(_ kind: String, _ words: String) throws {
    let server = try PictureServer("--tls", kind, "--certificates", scratch.path)
    let fetched = secure("\(server.url)/picture?secret=1")
    let detail = fetched.detail
    #expect(fetched == .refused(.tls, isTransient: true, detail), "\(fetched)")
    #expect(
      detail.contains(words) && detail.contains("localhost:\(server.port)") && !detail.contains("secret"))
  }

  @Test("B12 a server that supports only TLS 1.1 is refused")
  func outdated() throws {
    let server = try PictureServer("--tls", "old", "--certificates", scratch.path)
    let fetched = secure("\(server.url)/picture")
    #expect(
      fetched.reason == .tls && fetched.detail.hasPrefix("there is no secure connection to localhost"),
      "\(fetched)")
  }

  @Test("B6 a redirect from https to http is refused, and one from http to https is followed")
  func downgrade() throws {
    let plain = try PictureServer()
    let down = encoded("http://localhost:\(plain.port)/picture")
    #expect(secure("\(good.url)/redirect/to/\(down)").reason == .redirects)
    #expect(try plain.number("/connections") == 0)
    let up = encoded("\(good.url)/picture")
    #expect(secure("http://localhost:\(plain.port)/redirect/to/\(up)", allowsPrivate: true) == .accepted(70))
  }

  @Test("B11 https uses a tunnel through the proxy, and the server's certificate is still verified")
  func tunnel() throws {
    let proxy = try PictureServer("--proxy")
    let settings = ProxySettings(https: proxy.url)
    #expect(secure("\(good.url)/picture", proxies: settings) == .accepted(70))
    #expect(try proxy.text("/log") == "CONNECT localhost:\(good.port) HTTP/1.1\n")
    #expect(fetch("\(good.url)/picture", proxies: settings) { $0.authorities = nil }.reason == .tls)
  }
}

/// A temporary folder, removed with the value.
final class ScratchFolder {
  let path: String

  init() throws {
    path = "\(FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path)/emojiart-fetch-\(UUID())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
