// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel

@Suite("Palettes") struct PaletteTests {
  private let bugs = PaletteName(checked: "bugs")
  private let animals = PaletteName(checked: "animals")

  private func texts(_ words: String...) throws -> [EmojiText] { try words.map { try EmojiText($0) } }

  private func failure(_ body: () throws -> Void) -> ArtError? {
    do {
      try body()
      return nil
    } catch {
      return error as? ArtError
    }
  }

  @Test("L1 a name has letters, digits and hyphens, begins with a letter, and is compared without case")
  func names() throws {
    for typed in ["bugs", "Bugs", "b", "animal-faces", "a1", "größen", "花", "x2"] {
      #expect(try PaletteName(typed).string == typed.lowercased())
    }
    #expect(try PaletteName("BUGS") == bugs)
    #expect(try PaletteName(String(repeating: "a", count: 64)).string.utf8.count == 64)
    let bad = [
      "", "2", "-", "-a", "a b", "a:b", "@a", "a.b", "a/b", "🐝", "last", "LAST", "a\u{202E}", "a\n", "a_b",
      String(repeating: "a", count: 65), "a\u{301}", "🅰", "a🅱", "ℹ",
    ]
    for typed in bad { #expect(failure { _ = try PaletteName(typed) }?.code == .badValue, "\(typed)") }
  }

  @Test("L1 a palette has 1 to 256 emoji, each once, and a user has at most 256 palettes")
  func bounds() throws {
    var palettes = Palettes()
    try palettes.make(bugs, of: texts("🐝", "🐛", "🐝", "❤", "❤\u{FE0F}"))
    #expect(palettes[bugs]?.emojis.map(\.string) == ["🐝", "🐛", "❤\u{FE0F}"])
    #expect(palettes[bugs]?.origin == .own)
    #expect(failure { try palettes.make(bugs, of: texts("🐜")) }?.code == .exists)
    #expect(failure { try palettes.make(animals, of: texts("🐜")) }?.code == .exists)
    #expect(failure { try palettes.make(.recent, of: texts("🐜")) }?.code == .badValue)
    let many = try (0..<257).map { try EmojiText("🐝\($0)") }
    let full = PaletteName(checked: "full")
    #expect(failure { try palettes.make(full, of: many) }?.code == .tooLarge)
    try palettes.make(full, of: many.dropLast())
    #expect(failure { try palettes.edit(full, PaletteEdit(adding: many)) }?.code == .tooLarge)
    #expect(palettes[full]?.emojis.count == 256)
    for number in palettes.own.count..<256 {
      try palettes.make(PaletteName(checked: "p\(number)"), of: texts("🐝"))
    }
    #expect(failure { try palettes.make(PaletteName(checked: "more"), of: texts("🐝")) }?.code == .tooLarge)
    #expect(palettes.own.count == 256)
  }

  @Test("each emoji of a theme is fully qualified in Unicode's data, and is in the theme once")
  func themes() throws {
    let names = Themes.names.sorted()
    #expect(names.count == 13)
    let file = "/usr/share/unicode/emoji/emoji-test.txt"
    let text = try? String(contentsOfFile: file, encoding: .utf8)
    let lines = try #require(text, "\(file) is missing: install the Debian package unicode-data")
      .split(separator: "\n")
    let qualified = Set(
      lines.filter { $0.contains("; fully-qualified") }.map { line in
        let scalars = line.prefix { $0 != ";" }.split(separator: " ").compactMap {
          UInt32($0, radix: 16).flatMap(Unicode.Scalar.init)
        }
        return String(String.UnicodeScalarView(scalars))
      })
    #expect(qualified.count > 3_000)
    for name in names {
      let emojis = try #require(Themes.emojis(of: name))
      #expect(try PaletteName(name.string) == name)
      #expect(
        emojis.count == Themes.count(of: name) && (10...Palette.limit).contains(emojis.count), "\(name)")
      #expect(emojis.withoutDuplicates() == emojis, "\(name)")
      for text in emojis { #expect(qualified.contains(text.string), "\(name) \(text)") }
    }
    #expect(!qualified.contains("❤"), "an unqualified emoji is not found")
  }

  @Test("@name:n is the n-th emoji of a palette, and the error of any other pick names the choices")
  func picks() throws {
    var palettes = Palettes()
    try palettes.make(bugs, of: texts("🐝", "🐛", "🐜"))
    palettes.recent = try texts("🌸")
    #expect(try palettes.pick("@bugs:1").string == "🐝")
    #expect(try palettes.pick("@Bugs:3").string == "🐜")
    #expect(try palettes.pick("@bugs:03").string == "🐜")
    #expect(try palettes.pick("@recent:1").string == "🌸")
    #expect(Palettes.isPick("@x") && !Palettes.isPick("🐝") && !Palettes.isPick(""))
    let choices = "there are @bugs:1 🐝, @bugs:2 🐛, @bugs:3 🐜"
    for typed in ["0", "4", "-1", "1.0", "x", "1:2", "+1x", "9223372036854775808", "٣", "1 "] {
      let error = failure { _ = try palettes.pick("@bugs:\(typed)") }
      let cause = "no \(typed) in the palette bugs; \(choices)"
      #expect(error == ArtError(.badValue, cause, about: "bugs"), "\(typed)")
    }
    for typed in ["@bugs", "@bugs:"] {
      #expect(failure { _ = try palettes.pick(typed) }?.cause == "which of bugs? \(choices)")
    }
    #expect(
      failure { _ = try palettes.pick("@hearts:99") }
        == ArtError(
          .badValue, "no 99 in the palette hearts; it goes from @hearts:1 ❤️ to @hearts:22 💌", about: "hearts",
          remedy: .showPalette))
    #expect(failure { _ = try palettes.pick("@bgus:1") }?.cause == "no palette bgus; did you mean bugs?")
    for typed in ["@", "@:1", "@ :1", "@nothing:1", "@last", "@last:1", "@\u{1B}:1"] {
      #expect(failure { _ = try palettes.pick(typed) }?.code == .badValue, "\(typed)")
    }
    for typed in ["@last", "@Last:1"] {
      #expect(failure { _ = try palettes.pick(typed) }?.cause.contains("was added last") == true)
    }
    palettes.recent = []
    #expect(
      failure { _ = try palettes.pick("@recent:1") }?.cause == "no 1 in the palette recent; it is empty")
  }

  @Test("a theme that was edited, renamed or removed can be reset")
  func ownThemes() throws {
    var palettes = Palettes()
    let theme = try #require(palettes[animals])
    #expect(theme.origin == .theme && palettes.all.map(\.name) == palettes.all.map(\.name).sorted())
    let changed = try palettes.edit(animals, PaletteEdit(adding: texts("🌸"), removing: [theme.emojis[0]]))
    let flower = try EmojiText("🌸")
    #expect(changed.origin == .changed && changed.emojis == theme.emojis.dropFirst() + [flower])
    try palettes.edit(animals, PaletteEdit(adding: [theme.emojis[0]], at: 1, removing: texts("🌸")))
    #expect(palettes == Palettes(), "a theme with its own emoji is no palette of the user")
    try palettes.edit(animals, PaletteEdit(renaming: bugs))
    #expect(palettes[animals] == nil && palettes[bugs]?.emojis == theme.emojis)
    #expect(palettes[bugs]?.origin == .own)
    try palettes.reset(animals)
    #expect(palettes[animals] == theme)
    try palettes.remove(animals)
    #expect(palettes[animals] == nil && !palettes.all.contains { $0.name == animals })
    try palettes.make(animals, of: texts("🐝"))
    #expect(palettes[animals]?.origin == .changed)
    try palettes.reset(animals)
    try palettes.remove(bugs)
    #expect(palettes == Palettes())
  }

  @Test("L2 a change that is refused changes nothing")
  func refused() throws {
    var palettes = Palettes()
    try palettes.make(bugs, of: texts("🐝", "🐛"))
    let before = palettes
    let edits = try [
      PaletteEdit(removing: texts("🐜")), PaletteEdit(removing: texts("🐝", "🐛")),
      PaletteEdit(adding: texts("🐜"), removing: texts("🐜")), PaletteEdit(adding: texts("🐜"), at: 4),
      PaletteEdit(adding: texts("🐜"), at: 0), PaletteEdit(adding: texts("🐜"), at: .min),
      PaletteEdit(adding: texts("🐜"), renaming: animals), PaletteEdit(renaming: .recent),
    ]
    for edit in edits { #expect(failure { try palettes.edit(bugs, edit) } != nil, "\(edit)") }
    #expect(failure { try palettes.edit(.recent, PaletteEdit(adding: texts("🐜"))) }?.code == .badValue)
    #expect(failure { try palettes.remove(.recent) }?.code == .badValue)
    #expect(failure { try palettes.remove(PaletteName(checked: "none")) }?.code == .badValue)
    #expect(failure { try palettes.reset(bugs) }?.code == .badValue)
    #expect(palettes == before)
    // An emoji that is already in the palette stays at its place, unless a place is given.
    #expect(try palettes.edit(bugs, PaletteEdit(adding: texts("🐝", "🐜"))).emojis == texts("🐝", "🐛", "🐜"))
    #expect(
      try palettes.edit(bugs, PaletteEdit(adding: texts("🐜", "🦋"), at: 1)).emojis
        == texts("🐜", "🦋", "🐝", "🐛"))
    #expect(
      try palettes.edit(bugs, PaletteEdit(adding: texts("🐜"), at: 4)).emojis == texts("🦋", "🐝", "🐛", "🐜"))
  }

  @Test("L4 the recent emoji are at most 32, the newest first, each once")
  func recent() throws {
    var recent = RecentEmoji()
    recent.add(try texts("🐝", "🌸"))
    recent.add(try texts("🐛", "🐝"))
    #expect(recent.emojis.map(\.string) == ["🐝", "🐛", "🌸"])
    recent.add(try texts())
    let many = try (0..<1_000).map { number in
      try EmojiText(String((0..<10).map { number >> $0 & 1 == 0 ? "🐜" : "🦋" }))
    }
    recent.add(many)
    #expect(recent.emojis == many.suffix(32).reversed())
    // The emoji before many equal ones are kept.
    recent.add(try texts("🌸", "🐛") + Array(repeating: EmojiText("🐝"), count: 100))
    #expect(recent.emojis.prefix(3).map(\.string) == ["🐝", "🐛", "🌸"] && recent.emojis.count == 32)
    let bytes = Array(recent.fileText.utf8)
    let again = try bytes.withUnsafeBufferPointer { (bytes) throws(ArtError) in try RecentEmoji(file: bytes) }
    #expect(again == recent)
  }
}
