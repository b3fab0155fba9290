// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

/// The refusal that the body throws, if any.
private func refusal<Value>(_ body: () throws(Refusal) -> Value) -> Refusal? {
  do throws(Refusal) {
    _ = try body()
    return nil
  } catch {
    return error
  }
}

@Suite("The URL of a background") struct BackgroundURLTests {
  @Test(
    "B4 URLs of http, https and data in any case are accepted, and all others are refused",
    arguments: [
      ("http://pictures.example/a.png", nil), ("HTTPS://pictures.example", nil),
      ("data:image/png;base64,aGk=", nil),
      ("DATA:,x", nil), ("  https://pictures.example/a.png\n", nil), ("http://[::1]:8080/a?b=c", nil),
      ("http://bücher.example/ä.png", nil), ("https://pictures.example:/a", nil), ("http://a:65535", nil),
      ("ftp://pictures.example/a.png", .scheme), ("file:///a.png", .scheme), ("FILE:a.png", .scheme),
      ("javascript:alert(1)", .scheme), ("gopher://a/", .scheme), ("blob:https://a/", .scheme),
      ("notes:a.png", .scheme),
      ("", .badURL), (" ", .badURL), ("a.png", .badURL), ("//pictures.example/a.png", .badURL),
      ("#http://a/", .badURL),
      ("http:pictures.example", .badURL), ("http:/pictures.example", .badURL), ("http://", .badURL),
      ("http:///a", .badURL),
      ("http://?a", .badURL), ("http://:80/", .badURL), ("http://[]/", .badURL),
      ("http://me@pictures.example/", .badURL),
      ("http://me:word@pictures.example/", .badURL), ("http://@pictures.example/", .badURL),
      ("http://me\u{301}@\u{301}pictures.example/", .badURL), ("http://a\\@b/", .badURL),
      ("http://a b/", .badURL), ("http://a/b c", .badURL), ("http://a/\u{A0}", .badURL),
      ("http://a/\tb", .badURL),
      ("http://a/\u{0}", .badURL), ("http://a/\u{1B}[0m", .badURL), ("http://a/\u{85}", .badURL),
      ("http://a/\nb", .badURL),
      ("http://a:b/", .badURL), ("http://a:65536/", .badURL), ("http://a:-1/", .badURL),
      ("http://a:+1/", .badURL),
      ("http://::1/", .badURL), ("http://[::1]a/", .badURL), ("c:\\a.png", .badURL), ("1a://b/", .badURL),
      (":a", .badURL),
    ] as [(String, Refusal.Reason?)])
  func schemes(_ text: String, _ reason: Refusal.Reason?) throws {
    #expect(refusal { () throws(Refusal) in try BackgroundURL(text) }?.reason == reason)
  }

  @Test("B4 a URL has at most 65,536 bytes, unless it holds the picture")
  func length() throws {
    let path = String(repeating: "a", count: 65_536 - 9)
    #expect(try BackgroundURL("http://b/" + path).storable != nil)
    #expect(refusal { () throws(Refusal) in try BackgroundURL("http://b/a" + path) }?.reason == .badURL)
    let long = try BackgroundURL("data:," + path + path)
    #expect(long.isData && long.storable == nil && long.string.utf8.count > 65_536)
    #expect(try BackgroundURL("data:,x").storable == "data:,x")
  }

  @Test("B4 a combining mark after the colon does not change the scheme of a data: URL")
  func mark() throws {
    let url = try BackgroundURL("data:\u{301},x")
    #expect(url.isData && url.redacted.hasSuffix(",…"))
    #expect(refusal { () throws(Refusal) in try DataURL.decode(url, limit: 9) }?.reason == .notAnImage)
  }

  @Test("B4 a file: URL is refused with the hint to name the file by its path")
  func files() {
    let refused = refusal { () throws(Refusal) in try BackgroundURL("file:///home/ada/a.png") }
    #expect(refused?.reason == .scheme && refused?.detail.contains("by its path") == true)
  }

  @Test("fragments are removed, and a page's imgurl is the URL to fetch")
  func unwrapping() throws {
    for (text, string) in [
      ("http://a/b#c", "http://a/b"), ("http://a#@b/", "http://a"), ("http://a/b?c=d#e#f", "http://a/b?c=d"),
      (
        "https://search.example/imgres?q=bee&imgurl=https%3A%2F%2Fpictures.example%2Fbee.png&h=2",
        "https://pictures.example/bee.png"
      ),
      ("https://search.example/?imgurl=http://pictures.example/a?b=c#d", "http://pictures.example/a?b=c"),
      ("https://search.example/?imgurl=http%3A%2F%2Fa%2F%23part", "http://a/"),
      ("https://search.example/?imgurl=a&imgurl=http%3A%2F%2Fa", "http://a"),
      // Only once, and only if it is a URL to fetch.
      (
        "http://a/?imgurl=http%3A%2F%2Fb%2F%3Fimgurl%3Dhttp%253A%252F%252Fc",
        "http://b/?imgurl=http%3A%2F%2Fc"
      ),
      ("http://a/?imgurl=file%3A%2F%2F%2Fb", "http://a/?imgurl=file%3A%2F%2F%2Fb"),
      ("http://a/?imgurl=%FF%FE", "http://a/?imgurl=%FF%FE"), ("http://a/?imgurl=", "http://a/?imgurl="),
      ("http://a/imgurl=http://b", "http://a/imgurl=http://b"),
      ("http://a/?myimgurl=http://b", "http://a/?myimgurl=http://b"),
    ] {
      #expect(try BackgroundURL(text).string == string, "\(text)")
    }
    for text in [
      "http://a/?imgurl=http%3A%2F%2Fme%40b%2F", "http://a/?imgurl=http%3A%2F%2F",
      "http://a/?imgurl=http://b%20c/",
    ] {
      #expect(refusal { () throws(Refusal) in try BackgroundURL(text) }?.reason == .badURL, "\(text)")
    }
  }

  @Test(
    "B4 a URL is read as people have it, and stays the same when it is read again",
    arguments: [
      ("https://a/b?x=1&amp;y=2", "https://a/b?x=1&y=2"),
      ("https://a/b?x=1&amp;amp;y=2", "https://a/b?x=1&y=2"),
      ("https://a/b?x=1&amp;y=2&#38;z=3#c", "https://a/b?x=1&y=2&z=3"),
      ("https:&#x2F;&#x2F;a&#x2f;b?x&#x3D;1&amp;y=&quot;&#39;", "https://a/b?x=1&y=\"'"),
      ("https://a/&#38;amp;amp;&amp;", "https://a/&&"), ("https://a/b&amp;lt;c", "https://a/b&lt;c"),
      // Without `&amp;` each `&` begins a parameter, and may be of any name.
      ("https://a/b?x=1&copy;=2&quot;=3", "https://a/b?x=1&copy;=2&quot;=3"),
      ("https://a/b?x=1&#38;y=2", "https://a/b?x=1&"), ("https://a/b?x=1&amp=2", "https://a/b?x=1&amp=2"),
      ("https://a/%26amp%3B", "https://a/%26amp%3B"), ("data:,&amp;", "data:,&amp;"),
      ("https://s/?imgurl=https%3A%2F%2Fa%2F%3Fb%26amp%3Bc", "https://a/?b&c"),
      (" \"https://a/b\"\n", "https://a/b"), ("'https://a/b'", "https://a/b"),
      ("<https://a/b>", "https://a/b"),
      ("“https://a/b”", "https://a/b"), ("‘ https://a/b ’", "https://a/b"),
      ("www.pictures.example/a.png", "https://www.pictures.example/a.png"),
      ("WWW.pictures.example:8080/a", "https://WWW.pictures.example:8080/a"),
      ("\"www.pictures.example?x&amp;y\"", "https://www.pictures.example?x&y"),
      ("www.bücher.example", "https://www.bücher.example"),
    ])
  func people(_ text: String, _ string: String) throws {
    let url = try BackgroundURL(text)
    #expect(url.string == string)
    #expect(try BackgroundURL(url.string) == url)
    #expect(BackgroundURL.isURL(text))
  }

  @Test("B4 entities do not smuggle in what a URL may not have")
  func entities() {
    for text in [
      "https://me@a/&amp;", "https://a/&amp; b", "https://a/&amp;\nb", "&quot;https://a/&amp;&quot;",
      "\"https://a/b", "''", "\"\"", "www.a", "www.", "www..example", "www.a b.example", "www.a.",
    ] {
      #expect(refusal { () throws(Refusal) in try BackgroundURL(text) }?.reason == .badURL, "\(text)")
    }
    // Of other characters than those that pages escape in a URL the entities stay.
    #expect((try? BackgroundURL("https://a/?b&amp;&#64;c"))?.string == "https://a/?b&&")
    let nested =
      "https://a/?" + String(repeating: "&#38;", count: 6_000) + "&" + String(repeating: "amp;", count: 6_000)
    #expect((try? BackgroundURL(nested))?.string == "https://a/?" + String(repeating: "&", count: 6_001))
  }

  @Test(
    "a file: URI of this machine is a path",
    arguments: [
      ("file:///home/ada/My%20Photo.png", "/home/ada/My Photo.png"), ("file:/a.png", "/a.png"),
      ("FILE://LocalHost/a%C3%A4%25.png", "/aä%.png"), (" 'file:///a.png'\n", "/a.png"),
      ("file:///a%2Fb", "/a/b"), ("file:///a.png?x", "/a.png?x"), ("file:///", "/"),
      ("file://server/share/a.png", nil), ("file:a.png", nil), ("file:", nil), ("file://localhost", nil),
      ("file:////server/a.png", nil), ("file:///a%00b", nil), ("file:///a%FF", nil), ("/a.png", nil),
      ("http://a/b", nil), ("", nil),
    ] as [(String, String?)])
  func fileURIs(_ text: String, _ path: String?) {
    #expect(BackgroundURL.filePath(in: text) == path)
  }

  @Test("C11 a URL without its query has no parameters in its path either, which may be keys")
  func parameters() throws {
    for (url, plain) in [
      ("https://a.org/b.png?key=1", "https://a.org/b.png"),
      ("https://a.org/b;jsessionid=1", "https://a.org/b"),
      ("https://a.org/b;k=1/c.png;l=2?m=3/4;n", "https://a.org/b/c.png"), ("http://a.org", "http://a.org"),
      ("https://a.org//b/", "https://a.org//b/"), ("https://a.org?b;c", "https://a.org"),
    ] {
      #expect(try BackgroundURL(url).withoutQuery == plain)
    }
    #expect(try BackgroundURL("data:image/png;base64,AAAA").withoutQuery == nil)
  }

  @Test("C11 a redacted URL and a refusal have no query and no picture data, and are short")
  func shown() throws {
    for (text, shown) in [
      ("https://pictures.example:8080/a/b.png?key=secret", "https://pictures.example:8080/a/b.png"),
      ("https://pictures.example?key=secret", "https://pictures.example"),
      ("https://pictures.example/a?\u{301}key=secret", "https://pictures.example/a"),
      ("data:image/png;base64,c2VjcmV0", "data:image/png;base64,…"), ("data:,secret", "data:,…"),
    ] {
      #expect(try BackgroundURL(text).redacted == shown)
    }
    #expect(try BackgroundURL("http://a/" + String(repeating: "b", count: 200)).redacted.count == 80)
    #expect(try BackgroundURL("data:" + String(repeating: "b", count: 200) + ",").redacted.count <= 82)
    let tall = String(repeating: "\u{301}", count: 1000)
    #expect(
      try BackgroundURL("http://a/b" + tall).redacted.unicodeScalars.count == 80,
      "a character of many scalars")
    for text in [
      "ftp://a/?secret", "a?secret", "a" + tall, "secret\u{7}" + String(repeating: "a", count: 500) + "://b",
    ] {
      let refused = refusal { () throws(Refusal) in try BackgroundURL(text) }
      #expect(refused.map { !$0.detail.contains("?") && $0.detail.unicodeScalars.count < 200 } == true)
    }
  }

  @Test(
    "a text is a URL when it begins with a scheme of two characters or more",
    arguments: [
      ("http://a", true), ("data:,x", true), ("mailto:ada", true), ("a+b-c.1:x", true), (" http://a", true),
      ("ab:", true),
      ("C:\\a.png", false), ("c:a.png", false), ("./a:b.png", false), ("/a:b", false), ("a.png", false),
      ("", false),
      (":a", false), ("1a:b", false), ("a b:c", false), ("ä:b", false), ("-", false), ("notes a:b", false),
      ("+a:b", false),
    ])
  func kinds(_ text: String, _ isURL: Bool) {
    #expect(BackgroundURL.isURL(text) == isURL)
  }
}

@Suite("Pictures in URLs") struct DataURLTests {
  private func decode(_ text: String, limit: Int = 1000) throws(Refusal) -> [UInt8] {
    try DataURL.decode(BackgroundURL(text), limit: limit)
  }

  @Test(
    "B4 data: URLs in base64 or plain text are decoded as in browsers",
    arguments: [
      ("data:image/png;base64,aGk=", "hi"), ("data:image/png;base64,aGk", "hi"),
      ("DATA:IMAGE/PNG;BASE64,aGk=", "hi"),
      ("data:image/png; base64 ,aGk=", "hi"), ("data:image/png;x=y;base64,aGk=", "hi"),
      ("data:;base64,aGk=", "hi"),
      ("data:image/png;base64, aG\n k =\t", "hi"), ("data:image/png;base64,%61%47k%3D", "hi"),
      ("data:image/png;base64,", ""),
      ("data:image/png;base64,aGk%0A=", "hi"), ("data:image/png;base64,aGkh", "hi!"),
      ("data:image/png;base64,aA==", "h"),
      ("data:image/png,h%69", "hi"), ("data:image/png,h%6", "h%6"), ("data:image/png,%zz%", "%zz%"),
      ("data:,hi,ho", "hi,ho"),
      ("data:image/png,hi#part", "hi"), ("data:image/png,a b", "a b"), ("data:base64,aGk=", "aGk="),
      ("data:application/octet-stream;base64,aGk=", "hi"), ("data:Image/X;charset=utf-8,hi", "hi"),
    ])
  func forms(_ text: String, _ bytes: String) throws {
    // "data:base64,…" has the media type "base64", and no encoding.
    if text.hasPrefix("data:base64") {
      #expect(refusal { () throws(Refusal) in try decode(text) }?.reason == .notAnImage)
    } else {
      #expect(try decode(text) == Array(bytes.utf8))
    }
  }

  @Test(
    "B4 a data: URL with invalid base64, without a comma, or with a type that is no picture is refused",
    arguments: [
      ("data:image/png;base64,a", .badURL), ("data:image/png;base64,aGk==", .badURL),
      ("data:image/png;base64,aG=k", .badURL),
      ("data:image/png;base64,aGk===", .badURL), ("data:image/png;base64,====", .badURL),
      ("data:image/png;base64,a_k=", .badURL), ("data:image/png;base64,aGk%", .badURL),
      ("data:image/png;base64,ä", .badURL),
      ("data:image/png;base64", .badURL), ("data:", .badURL), ("data:text/html,hi", .notAnImage),
      ("data:text/plain;base64,aGk=", .notAnImage), ("data:imagine,hi", .notAnImage),
      ("data:\u{301}image/png,hi", .notAnImage),
      ("data:i" + String(repeating: "\u{301}", count: 999) + ",hi", .notAnImage),
      ("data:image/png" + String(repeating: ";", count: 4096) + ",hi", .badURL),
    ] as [(String, Refusal.Reason)])
  func broken(_ text: String, _ reason: Refusal.Reason) {
    let refused = refusal { () throws(Refusal) in try decode(text) }
    #expect(refused?.reason == reason)
    #expect(refused.map { $0.detail.unicodeScalars.count < 200 } == true)
  }

  @Test("B4 a data: URL with more bytes than the limit is refused, and one with as many is accepted")
  func size() throws {
    for (text, count) in [("data:,%61bcd", 4), ("data:;base64,YWJjZA==", 4), ("data:;base64,YWJjZGU", 5)] {
      #expect(try decode(text, limit: count).count == count)
      #expect(refusal { () throws(Refusal) in try decode(text, limit: count - 1) }?.reason == .tooBig)
    }
    #expect(refusal { () throws(Refusal) in try decode("http://a/") }?.reason == .badURL)
  }

  @Test("B4 any bytes are decoded from their base64, with line breaks anywhere")
  func roundTrips() throws {
    var generator = SplitMix64(seed: 7)
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for _ in 0..<2000 {
      let bytes = (0..<generator.below(50)).map { _ in UInt8(generator.below(256)) }
      var text: [UInt8] = []
      for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
        for place in 0..<4 {
          text.append(
            place <= group.count ? digits[Int(bits >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "="))
          if generator.oneIn(9) { text.append(0x0A) }
        }
      }
      #expect(try decode("data:image/png;base64," + String(decoding: text, as: UTF8.self)) == bytes)
    }
    print("2000 pictures in base64")
  }
}
