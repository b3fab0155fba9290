// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The project's own text.
struct Project {
  let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  func files(under folder: String, ending suffix: String) throws -> [String] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
    return paths.filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }.sorted()
  }

  /// The Swift of a folder's modules, without the programs that their catalogues show.
  func sources(under folder: String) throws -> [String] {
    try files(under: folder, ending: ".swift").filter { !$0.contains(".docc/") }
  }
}

@Suite("Architecture of the project") struct ArchitectureTests {
  private let project = Project()

  /// What each module may import, besides the system's own modules.
  private let allowedImports: [String: Set<String>] = [
    "ArtSystem": ["CArtSystem"],
    "ArtModel": ["ArtSystem"],
    "ArtStore": ["ArtSystem", "ArtModel", "CStore"],
    "ArtDocument": ["ArtSystem", "ArtModel", "ArtStore"],
    "ArtWatch": ["ArtSystem", "ArtModel"],
    "ArtWorker": ["ArtSystem", "ArtModel"],
    "ArtWorkspace": [
      "ArtSystem", "ArtModel", "ArtStore", "ArtDocument", "ArtWatch", "ArtWorker", "ArtExchange", "ArtNames",
      "CSodium",
    ],
    "ArtProtocol": ["ArtModel", "ArtStore", "ArtDocument", "ArtWorkspace"],
    "ArtWeb": ["ArtSystem", "ArtModel", "ArtWorkspace", "ArtProtocol", "CStudioPage"],
    "emojiart-studio": [
      "ArtSystem", "ArtModel", "ArtWorkspace", "ArtProtocol", "ArtWeb", "CSodium", "NIOCore", "NIOHTTP1",
      "NIOPosix", "NIOWebSocket",
    ],
    "ArtTerminal": ["ArtSystem", "ArtModel"],
    "ArtExchange": ["ArtModel"],
    "ArtNames": ["ArtModel", "CEmojiNames"],
    "ArtFetch": ["ArtSystem", "ArtModel", "CCurl"],
    "ArtDrawing": ["ArtSystem", "ArtModel", "CGraphics", "CWorker"],
    "emojiart-worker": ["ArtSystem", "ArtModel", "ArtFetch", "ArtDrawing", "CWorker"],
    "emojiart": [
      "ArtSystem", "ArtModel", "ArtWorkspace", "ArtProtocol", "ArtTerminal", "ArgumentParser",
    ],
  ]
  private let system: Set<String> = ["Glibc", "Synchronization", "Dispatch"]

  /// The imports of a module's text that the table does not allow.
  private func forbiddenImports(in text: String, of module: String) throws -> [String] {
    let allowed = try #require(allowedImports[module], "a module without a line in this table: \(module)")
    let imports = text.split(separator: "\n").compactMap { line -> String? in
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "import"), place <= 1, place + 1 < words.count else {
        return nil
      }
      // A command's help says `emojiart import`.
      guard
        place == 0 || words[0].hasPrefix("@")
          || ["public", "package", "internal", "private"].contains(words[0])
      else { return nil }
      return String(words.suffix(from: place + 1).last?.split(separator: ".").first ?? "")
    }
    return imports.filter { !allowed.contains($0) && !system.contains($0) }
  }

  @Test("A1 a module imports only modules below it")
  func importsPointDown() throws {
    let files = try project.sources(under: "Sources")
    #expect(files.count >= 40, "the check finds the sources")
    for file in files {
      let module = String(file.split(separator: "/")[1])
      #expect(try forbiddenImports(in: project.text(file), of: module).isEmpty, "\(file)")
    }
    #expect(
      try forbiddenImports(in: "import ArtStore\n", of: "ArtModel") == ["ArtStore"], "the check can fail")
    #expect(try forbiddenImports(in: "@testable import emojiart\n", of: "ArtDocument") == ["emojiart"])
    #expect(try forbiddenImports(in: "public import ArtStore\n", of: "ArtModel") == ["ArtStore"])
    #expect(try forbiddenImports(in: "  emojiart import old\n", of: "ArtModel").isEmpty)
  }

  @Test("A2 a path that the documentation names exists")
  func documentedPathsExist() throws {
    let documents = try project.files(under: "docs", ending: ".md") + ["README.md", "CONTRIBUTING.md"]
    let pattern = try Regex("`((?:Sources|Tests|Fixtures|docs|scripts)/[A-Za-z0-9_+./-]*)`")
    var count = 0
    for document in documents {
      for match in try project.text(document).matches(of: pattern) {
        let path = String(match.output[1].substring ?? "")
        count += 1
        #expect(
          FileManager.default.fileExists(atPath: project.root.appendingPathComponent(path).path),
          "\(document) names \(path)")
      }
    }
    #expect(count >= 10, "the check finds the paths")
  }

  @Test("A10 no source has a name that the glossary has replaced")
  func namesOfTheGlossary() throws {
    let rows = try project.text("docs/GLOSSARY.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
    let old = rows.compactMap { $0.split(separator: "|").last }.flatMap { cell in
      cell.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
    #expect(old.count >= 15, "the check finds the glossary")
    let pattern = try Regex("\\b(\(old.joined(separator: "|")))\\b")
    for folder in ["Sources", "Tests"] {
      for file in try project.files(under: folder, ending: ".swift")
      where !file.hasPrefix("Tests/ArchitectureTests") {
        let found = try project.text(file).matches(of: pattern).map { String($0.output[0].substring ?? "") }
        #expect(found.isEmpty, "\(file): \(found)")
      }
    }
    #expect("let journal: DeadJournal".contains(pattern), "the check can fail")
  }

  @Test("A3 no source has try!, fatalError, as! or an unchecked Sendable")
  func noTraps() throws {
    let pattern = try Regex(#"try!|fatalError\(|\bas!|unowned\(unsafe\)|@unchecked Sendable"#)
    let files = try project.files(under: "Sources", ending: ".swift")
    for file in files {
      let found = try project.text(file).matches(of: pattern).map { String($0.output[0].substring ?? "") }
      #expect(found.isEmpty, "\(file)")
    }
    #expect("try! x".contains(pattern), "the check can fail")
  }

  /// The lines of a source that print, read a line, or name a command, an option or a standard stream of emojiart. Comments are not
  /// counted.
  private func frontEndLines(in text: String, commands: [String]) throws -> [String] {
    let pattern = try Regex(
      #"\breadLine\(|\bf?puts\(|STD(IN|OUT|ERR)_FILENO|(^|[^.\w])print\(|`emojiart |[ "(`]--[a-z]+|\bstd(in|out|err)\b|"#
        + #"\bemojiart (\#(commands.joined(separator: "|")))\b"#)
    return text.split(separator: "\n").map(String.init).filter { line in
      guard !line.drop(while: \.isWhitespace).hasPrefix("//"), !line.contains("func print(") else {
        return false
      }
      return line.contains(pattern)
    }
  }

  @Test("U1 no library prints, reads a line, or names a command or an option of emojiart")
  func librariesHaveNoFrontEnd() throws {
    let programs: Set = ["emojiart", "emojiart-studio", "emojiart-worker"]
    let files = try project.sources(under: "Sources")
    let commandName = try Regex(#"commandName: "([a-z]+)""#)
    let commands = try files.filter { $0.hasPrefix("Sources/emojiart/Commands/") }.flatMap { file in
      try project.text(file).matches(of: commandName).map { String($0.output[1].substring ?? "") }
    }
    #expect(commands.count >= 23, "the check finds the commands")
    var count = 0
    for file in files where !programs.contains(String(file.split(separator: "/")[1])) {
      count += 1
      #expect(try frontEndLines(in: project.text(file), commands: commands) == [], "\(file)")
    }
    #expect(count >= 100, "the check finds the sources")
    for bad in [
      "print(x)", "  readLine()", #""; `emojiart list` shows what is there""#, #""leave out --strict""#,
      #""emojiart find looks for names""#, #""give - to read stdin""#, #"let fontOption = "--font""#,
    ] {
      #expect(try frontEndLines(in: bad, commands: commands) == [bad])
    }
    #expect(try frontEndLines(in: "canvas.print(x)\n// `emojiart`", commands: commands) == [])
  }

  /// The names of a module's public top-level declarations, and the names in the lists of its topic groups, each as often as it is
  /// listed.
  private func catalogue(of sources: [String], _ page: String) throws -> (
    declared: Set<String>, listed: [String]
  ) {
    let declaration = try Regex(
      #"(?m)^(?:@\w+(?:\([^)]*\))? )*public (?:\w+ )*?(?:struct|class|actor|enum|protocol|func|typealias|let|var) (\w+)"#
    )
    let item = try Regex(#"(?m)^- ``(\w+)(?:\([^)]*\))?``$"#)
    let topics = page.components(separatedBy: "\n## Topics\n").dropFirst().joined()
    func names(_ text: String, _ pattern: Regex<AnyRegexOutput>) -> [String] {
      text.matches(of: pattern).compactMap { $0.output[1].substring.map(String.init) }
    }
    return (Set(sources.flatMap { names($0, declaration) }), names(topics, item))
  }

  @Test("A12 every public declaration of a library product is in one topic group of its module's catalogue")
  func catalogues() throws {
    let products = try Regex(#"(?s)\.library\(\s*name: "\w+",\s*targets: \[(.*?)\]"#)
    let name = try Regex(#""(\w+)""#)
    let modules = Set(
      try project.text("Package.swift").matches(of: products).flatMap { product in
        (product.output[1].substring ?? "").matches(of: name).compactMap {
          $0.output[1].substring.map(String.init)
        }
      })
    #expect(modules.count >= 8, "the check finds the products")
    for module in modules {
      let page = try project.text("Sources/\(module)/\(module).docc/\(module).md")
      let sources = try project.sources(under: "Sources/\(module)").map(project.text)
      let (declared, listed) = try catalogue(of: sources, page)
      #expect(!declared.isEmpty, "the check finds the sources of \(module)")
      #expect(declared.subtracting(listed).sorted() == [], "\(module): in no topic group")
      #expect(Set(listed).subtracting(declared).sorted() == [], "\(module): listed, and not declared")
      #expect(Set(listed).count == listed.count, "\(module): listed twice")
    }
    let (declared, listed) = try catalogue(
      of: [
        "public final class Bee {\n  public func sting() {}\n}\npublic func hum(_ loud: Bool) {}\nstruct Wasp {}\n"
      ],
      "See ``Wasp``.\n\n## Topics\n\n### Bees\n\n- ``Bee``\n- ``buzz(_:)``\n")
    #expect(declared == ["Bee", "hum"] && listed == ["Bee", "buzz"], "the check can fail")
  }

  /// Calls that only ArtSystem makes. The number is the value of O_TMPFILE, whose name Swift does not import.
  private static let wrapped =
    #"\b(realpath|opendir|fdopendir|readdir|scandir|getenv|secure_getenv|strerror|strerror_r|pthread_create)\s*\("#
    + #"|\bsigwait\s*\(|\bO_TMPFILE\b|\b0o2_?0{7}\b"#

  @Test("A4 only ArtSystem makes the system calls that it wraps")
  func systemCallsAreWrapped() throws {
    let pattern = try Regex(Self.wrapped)
    let files = try project.files(under: "Sources", ending: ".swift")
    var wraps = 0
    for file in files {
      let lines = try project.text(file).split(separator: "\n").filter {
        !$0.drop(while: \.isWhitespace).hasPrefix("//")
      }
      let found = lines.filter { $0.contains(pattern) }
      if file.hasPrefix("Sources/ArtSystem/") {
        wraps += found.count
      } else {
        #expect(found.isEmpty, "\(file)")
      }
    }
    #expect(wraps >= 8, "the check finds the calls in ArtSystem")
    for call in [
      "let real = realpath(path, nil)", "while let entry = readdir(stream) {", "getenv (name)",
      "String(cString: strerror(errno))", "open(folder, 0o20000000 | O_DIRECTORY)", "open(folder, O_TMPFILE)",
      "pthread_create(&thread, nil, body, nil)",
    ] {
      #expect(call.contains(pattern), "the check can fail")
    }
    #expect(!"curl_easy_strerror(code)".contains(pattern))
  }

  @Test("A11 the licences of the program and of Unicode's data are installed with it")
  func licencesAreInstalled() throws {
    let pattern = try Regex(#"SPDX-License-Identifier: (\S+(?: AND \S+)*)"#)
    var licences: Set<String> = []
    for ending in [".swift", ".c", ".h", ".license"] {
      for file in try project.files(under: "Sources", ending: ending) {
        let found = try #require(try project.text(file).firstMatch(of: pattern), "\(file) names a licence")
        for licence in (found.output[1].substring ?? "").split(separator: " AND ") {
          licences.insert(String(licence))
        }
      }
    }
    #expect(licences == ["Apache-2.0", "GPL-2.0-or-later", "MIT", "Unicode-3.0"])
    let (installed, readme) = (try project.text("scripts/packaging/files"), try project.text("README.md"))
    #expect(installed.contains("\n644 LICENSES/ share/doc/emojiart/LICENSES/\n"))
    #expect(installed.contains("\n644 LICENSE share/doc/emojiart/LICENSE\n"))
    for licence in licences {
      #expect(try !project.text("LICENSES/\(licence).txt").isEmpty)
      #expect(readme.contains(licence))
    }
  }

  @Test("A2 no text of the project names a place outside it that exists on one machine only")
  func namesNoOutsidePlace() throws {
    let pattern = try Regex(##"(^|[\s`"'(])\.\./\w|/(home|root|work|Users)/\w"##)
    // A case of Fixtures/cli may name the folder above its own, which the runner makes.
    for folder in ["Sources", "docs", "scripts", "Fixtures/format"] {
      for file in try project.files(under: folder, ending: "") {
        // Folders and binary files are skipped.
        guard let text = try? project.text(file) else { continue }
        #expect(!text.contains(pattern), "\(file)")
      }
    }
    #expect("see `../elsewhere/NOTES.md`".contains(pattern), "the check can fail")
    #expect("/home/ada/emojiart".contains(pattern))
  }
}
