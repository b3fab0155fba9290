// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Finds paths that a source compares, hashes or sorts as a `String`. Swift compares strings by canonical equivalence: to it the
/// precomposed and the decomposed é are equal, and on Linux they are two files.
private struct PathCheck {
  /// The names of variables that are paths.
  private static let word =
    #"(?:[a-z]\w*(?:Path|Paths|Folder|File)|path|paths|folder|folders|file|files|document|documents|target|parent|real|copy|copies)"#
  private let declaration: Regex<AnyRegexOutput>
  private let comparison: Regex<AnyRegexOutput>
  private let member: Regex<AnyRegexOutput>
  private let ending: Regex<AnyRegexOutput>
  private let type: Regex<AnyRegexOutput>
  private let stored: Regex<AnyRegexOutput>

  init() throws {
    let word = Self.word
    declaration = try Regex(#"\b(?:let|var) \#(word)\b[^=]*(?:Set<String>|\[String: )"#)
    comparison = try Regex(
      #"(?:^|[\s(!,{])(?:[\w$?!]+\.)*(\#(word))\)? (?:==|!=|<) (?:[\w$?!]+\.)*(\#(word))\b(?![(:.])"#)
    member = try Regex(#"\.(?:contains|firstIndex\(of:|insert)\(?(?:[\w$]+\.)*(\#(word))\)"#)
    ending = try Regex(#"\b\#(word)\??\.has(?:Prefix|Suffix)\("#)
    let access = #"(?:(?:public|package|private|fileprivate)(?:\(set\))? )?"#
    type = try Regex(#"^( *)\#(access)(?:struct|enum) \w+.*\b(?:Equatable|Hashable|Comparable)\b"#)
    stored = try Regex(#"^ *\#(access)(?:let|var) \#(word): (?:String|\[String\])\??$"#)
  }

  /// The lines that do so. A line passes where it names `FilePath`, or where its file declares what it compares as one.
  func faults(in text: String) -> [String] {
    var faults: [String] = []
    // The indentation of the types around the line that are compared.
    var types: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if let match = line.firstMatch(of: type), let indent = match.output[1].substring {
        types.append(indent)
      }
      if let indent = types.last, line == "\(indent)}" { types.removeLast() }
      guard !line.drop(while: \.isWhitespace).hasPrefix("//"), !line.contains("FilePath") else { continue }
      let isOfString =
        [comparison, member].contains { pattern in
          line.matches(of: pattern).contains { match in
            !match.output.dropFirst().contains { group in
              group.substring.map { declaresPath(String($0), in: text) } ?? false
            }
          }
        }
      if isOfString || line.contains(declaration) || line.contains(ending)
        || types.contains(where: { line.hasPrefix("\($0)  ") && !line.hasPrefix("\($0)   ") })
          && line.contains(stored)
      {
        faults.append(line.trimmingCharacters(in: .whitespaces))
      }
    }
    return faults
  }

  private func declaresPath(_ name: String, in text: String) -> Bool {
    [": FilePath", ": (FilePath", ": Set<FilePath>", ": [FilePath", " = FilePath("].contains {
      text.contains("\(name)\($0)")
    }
  }
}

@Suite("Paths in the sources") struct PathTests {
  /// The modules that work with files that users name. The others only get paths of their own program's files.
  private static let modules = [
    "ArtStore", "ArtDocument", "ArtWatch", "ArtWorkspace", "ArtProtocol", "ArtWeb", "ArtTerminal",
    "emojiart", "emojiart-studio",
  ]

  /// Texts that are no paths: those for display, and one of a URL; and what a user has typed.
  private static let others = [
    "ArtStore/ServerRecord.swift": "package var folder: String",
    "ArtWorkspace/Backgrounds/PictureSource.swift": "public var file: String?",
    "ArtWorkspace/Bucket/BucketLocation.swift": "let path: String",
    "emojiart/Completion.swift":
      #"guard folder.hasPrefix("~/"), let home = environment("HOME") else { return String(folder) }"#,
  ]

  @Test("A15 no source compares, hashes or sorts a path as a String")
  func pathsAreBytes() throws {
    let (project, check) = (Project(), try PathCheck())
    var count = 0
    for module in Self.modules {
      for file in try project.sources(under: "Sources/\(module)") {
        count += 1
        let other = Self.others[String(file.dropFirst("Sources/".count))]
        #expect(check.faults(in: try project.text(file)).filter { $0 != other } == [], "\(file)")
      }
    }
    #expect(count >= 150, "the check finds the sources")
  }

  @Test(
    "The check of paths finds each kind of fault",
    arguments: [
      "    if now.path == file.path, !guarded.hasMoved {",
      "    guard folder != wantedFolder else { return }",
      "  private var inspectedPaths: Set<String> = []",
      "    var documents: [String: Int] = [:]",
      "    if tops.contains(folder) { return }",
      "    guard path.hasSuffix(\".emojiart\") else { return nil }",
      "struct Found: Hashable {\n  let path: String\n}",
      "public struct Copy: Sendable, Equatable {\n  /// Its path.\n  public let document: String\n}",
    ])
  func control(fault: String) throws {
    #expect(try PathCheck().faults(in: fault).count == 1)
  }

  @Test(
    "The check of paths lets pass what is compared by its bytes",
    arguments: [
      "    if FilePath(now.path) == FilePath(file.path) {",
      "  let path: FilePath\n  func isAt(_ other: Self) -> Bool { path == other.path }",
      "  // The path == file.path.", "struct Found {\n  let path: String\n}",
      "  var paths: Set<FilePath> = []", "    if file == nil { return }",
    ])
  func passes(text: String) throws {
    #expect(try PathCheck().faults(in: text).isEmpty)
  }
}
