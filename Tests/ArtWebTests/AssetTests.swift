// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtWeb

@Suite("Files of the studio's page") struct AssetTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
      "Sources/CStudioPage/page")

  /// The files that are in the program.
  private static func sent(_ name: String) -> Bool { !name.hasSuffix(".d.ts") }

  @Test("H7 every file of the page is in the program, as it stands in the project")
  func embedded() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter(Self.sent)
    #expect(Set(names) == Assets.names)
    for name in names {
      let bytes = try Data(contentsOf: Self.folder.appendingPathComponent(name))
      let isSame = Assets.file(name) == Array(bytes)
      #expect(isSame, "\(name) is another one; build again")
    }
  }

  @Test("the page offers the canvases that have a name in the program")
  func canvases() throws {
    let text = String(decoding: try #require(Assets.file("filing.js")), as: UTF8.self)
    let offered = text.matches(of: /\['(\w+)', (\d+), (\d+)\]/).map {
      "\($0.1 == "a4Landscape" ? "a4-landscape" : $0.1) \($0.2)x\($0.3)"
    }
    let named = [("plain", Canvas.standard)] + Canvas.named
    #expect(offered == named.map { "\($0.0) \($0.1.width)x\($0.1.height)" })
  }

  @Test("H7 the page loads nothing from elsewhere, and makes no markup of text")
  func own() throws {
    let forbidden = try Regex(
      #"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?://(?!www\.w3\.org|127\.0\.0\.1)[a-z0-9]"#
    )
    for name in Assets.names {
      let text = String(decoding: try #require(Assets.file(name)), as: UTF8.self)
      let found = text.matches(of: forbidden).map { String($0.output[0].substring ?? "") }
      #expect(found.isEmpty, "\(name): \(found)")
    }
    #expect("element.innerHTML = text".contains(forbidden), "the check can fail")
  }

  @Test("H7 the document and the worker have the policy of the page; nothing else of it may run by itself")
  func policies() {
    let page = Assets.names.filter { SecurityFields.policy(of: $0) == SecurityFields.page() }
    #expect(page == ["index.html", "painter.js"])
    #expect(Assets.names.subtracting(page).allSatisfy { SecurityFields.policy(of: $0).contains("sandbox") })
    for part in [
      "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "trusted-types studio",
    ] {
      #expect(SecurityFields.page().contains(part))
    }
  }

  @Test("H7 the document is sent with its styles, and its policy admits these and no others")
  func styles() throws {
    // A digest that shows its bytes.
    let assets = SentAssets(
      WebSecrets(digest: { Array($0.suffix(6)) }, authenticate: { _, _ in [] }, random: { _ in [] }))
    let request = WebRequest(method: "GET", target: "/", fields: [])
    let answer = try assets.answer("index.html", request)
    let page = String(decoding: answer.body, as: UTF8.self)
    let parts = page.components(separatedBy: "<style>")
    #expect(parts.count == 2 && !page.contains("stylesheet"), "the link is left")
    let styles = try #require(parts.last?.components(separatedBy: "</style>").first)
    #expect(styles.contains("--desk") && !styles.contains("SPDX"))
    let digest = Data(styles.utf8.suffix(6)).base64EncodedString()
    let policy = try #require(answer.fields.first { $0.name == "Content-Security-Policy" }).value
    #expect(policy.contains("style-src 'self' 'sha256-\(digest)'; ") && !policy.contains("unsafe"))
    // Who has the document obeys the same policy.
    let tag = try #require(answer.fields.first { $0.name == "ETag" }).value
    let again = try assets.answer(
      "index.html", WebRequest(method: "GET", target: "/", fields: [("If-None-Match", tag)]))
    #expect(again.status == 304 && again.body.isEmpty)
    #expect(again.fields.contains { $0.value == policy })
  }

  @Test("H7 the document has the sum of each module as sent, and its policy admits that import map only")
  func sums() throws {
    // A digest that shows its bytes.
    let assets = SentAssets(
      WebSecrets(
        digest: { Array($0.suffix(6)) + [UInt8($0.count % 251)] }, authenticate: { _, _ in [] },
        random: { _ in [] }))
    func sum(_ bytes: some Collection<UInt8>) -> String {
      "sha256-" + Data(Array(bytes.suffix(6)) + [UInt8(bytes.count % 251)]).base64EncodedString()
    }
    let request = WebRequest(method: "GET", target: "/", fields: [])
    let answer = try assets.answer("index.html", request)
    let page = String(decoding: answer.body, as: UTF8.self)
    let map = try #require(page.firstMatch(of: /<script type="importmap">(.*)<\/script>/)?.1)
    let scripts = try #require(page.firstRange(of: "<script")).lowerBound
    let preloads = try #require(page.firstRange(of: "modulepreload")).lowerBound
    #expect(map.startIndex < preloads && page[scripts...].hasPrefix("<script type=\"importmap\">"))
    let found = try JSONDecoder().decode([String: [String: String]].self, from: Data(map.utf8))
    let modules = Assets.names.filter { $0.hasSuffix(".js") }
    let sent = try modules.map { ("/\($0)", sum(try assets.answer($0, request).body)) }
    #expect(found == ["integrity": Dictionary(uniqueKeysWithValues: sent)] && modules.count > 40)
    let policy = try #require(answer.fields.first { $0.name == "Content-Security-Policy" }).value
    #expect(policy.contains("script-src 'self' '\(sum(map.utf8))'; "))
  }

  @Test("H7 files are sent without the lines of comments, and with as many lines")
  func comments() throws {
    let text = """
      // SPDX
      const a = 1; // beside code
        /** @type {string} */
      /** @type {string} */ let b = '';
      /**
       * Several lines.
       */
      let c = `//`;
      """
    let left = String(decoding: PageComments.removed(from: Array(text.utf8)), as: UTF8.self)
    #expect(
      left == """

        const a = 1; // beside code

        /** @type {string} */ let b = '';



        let c = `//`;
        """)
    for name in Assets.names where name.hasSuffix(".js") {
      let source = String(decoding: try #require(Assets.file(name)), as: UTF8.self)
      let several = source.split(separator: "\n").filter { $0.count { $0 == "`" } % 2 == 1 }
      #expect(several.isEmpty, "\(name) has texts over several lines: \(several)")
    }
  }

  @Test("H7 a compressed file is smaller, and is what gunzip makes of it")
  func compressed() throws {
    let text = Array(String(repeating: "the studio ", count: 500).utf8)
    let zipped = try #require(Assets.compressed(text))
    #expect(zipped.count < text.count / 10)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("emojiart-asset.\(UUID()).gz")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
    try Data(zipped).write(to: file)
    let (gunzip, output) = (Process(), Pipe.unshared())
    gunzip.executableURL = URL(fileURLWithPath: "/usr/bin/gzip")
    gunzip.arguments = ["-dc", file.path]
    gunzip.standardOutput = output
    try gunzip.start()
    let unzipped = try #require(try output.fileHandleForReading.readToEnd())
    gunzip.waitUntilExit()
    #expect(gunzip.terminationStatus == 0 && Array(unzipped) == text)
    #expect(Assets.compressed([1, 2, 3]) == nil)
  }

  @Test(
    "the studio calls nothing of the standard library's string processing, which would make it 1 MB larger")
  func small() throws {
    let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let name = Data("17_StringProcessing".utf8)
    let studio = programs.deletingLastPathComponent().appendingPathComponent("emojiart-studio")
    #expect(try Data(contentsOf: studio).range(of: name) == nil)
    #expect(try Data(contentsOf: programs).range(of: name) != nil, "the check sees what the tests call")
  }
}
