// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("Settings, and where they come from") struct SettingsTests {
  private let folder: Workspace

  init() throws { folder = try Workspace() }

  private func variables(_ others: [String: String] = [:]) -> @Sendable (String) -> String? {
    let all = others.merging(["HOME": folder["home"], "EMOJIART_CONFIG": folder["config"]]) { own, _ in own }
    return { all[$0].flatMap { $0.isEmpty ? nil : $0 } }
  }

  private func write(_ text: String, to path: String) throws {
    let file = URL(filePath: folder[path])
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func author(_ others: [String: String] = [:]) throws -> String? {
    let value = try CurrentSettings(variables(others))[.author]
    return value.map { "\($0.text) from \($0.source.name)" }
  }

  @Test("the author is that of the environment, else of the settings, else git's, else the login name")
  func precedence() throws {
    #expect(try author() == nil)
    #expect(try author(["USER": "ada"]) == "ada from USER")
    try write("[user]\n\tname = Ada King\n", to: "home/.gitconfig")
    #expect(try author(["USER": "ada"]) == "Ada King from git")
    let store = SettingsStore(variables())
    try store.set(.author, to: " Countess ")
    #expect(try author(["USER": "ada"]) == "Countess from config.json")
    #expect(try author(["EMOJIART_AUTHOR": "Bob"]) == "Bob from EMOJIART_AUTHOR")
    #expect(try author(["EMOJIART_AUTHOR": "  "]) == "Countess from config.json", "a blank name is none")
    try store.set(.author, to: nil)
    #expect(try author() == "Ada King from git")
  }

  @Test(
    "a name of another program that no edit may have is passed over, and one in EMOJIART_AUTHOR is an error")
  func unusable() throws {
    try write("[user]\nname = \(String(repeating: "x", count: 65))\n", to: "home/.gitconfig")
    #expect(try author(["USER": "a\u{1B}b"]) == nil)
    #expect(try author(["USER": "ada"]) == "ada from USER")
    let error = #expect(throws: ArtError.self) { try author(["EMOJIART_AUTHOR": "a\u{1B}b"]) }
    #expect(error?.code == .badValue)
    #expect(error?.cause.hasPrefix("EMOJIART_AUTHOR: ") == true)
  }

  @Test(
    "git's user.name is read as git reads it",
    arguments: [
      ("[user]\n  name = Ada\n", "Ada"), ("[USER]\nName=Ada", "Ada"), ("[user] name = Ada", "Ada"),
      ("[user]\nname = Ada King # the first\n", "Ada King"), ("[user]\nname = \"Ada # King\"", "Ada # King"),
      ("[user]\nname = A\\\"d\\\"a", "A\"d\"a"), ("[user]\nname = Ada \\\n  King", "Ada   King"),
      ("[user]\nname = Ada\nname = Bob", "Bob"), ("[user]\r\nname = Ada\r\n", "Ada"),
      ("[user]\r\n\tname = Bob\r\n\temail = b@x\r\n", "Bob"),
      ("[core]\r\n\tx = 1\r\n[user]\r\n\tname = Bob\r\n", "Bob"),
      ("[user]\r\nname = Ada \\\r\n  King\r\n", "Ada   King"),
      ("[user \"x\"]\nname = Ada", nil), ("[alias]\nname = Ada", nil), ("name = Ada", nil), ("", nil),
      ("[user]\nemail = x\n[core]\nname = no", nil),
    ] as [(String, String?)])
  func git(_ text: String, _ name: String?) throws {
    #expect(GitIdentity.name(in: text) == name)
    // git itself agrees.
    try write(text, to: "git")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/git")
    process.arguments = ["config", "--file", folder["git"], "user.name"]
    let pipe = Pipe.unshared()
    (process.standardOutput, process.standardError) = (pipe, FileHandle.nullDevice)
    try process.start()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == (name == nil ? 1 : 0))
    #expect(output == (name.map { $0 + "\n" } ?? ""))
  }

  @Test("settings are kept in a file that people may edit, and a bad one is refused with its line")
  func file() throws {
    let store = SettingsStore(variables())
    #expect(try store.settings() == Settings())
    try store.set(.size, to: "64px")
    try store.set(.language, to: "DE")
    try store.set(.graphics, to: "kitty")
    #expect(
      try String(contentsOfFile: folder["config/config.json"], encoding: .utf8) == """
        {
          "graphics": "kitty",
          "language": "de",
          "size": "64",
          "version": 1
        }

        """)
    #expect(try store.settings()[.size] == "64")
    for (setting, value) in [
      (Setting.size, "big"), (.size, "-1"), (.graphics, "crayon"), (.language, "d"), (.language, "de_DE"),
      (.font, "Noto.ttf"), (.author, "  "), (.author, "a\nb"),
    ] {
      let error = #expect(throws: ArtError.self) { try store.set(setting, to: value) }
      #expect(error?.code == .badValue, "\(setting.rawValue) \(value)")
    }
    #expect(try store.settings()[.size] == "64", "a refused value changes nothing")
    for (text, place, code) in [
      ("{\n  \"sise\": \"64\"\n}", "line 2", ArtError.Code.badJSON),
      ("{\"size\":\"64\",\n\"size\":\"65\"}", "line 2", .badJSON),
      ("{\"size\":\n64}", "line 2", .badJSON), ("{\"version\":2}", "format 2", .newerFormat),
    ] {
      try write(text, to: "config/config.json")
      let error = #expect(throws: ArtError.self) { try store.settings() }
      #expect(error?.code == code)
      #expect(error?.cause.contains(place) == true, "\(error?.cause ?? "")")
      #expect(throws: ArtError.self) { try store.set(.size, to: "10") }
      #expect(try String(contentsOfFile: folder["config/config.json"], encoding: .utf8) == text)
    }
  }

  @Test("a value in the environment wins, and only a wanted one is checked")
  func environment() throws {
    let store = SettingsStore(variables())
    try store.set(.size, to: "64")
    let current = try CurrentSettings(variables(["EMOJIART_SIZE": "10%", "EMOJIART_GRAPHICS": "crayon"]))
    #expect(try current[.size]?.text == "10%")
    #expect(try current[.language] == nil)
    #expect(throws: ArtError.self) { try current[.graphics] }
  }
}
