// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport
import Testing

@testable import ArtFetch

@Suite("Random heads and URLs") struct HeadMutationTests {
  @Test(
    "B3 no random head of an answer stops the program, and each accepted length and location is within bounds"
  )
  func heads() {
    var generator = SplitMix64(seed: 5)
    let lines = [
      "HTTP/1.1 200 OK", "HTTP/2 200", "HTTP/1.1 302 Found", "HTTP/1.1 100 Continue", "HTTP/1.1 -1", "HTTP/",
      "HTTP/1.1",
      "HTTP/1.1 99999999999999999999", "Content-Length: 5", "content-length: 5", "Content-Length:",
      "Content-Length: 5,5",
      "Content-Length: 1e3", "Content-Length: 99999999999999999999", "Content-Encoding: gzip",
      "Content-Encoding: identity",
      "Content-Type: image/png", "Content-Type: text/html", "Content-Type:;", "Location: /a", "Location: //b",
      "Location",
      "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", ": ", "", " folded", "X: \u{FC}",
    ]
    var counts: [String: Int] = [:]
    for _ in 0..<20_000 {
      var head = ResponseHead()
      for _ in 0..<generator.below(8) {
        var line = Array(lines[generator.below(lines.count)].utf8)
        if generator.oneIn(3), !line.isEmpty {
          line[generator.below(line.count)] = UInt8(generator.below(256))
        }
        head.append(line)
      }
      do throws(Refusal) {
        switch try head.verdict(from: "pictures.example", limit: 100) {
        case .interim: counts["interim", default: 0] += 1
        case .redirect(let location):
          #expect(!location.isEmpty && location.utf8.allSatisfy { $0 < 0x80 })
          counts["redirect", default: 0] += 1
        case .body(let total):
          #expect(total.map { (0...100).contains($0) } ?? true)
          counts["body", default: 0] += 1
        }
      } catch {
        counts["\(error.reason)", default: 0] += 1
      }
    }
    #expect(
      Set(counts.keys) == [
        "interim", "redirect", "body", "status", "redirects", "encoding", "notAnImage", "tooBig",
      ])
    print(
      "20000 heads: \(counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))"
    )
  }

  @Test("B3 no random URL or redirect stops the program, and a URL that is written and read again is equal")
  func urls() throws {
    var generator = SplitMix64(seed: 6)
    let parts = [
      "http", "https", "ftp", ":", "//", "/", "\\", "@", "#", "?", "[", "]", "::1", "127.0.0.1", "localhost",
      "example", ".",
      "%2f", "%00", "%", "é", "。", "１", "／", "＠", "：", "＃", "？", "，", "［", "80", "99999", " ", "\u{7}",
      "\u{202E}", "a", "..", "xn--", "imgurl=",
      "&", "\u{301}",
    ]
    let base = try Target("https://pictures.example/a/b")
    var accepted = 0
    var redirected = 0
    for _ in 0..<20_000 {
      var text = generator.oneIn(4) ? "" : "http://"
      for _ in 0..<generator.below(7) { text += parts[generator.below(parts.count)] }
      if let url = try? BackgroundURL(text), let target = try? Target(url.string) {
        accepted += 1
        #expect(
          !target.host.isEmpty && !target.url.contains("#") && (1...65535).contains(target.port)
            || target.port == 0)
        #expect(target.host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(text.debugDescription): \(target)")
        #expect(!target.host.contains { "/?#@\\".contains($0) }, "\(text.debugDescription): \(target)")
        #expect(try Target(target.url) == target)
      }
      if let next = try? base.following(text) {
        redirected += 1
        #expect(next.scheme == .https && !next.host.isEmpty)
      }
    }
    #expect(accepted > 500 && redirected > 500)
    print("20000 texts: \(accepted) URLs, \(redirected) redirects")
  }
}
