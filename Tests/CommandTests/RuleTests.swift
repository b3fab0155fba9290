// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Rules of the commands")
struct RuleTests {
  /// Rules of `docs/SPEC.md` that begin with the letters C and S.
  private func written() throws -> Set<String> {
    let spec = try String(contentsOf: Project.root.appending(path: "docs/SPEC.md"), encoding: .utf8)
    return Set(spec.matches(of: #/(?m)^- \*\*([CS]\d+)\*\* /#).map { String($0.1) })
  }

  /// Rules that a folder or the name of a test here proves.
  private func proved() throws -> Set<String> {
    var rules = Set(try CommandCase.all().flatMap(\.rules)).filter { $0.hasPrefix("C") || $0.hasPrefix("S") }
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let source = try String(contentsOf: file, encoding: .utf8)
      for names in source.matches(of: #/@Test\(\s*"((?:[A-Z]\d+ )+)/#) {
        rules.formUnion(names.1.split(separator: " ").map(String.init).filter { "CS".contains($0.prefix(1)) })
      }
    }
    return rules
  }

  @Test("C1 every rule has a test, every test a rule")
  func complete() throws {
    let (written, proved) = (try written(), try proved())
    #expect(written.count >= 60)
    #expect(written.subtracting(proved).sorted() == [])
    #expect(proved.subtracting(written).sorted() == [])
  }
}
