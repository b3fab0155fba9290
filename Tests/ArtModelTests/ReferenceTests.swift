// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtModel

@Suite("References")
struct ReferenceTests {
  private func garden() throws -> DocumentContent {
    try document([
      try emoji("aaaaaaaa", "🐝", z: 30), try emoji("aaabbbbb", "🐝", z: 10), try emoji("ac111111", "🐝", z: 20),
      try emoji("ad111111", "❤️", z: 40), try emoji("k3m9abcd", "🌸", z: 50),
    ])
  }

  private func resolve(_ typed: String, in art: DocumentContent) throws(ArtError) -> Emoji {
    try Reference(typed).resolve(in: art)
  }

  private func refusal(_ typed: String, in art: DocumentContent) -> ArtError? {
    failure { () throws(ArtError) in try resolve(typed, in: art) }
  }

  @Test(
    "M3 an id, or a prefix that only one id has, names the emoji",
    arguments: ["k3m9abcd", "k", "K3", "k3-m9", "k3m9-abcd", "K3M9ABCD"])
  func byID(_ typed: String) throws {
    #expect(try resolve(typed, in: garden()).id == id("k3m9abcd"))
  }

  @Test("M3 look-alikes are read as digits")
  func lookAlikes() throws {
    #expect(try resolve("acIlL", in: garden()).id == id("ac111111"))
  }

  @Test("M3 a prefix of several ids is refused, and the error names up to three of them")
  func ambiguousID() throws {
    let two = try refusal("aaa", in: garden())
    #expect(two?.code == .ambiguous)
    #expect(two?.cause.contains("aaaaaaaa 🐝, aaabbbbb 🐝;") == true)
    let four = try refusal("a", in: garden())
    #expect(four?.cause.contains("aaaaaaaa 🐝, aaabbbbb 🐝, ac111111 🐝, …;") == true)
  }

  @Test(
    "M3 a reference without an emoji is refused, and the error repeats it",
    arguments: ["z", "k3m9abce", "🦋", "🐝:4", "🌸:2", "❤️:99999999"])
  func none(_ typed: String) throws {
    let error = try refusal(typed, in: garden())
    #expect(error?.code == .noSuchEmoji && error?.cause.contains(typed) == true)
  }

  @Test("M4 a text names the only emoji that has it, with or without a variation selector")
  func byText() throws {
    #expect(try resolve("🌸", in: garden()).id == id("k3m9abcd"))
    for heart in ["❤", "❤\u{FE0F}", "❤:1"] { #expect(try resolve(heart, in: garden()).id == id("ad111111")) }
  }

  @Test("M4 a text of several emoji is refused, and the error names them, from the bottom")
  func ambiguousText() throws {
    let error = try refusal("🐝", in: garden())
    #expect(error?.code == .ambiguous)
    #expect(error?.cause.contains("aaabbbbb (🐝:1), ac111111 (🐝:2), aaaaaaaa (🐝:3);") == true)
  }

  @Test("M4 a text with a number names one of several emoji, counted from 1 at the bottom")
  func ordinals() throws {
    for (typed, name) in [("🐝:1", "aaabbbbb"), ("🐝:2", "ac111111"), ("🐝:3", "aaaaaaaa")] {
      #expect(try resolve(typed, in: garden()).id == id(name))
    }
  }

  @Test("M27 a text with a range or a star names several emoji, from the bottom")
  func severalOrdinals() throws {
    let art = try garden()
    let bees = try ["aaabbbbb", "ac111111", "aaaaaaaa"].map(id)
    for (typed, ids) in [
      ("🐝:*", bees), ("🐝:1-3", bees), ("🐝:2-3", Array(bees[1...])), ("🐝:2-2", [bees[1]]),
    ] {
      #expect(try Reference(typed).resolveAll(in: art).map(\.id) == ids)
    }
    #expect(
      failure { () throws(ArtError) in try Reference("🐝:2-4").resolveAll(in: art) }?.code == .noSuchEmoji)
    #expect(failure { () throws(ArtError) in try Reference("🦋:*").resolveAll(in: art) }?.code == .noSuchEmoji)
    #expect(refusal("🐝:*", in: art)?.code == .ambiguous)
    #expect(refusal("🐝", in: art)?.cause.hasSuffix("name one of them, or 🐝:* for all") == true)
  }

  @Test("M27 the words of a caption name it, and are ambiguous if an id begins so")
  func captions() throws {
    func caption(_ name: String, _ words: String, z: Int) throws -> Emoji {
      var emoji = try emoji(name, z: z)
      emoji.text = EmojiText(try Words(words), box: try TextBox(width: 3, height: 1))
      return emoji
    }
    let captions = [
      try caption("aaaaaaaa", "Happy birthday", z: 1), try caption("bbbbbbbb", "happy", z: 2),
      try caption("haapyyyy", "1 + 2 =\n3 🐝", z: 3), try caption("cccccccc", "happy", z: 4),
      try caption("dddddddd", "A", z: 5), try caption("ha222222", "ha", z: 6),
      try caption("eeeeeeee", "bbbbbbbb", z: 7), try caption("ffffffff", "F", z: 8),
    ]
    let art = try document(captions)
    #expect(try resolve("Happy birthday", in: art).id == id("aaaaaaaa"))
    #expect(try resolve("1 + 2 =\\n3 🐝", in: art).id == id("haapyyyy"))
    #expect(try Reference("happy:*").resolveAll(in: art).map(\.id) == [id("bbbbbbbb"), id("cccccccc")])
    #expect(refusal("happy", in: art)?.code == .ambiguous)
    #expect(try resolve("haa", in: art).id == id("haapyyyy"))
    #expect(refusal("h", in: art)?.code == .ambiguous, "two ids")
    #expect(refusal("ha", in: art)?.code == .ambiguous, "two ids, one of a caption with these words")
    #expect(try resolve("F", in: art).id == id("ffffffff"), "the caption whose id begins so")
    let error = refusal("A", in: art)
    #expect(error?.code == .ambiguous)
    #expect(error?.cause.contains("aaaaaaaa \"Happy birthday\", dddddddd \"A\"") == true)
    #expect(try resolve("a", in: art).id == id("aaaaaaaa"), "the words are another case")
    #expect(try resolve("bbbbbbbb", in: art).id == id("bbbbbbbb"), "a whole id is never a caption's words")
    #expect(refusal("Happy", in: art)?.code == .noSuchEmoji)
    #expect(refusal("k3m9", in: art)?.cause.contains("no emoji k3m9 ") == true)
  }

  @Test("M27 the words of a caption name it, also where they end like ordinals or begin with a sign")
  func oddWords() throws {
    let words = [
      "Lunch 12:30", "12:05", "at 7:00", "🎂 at 8:15", "Score 3:2-1", "(maybe)", "¡Hola!", "#1", "Lunch",
      "ask:*",
    ]
    let box = try TextBox(width: 1, height: 1)
    let ids = try words.indices.map { try id("aaaaaaa\($0)") }
    let art = try document(
      words.enumerated().map { (index, text) in
        var caption = try emoji("aaaaaaa\(index)", z: index)
        caption.text = EmojiText(try Words(text), box: box)
        return caption
      } + [emoji("bbbbbbbb", "🐝", z: 20), emoji("cccccccc", "🐝", z: 21)])
    for (id, text) in zip(ids, words) {
      #expect(try resolve(text, in: art).id == id, "\(text)")
      #expect(try Reference(text).description == text)
    }
    // Where no caption has the whole text, the end is read as ordinals.
    #expect(try resolve("Lunch:1", in: art).id == ids[8])
    #expect(refusal("Lunch:2", in: art)?.code == .noSuchEmoji)
    #expect(refusal("at 7:01", in: art)?.code == .noSuchEmoji)
    #expect(try resolve("🐝:2", in: art).id == id("cccccccc"))
    #expect(try Reference("1️⃣:2") == .text(EmojiText("1️⃣"), .range(2...2)))
    var twice = art
    var other = try emoji("dddddddd", z: 30)
    other.text = EmojiText(try Words("12:05"), box: box)
    twice.insert(other)
    #expect(refusal("12:05", in: twice)?.code == .ambiguous)
    #expect(try resolve("12:05:2", in: twice).id == other.id)
  }

  @Test("M28 a region narrows a selection to what is drawn in it")
  func regions() throws {
    var turned = try emoji("bbbbbbbb", x: 100, y: 0, z: 2)
    turned.rotation = try Rotation(degrees: 90)
    let art = try document([
      try emoji("aaaaaaaa", x: 0, y: 0, z: 1), turned, try emoji("cccccccc", x: 900, y: 700, z: 3),
    ])
    // A bee of 40 pixels is 49.8 x 47 pixels large.
    for (region, names) in [
      ("24,0,10x10", ["aaaaaaaa"]), ("25,0,10x10", []), ("75.5,0,1x1", []), ("76,0,1x1", ["bbbbbbbb"]),
      ("100,24,9x0.5", ["bbbbbbbb"]), ("0,0,100%x100%", ["aaaaaaaa", "bbbbbbbb", "cccccccc"]),
    ] {
      let selection = EmojiSelection(in: try Region(typed: region))
      if names.isEmpty {
        #expect(
          failure { () throws(ArtError) in try selection.resolve(in: art) }?.code == .noSuchEmoji, "\(region)"
        )
      } else {
        #expect(try selection.resolve(in: art).map(\.id) == names.map(id), "\(region)")
      }
    }
    let narrowed = EmojiSelection([try Reference("🐝:*")], in: try Region(typed: "50%,50%,50%x50%"))
    #expect(try narrowed.resolve(in: art).map(\.id) == [id("cccccccc")])
  }

  @Test("@last is the newest emoji that is still in the document")
  func last() throws {
    var art = try garden()
    var author = try author(1)
    #expect(refusal("@last", in: art)?.code == .noSuchEmoji)
    let (first, second) = (try emoji("00000001"), try emoji("00000002"))
    try art.perform(Edit(name: "add", changes: [.add(first), .add(second)]), by: &author)
    #expect(try resolve("@last", in: art).id == second.id)
    try art.perform(Edit(name: "move", changes: [.move(first.id, to: Point(x: 5, y: 5))]), by: &author)
    #expect(try resolve("@last", in: art).id == second.id)
    try art.perform(Edit(name: "remove", changes: [.remove(second.id)]), by: &author)
    #expect(try resolve("@last", in: art).id == first.id)
    try art.undo(by: &author)
    #expect(try resolve("@last", in: art).id == second.id)
  }

  @Test(
    "a text that cannot be a reference is refused",
    arguments: ["", "-", "@", "@first", "🐝:0", "🐝:-1", "🐝:3-2", ":1", "!"])
  func refused(_ typed: String) {
    #expect(failure { () throws(ArtError) in try Reference(typed) }?.code == .badValue)
  }

  @Test("the description of a reference can be typed as that reference")
  func descriptions() throws {
    for (typed, written) in [
      ("K-3", "K-3"), ("🐝", "🐝"), ("🐝:2", "🐝:2"), ("@last", "@last"), ("❤", "❤\u{FE0F}"), ("🐝:*", "🐝:*"),
      ("🐝:2-3", "🐝:2-3"), ("🐝:2-2", "🐝:2"), ("Happy birthday", "Happy birthday"), ("1 2:2", "1 2:2"),
    ] {
      #expect(try Reference(typed).description == written)
      #expect(try Reference(written) == Reference(typed))
    }
  }

  @Test("a selection has the emoji in the named order, each once, and `all` from bottom to top")
  func selections() throws {
    let art = try garden()
    let named = try EmojiSelection.references([Reference("🌸"), Reference("🐝:2")]).resolve(in: art)
    #expect(try named.map(\.id) == [id("k3m9abcd"), id("ac111111")])
    #expect(try EmojiSelection.all.resolve(in: art).map(\.z) == [10, 20, 30, 40, 50])
    let twice = EmojiSelection.references([try Reference("🌸"), try Reference("k3")])
    #expect(failure { () throws(ArtError) in try twice.resolve(in: art) }?.cause.contains("twice") == true)
  }
}
