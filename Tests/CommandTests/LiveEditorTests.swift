// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal
import ArtWorkspace
import TestSupport
import Testing

@testable import emojiart

@Suite("Editing by eye on the terminal")
struct LiveEditorTests {
  private let center = (x: 400.0, y: 300.0)

  /// 🐝 at 100,100; 🌸 at 300,120; 🦋 at 500,300, which is the uppermost.
  private func editor(_ size: (Int, Int) = (800, 600)) throws -> LiveEditor {
    var random = SplitMix64(seed: 59)
    var content = DocumentContent(
      id: DocumentID(using: &random), canvas: try Canvas(width: size.0, height: size.1))
    for (text, x, y) in [("🐝", 100, 100), ("🌸", 300, 120), ("🦋", 500, 300)] as [(String, Double, Double)] {
      let place = Coordinates(x: .pixels(x), y: .pixels(y))
      try perform(.add([EmojiText(text)], at: .at(place), size: .pixels(80)), on: &content)
    }
    return LiveEditor(content, size: .pixels(40))
  }

  private func perform(_ action: Action, on content: inout DocumentContent) throws {
    var random = SplitMix64(seed: UInt64(content.emojiCount))
    _ = try content.apply(action.plan(on: content, using: &random).edit.changes)
  }

  /// Presses keys as the owner of an editor does: one by one, up to the end; it performs the edits of each, and gives the content back.
  @discardableResult
  private func press(_ editor: inout LiveEditor, _ keys: Key...) throws -> [LiveEditor.Effect] {
    var all: [LiveEditor.Effect] = []
    for key in keys.flatMap(\.characters) where !all.contains(.end) {
      let effects = editor.press(key, center: center)
      for case .perform(let action) in effects {
        var content = editor.content
        try perform(action, on: &content)
        editor.adopt(content)
      }
      all += effects
    }
    return all
  }

  private func edits(_ effects: [LiveEditor.Effect]) -> Int {
    effects.count { if case .perform = $0 { true } else { false } }
  }

  @Test("Tab goes through the emoji as a text is read, and around")
  func selection() throws {
    var editor = try editor()
    #expect(editor.emoji?.text.string == "🦋", "the uppermost is selected first")
    var seen: [String] = []
    for _ in 0..<4 {
      try press(&editor, .tab)
      seen.append(editor.emoji?.text.string ?? "")
    }
    #expect(seen == ["🐝", "🌸", "🦋", "🐝"])
    try press(&editor, .backTab)
    #expect(editor.emoji?.text.string == "🦋")
    #expect(editor.status == "🦋 butterfly at 500,300, size 80  3 of 3")
  }

  @Test(
    "an emoji keeps its place in the tour when it is moved; what is added comes last; what is removed leaves")
  func tour() throws {
    var editor = try editor()
    func seen() throws -> String {
      try (0..<editor.tour.count).map { _ in
        try press(&editor, .tab)
        return editor.emoji?.text.string ?? ""
      }.joined()
    }
    try press(&editor, .tab)
    #expect(editor.status.hasSuffix("  1 of 3"))
    // Below and behind all others.
    try press(&editor, .text(String(repeating: "j", count: 450)), .text("+"))
    #expect(editor.content.emojisInOrder().map(\.position.y).max() == 550)
    #expect(editor.status.hasPrefix("🐝 honeybee at 100,550") && editor.status.hasSuffix("  1 of 3"))
    #expect(try seen() == "🌸🦋🐝", "each once")
    // What others do.
    var content = editor.content
    let there = Coordinates(x: .pixels(1), y: .pixels(1))
    try perform(.move(.references([try Reference("🦋")]), .to(.at(there))), on: &content)
    try perform(.add([EmojiText("🐛")], at: .at(there), size: .pixels(10)), on: &content)
    editor.adopt(content)
    #expect(editor.status.hasSuffix("  1 of 4"))
    #expect(try seen() == "🌸🦋🐛🐝")
    try press(&editor, .tab, .text("d"))
    #expect(
      editor.emoji?.text.string == "🦋" && editor.status.hasSuffix("  2 of 3"), "the next one is selected")
    #expect(try seen() == "🐛🐝🦋")
  }

  @Test("keys of one kind are one gesture and one edit; another key ends it")
  func gestures() throws {
    var editor = try editor()
    let moving = try press(&editor, .right, .right, .down, .shiftLeft, .text("kk"))
    #expect(edits(moving) == 0 && editor.hasGesture)
    #expect(editor.emoji?.position.x == 519 && editor.emoji?.position.y == 308, "shown at once")
    #expect(editor.content.emojisInOrder().last?.position.x == 500, "but not performed")
    let sizing = try press(&editor, .text("+"))
    #expect(edits(sizing) == 1, "another kind of gesture performs the first one")
    #expect(editor.content.emojisInOrder().last?.position.x == 519)
    #expect(editor.emoji?.size.pixels == 88)
    #expect(edits(try press(&editor, .text("]]"))) == 1)
    #expect(editor.emoji?.rotation.degrees == 30)
    #expect(edits(editor.settle()) == 1 && !editor.hasGesture)
    #expect(editor.settle().isEmpty)
    #expect(edits(try press(&editor, .right, .left, .tab)) == 0, "there and back is no edit")
  }

  @Test("a gesture shows the emoji that its edit makes, among others and alone")
  func shown() throws {
    var random = SplitMix64(seed: 61)
    for _ in 0..<200 {
      var editor = try editor()
      let keys: [Key] = [.left, .right, .up, .shiftDown, .text("+"), .text("-"), .text("]"), .text("[")]
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        if let key = keys.randomElement(using: &random) { try press(&editor, key) }
      }
      let (shown, before) = (editor.gestured, editor.content)
      let edits = editor.settle()
      guard case .perform(let action)? = edits.first else {
        #expect(shown == nil && edits.isEmpty)
        continue
      }
      var content = before
      try perform(action, on: &content)
      let selected = try #require(editor.selected)
      #expect(shown == content.emoji(selected))
      #expect(
        content.emojisInOrder().filter { $0.id != selected }
          == before.emojisInOrder().filter { $0.id != selected })
      #expect(editor.gestured == nil)
    }
  }

  @Test("u, r and q perform the gesture before they do what they do")
  func order() throws {
    for (key, effect) in [("u", .undo), ("r", .redo), ("q", .end)] as [(String, LiveEditor.Effect)] {
      var editor = try editor()
      let effects = try press(&editor, .left, .text(key))
      let performed = try #require(effects.firstIndex { if case .perform = $0 { true } else { false } })
      #expect(edits(effects) == 1 && effects.lastIndex(of: effect) ?? 0 > performed)
    }
    var editor = try editor()
    #expect(try press(&editor, .interrupt) == [.end])
    #expect(try press(&editor, .suspend) == [.suspend])
    #expect(try press(&editor, .text("q+"), .text("x")) == [.end], "and nothing after q")
    #expect(try press(&editor, .text("x")) == [.bell])
  }

  @Test("keys of one read are taken one by one, each on what the one before it has done")
  func together() throws {
    var editor = try editor()
    #expect(edits(try press(&editor, .text("mm"))) == 2)
    #expect(editor.emoji?.isMirrored == false, "mirrored, and back")
    try press(&editor, .text("+m+"))
    #expect(editor.emoji?.size.pixels == 97 && editor.content.emojisInOrder().last?.size.pixels == 88)
    #expect(edits(try press(&editor, .text("dddd"))) == 4, "the gesture, and three emoji")
    #expect(editor.content.emojiCount == 0 && editor.message == "there is no emoji; a adds one")
    #expect(editor.press(.text("dd"), center: center) == [.bell], "two keys at once are none")
  }

  @Test("a paste is text for the line that is asked for, and else nothing but a bell")
  func paste() throws {
    var editor = try editor()
    let before = editor.content
    let effects = try press(&editor, .paste("dq"), .pastedBreak, .paste("m"))
    #expect(edits(effects) == 0 && !effects.contains(.end) && editor.content == before)
    #expect(editor.message == "a paste is no key; press a first")
    try press(&editor, .text("a"), .paste(":honeybee:"), .pastedBreak, .paste("🌸"), .pastedBreak)
    guard case .asking(let line) = editor.phase else { throw Unexpected() }
    #expect(String(line.text) == ":honeybee: 🌸 ", "a line break is a blank")
    #expect(edits(try press(&editor, .enter)) == 1 && editor.content.emojiCount == 5)
  }

  @Test("Ctrl-R rings in the line that is asked for, and swallows no text")
  func noSearch() throws {
    var editor = try editor()
    try press(&editor, .text("a"))
    #expect(try press(&editor, .search) == [.bell])
    #expect(edits(try press(&editor, .text("🌸"), .enter)) == 1)
  }

  @Test("the view goes to the emoji by keys that select, move, add or undo, and by no others")
  func reveal() throws {
    func reveals(_ keys: Key...) throws -> Bool {
      var editor = try self.editor()
      return try keys.map { try press(&editor, $0).contains(.reveal) }.last ?? false
    }
    for key: Key in [.tab, .backTab, .left, .shiftDown, .delete, .search, .text("u"), .text("r"), .text("h")]
    {
      #expect(try reveals(key), "\(key)")
    }
    #expect(try reveals(.text("a"), .text("🌸"), .enter))
    for key: Key in [
      .text("m"), .text("f"), .text("+"), .text("]"), .text("z"), .text("?"), .text("a"), .enter,
    ] {
      #expect(try !reveals(key), "\(key)")
    }
    var editor = try self.editor()
    let effects = try press(&editor, .text("a🌸"), .enter)
    #expect(effects.last == .reveal, "after the edit, which selects what it adds")
  }

  @Test("d, f, b and m are edits of the selected emoji")
  func edits() throws {
    var editor = try editor()
    try press(&editor, .text("b"))
    #expect(editor.content.emojisInOrder().map(\.text.string) == ["🦋", "🐝", "🌸"])
    try press(&editor, .text("f"))
    #expect(editor.content.emojisInOrder().map(\.text.string) == ["🐝", "🌸", "🦋"])
    try press(&editor, .text("m"))
    #expect(editor.emoji?.isMirrored == true)
    try press(&editor, .text("d"))
    #expect(editor.emoji?.text.string == "🐝", "the next one is selected")
    try press(&editor, .delete, .backspace)
    #expect(editor.emoji == nil && editor.content.emojiCount == 0)
    for key in ["d", "f", "+", "]"] {
      #expect(edits(try press(&editor, .text(key))) == 0)
      #expect(editor.message == "there is no emoji; a adds one")
    }
    #expect(edits(try press(&editor, .left, .tab)) == 0)
  }

  @Test("a asks for emoji; what follows it is typed there, in one read, too")
  func adding() throws {
    var editor = try editor()
    let effects = try press(&editor, .text("a:honeybee: 🌸q"), .backspace, .enter)
    #expect(edits(effects) == 1)
    #expect(editor.content.emojiCount == 5)
    try press(&editor, .text("a"), .text("bogus"), .enter)
    #expect(editor.message?.isEmpty == false && editor.content.emojiCount == 5)
    try press(&editor, .text("a🐛"), .interrupt, .text("a"), .enter)
    #expect(editor.content.emojiCount == 5)
    guard case .keys = editor.phase else { throw Unexpected() }
  }

  @Test("Escape cancels what is being added, whatever is typed there; elsewhere it changes nothing")
  func cancelling() throws {
    var editor = try editor()
    for text in ["a", "a:honeybee:", "a🐛 🐛"] {
      let effects = try press(&editor, .text(text), .escape)
      #expect(effects.last == .show && edits(effects) == 0)
      guard case .keys = editor.phase else { throw Unexpected() }
    }
    try press(&editor, .text("a"))
    guard case .asking(let line) = editor.phase else { throw Unexpected() }
    #expect(line.text.isEmpty, "nothing is left for the next time")
    try press(&editor, .escape)
    #expect(try press(&editor, .escape).isEmpty)
    #expect(editor.content.emojiCount == 3)
    #expect(edits(try press(&editor, .left, .escape)) == 1, "it ends a gesture as every key of another kind")
  }

  private struct Unexpected: Error {}

  @Test("Escape and ? close the list of keys, and do nothing else")
  func help() throws {
    for key: Key in [.escape, .text("?")] {
      var editor = try editor()
      let before = (editor.content, editor.selected)
      try press(&editor, .text("?"))
      guard case .help = editor.phase else { throw Unexpected() }
      #expect(try press(&editor, key) == [.draw])
      guard case .keys = editor.phase else { throw Unexpected() }
      #expect((editor.content, editor.selected) == before)
    }
  }

  @Test("any other key closes the list, and does what it does without it")
  func helpActs() throws {
    for key: Key in [
      .tab, .backTab, .left, .shiftUp, .delete, .search, .interrupt, .suspend, .clearScreen, .enter,
      .paste("d"),
      .text("d"), .text("m"), .text("+"), .text("]"), .text("u"), .text("z"), .text("a"), .text("q"),
      .text("x"),
    ] {
      var (editor, plain) = (try editor(), try editor())
      try press(&editor, .text("?"))
      #expect(try press(&editor, key) == [.draw] + press(&plain, key), "\(key)")
      #expect(editor.content == plain.content && editor.status == plain.status, "\(key)")
      if case .help = editor.phase { Issue.record("\(key) left the list open") }
    }
    var editor = try editor()
    try press(&editor, .text("?"), .tab)
    #expect(editor.emoji?.text.string == "🐝", "Tab selects")
    try press(&editor, .text("?d"))
    #expect(editor.content.emojiCount == 2)
  }

  @Test("the list of keys begins with how to close it and how to end, and says where it is cut")
  func helpLines() {
    let whole = LiveEditor.help(columns: 80, rows: 22)
    #expect(whole.count == 13 && whole[0].hasPrefix("Escape  ") && whole[1].hasPrefix("q  "))
    for columns in [20, 40, 60, 80, 160] {
      for rows in 0...24 {
        let lines = LiveEditor.help(columns: columns, rows: rows)
        #expect(lines.count <= rows)
        guard let first = lines.first else { continue }
        #expect(first.hasPrefix("Escape"))
        let keys = lines.joined().contains("undo") && lines.joined().contains("zoom")
        #expect(keys || lines.last?.hasSuffix("…") == true, "\(columns) x \(rows)")
      }
    }
    for (columns, rows) in [(80, 5), (160, 3), (40, 12)] {
      let lines = LiveEditor.help(columns: columns, rows: rows)
      #expect(lines.last?.hasPrefix("z Z 0") == true || lines.last?.contains("  z Z 0") == true)
      #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
    }
  }

  @Test("a step is 1, 2 or 5 times a power of ten, by the canvas")
  func steps() throws {
    for (side, step) in [(10, 1), (48, 1), (100, 2), (320, 5), (800, 10), (1_920, 20), (10_000, 200)]
      as [(Int, Double)]
    {
      #expect(try editor((side, side)).step == step)
    }
  }

  @Test("what others do comes under the gesture; an emoji that they remove ends it")
  func others() throws {
    var editor = try editor()
    let id = try #require(editor.selected)
    try press(&editor, .right)
    var content = editor.content
    let there = Coordinates(x: .pixels(50), y: .pixels(60))
    try perform(.move(.references([try Reference(id.description)]), .to(.at(there))), on: &content)
    editor.adopt(content)
    #expect(editor.emoji?.position.x == 60 && editor.hasGesture)
    try perform(.remove(.references([try Reference(id.description)])), on: &content)
    editor.adopt(content)
    #expect(!editor.hasGesture && editor.selected != id && editor.message == "somebody removed it")
  }

  @Test("a step out of bounds is refused in a line")
  func bounds() throws {
    var editor = try editor()
    for _ in 0..<400 { try press(&editor, .text("+")) }
    #expect(editor.message != nil)
    let size = try #require(editor.emoji?.size.pixels)
    #expect(edits(try press(&editor, .text("-"), .tab)) == 1)
    #expect(size > 80)
    try press(&editor, .backTab)
    for _ in 0..<400 { try press(&editor, .text("-")) }
    #expect((editor.emoji?.size.pixels ?? 0) >= 1)
  }

  @Test("no keys break it, and each edit that it wants can be performed")
  func anything() throws {
    var random = SplitMix64(seed: 2059)
    let keys: [Key] =
      ["+", "-", "[", "]", "u", "r", "d", "f", "b", "m", "a", "z", "?", "h", "j", "k", "l", "🐝", ":"].map {
        .text($0)
      }
      + [
        .left, .right, .up, .down, .shiftLeft, .tab, .backTab, .enter, .delete, .backspace, .search, .escape,
        .paste("d🐝"), .pastedBreak,
      ]
    var performed = 0
    for _ in 0..<100 {
      var editor = try editor()
      for _ in 0..<100 {
        performed += edits(try press(&editor, keys.randomElement(using: &random) ?? .tab))
        #expect(editor.selected == nil || editor.emoji != nil)
        #expect((editor.selected == nil) == (editor.content.emojiCount == 0))
        #expect(editor.tour.count == editor.content.emojiCount)
      }
    }
    print("edits by eye: \(performed) performed")
    #expect(performed > 500)
  }

  @Test("the corners stand just outside the box, and at the edge of the art")
  func corners() throws {
    let region = try CanvasRect(x: 0, y: 0, width: 800, height: 400)
    func cells(_ x: Double, _ y: Double, _ size: Double) throws -> [[Int]] {
      let emoji = Emoji(
        id: try #require(EmojiID("00000001")), text: try EmojiText("🐝"), position: try Point(x: x, y: y),
        size: try FontSize(size), z: 0)
      return SelectionCorners(EmojiBox(emoji), in: region, columns: 80, rows: 20).corners.map {
        [$0.row, $0.column]
      }
    }
    #expect(try cells(400, 200, 40) == [[7, 36], [7, 43], [12, 36], [12, 43]])
    #expect(try cells(0, 0, 40) == [[0, 0], [0, 3], [2, 0], [2, 3]])
    #expect(try cells(800, 400, 40) == [[17, 76], [17, 79], [19, 76], [19, 79]])
    #expect(try cells(5_000, 5_000, 4) == [[19, 79], [19, 79], [19, 79], [19, 79]])
  }

  // MARK: - What lies over the screen

  /// What is drawn over 20 x 5 cells of an art, on a terminal of that size.
  private func overlay(_ editor: LiveEditor, _ columns: Int, _ rows: Int) throws -> String {
    let art = TerminalArt(body: .lines([]), columns: 20, rows: 5)
    let region = try CanvasRect(x: 0, y: 0, width: 800, height: 600)
    let terminal = TerminalSize(columns: columns, rows: rows)
    let bytes = EditingOverlay.bytes(editor, over: DrawnArt(art: art, region: region), on: terminal)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("the keys of the line, or what others do, stand above the line that is typed, and do not hide it")
  func messageWhileAsking() throws {
    var editor = try editor()
    #expect(try !overlay(editor, 80, 24).contains("Escape cancels"))
    try press(&editor, .text("a:honey"))
    #expect(try overlay(editor, 40, 24).contains("\u{1B}[KEnter adds, Escape cancels\u{1B}[24;1H"))
    editor.message = "Ada: add 🐛"
    let drawn = try overlay(editor, 80, 24)
    #expect(drawn.contains("\u{1B}[23;1H\u{1B}[0m\u{1B}[KAda: add 🐛\u{1B}[24;1H"))
    #expect(drawn.contains("add: :honey"))
    #expect(try overlay(editor, 80, 1).contains("add: :honey"))
  }

  @Test("corners stand on rows of the art only, however small the terminal is")
  func cornersOnTiny() throws {
    let editor = try editor()
    for (rows, most) in [(24, 23), (5, 4), (3, 2), (2, 2), (1, 1)] {
      for columns in [3, 12, 80] {
        let places = try overlay(editor, columns, rows).matches(of: /\u{1B}\[(\d+);(\d+)H/)
        if rows == 24, columns == 80 { #expect(places.count == 4) }
        for place in places {
          #expect(try #require(Int(place.1)) <= most && #require(Int(place.2)) <= columns)
        }
      }
    }
  }

  @Test("an undo that later edits cover says so, in the words of the command")
  func undoneNothing() throws {
    let editor = try editor()
    let id = try #require(editor.selected)
    func entry(_ number: Int, _ kind: LoggedEdit.Kind, _ x: Double?, dropped: Int = 0) throws -> LoggedEdit {
      let (there, before) = (try Point(x: x ?? 0, y: 1), try Point(x: 2, y: 1))
      let stamp = EditStamp(id: try #require(EditID("000000000001:\(number)")), time: 0)
      return LoggedEdit(
        stamp, revision: number, save: 1, kind: kind,
        edit: Edit(name: "move 🐝", changes: x == nil ? [] : [.set(id, .position(there))]),
        inverse: x == nil ? [] : [.set(id, .position(before))],
        dropped: Array(repeating: .set(id, .position(there)), count: dropped))
    }
    let first = try entry(1, .edit, 1)
    let whole = [try entry(2, .undo(first.id), 9)]
    #expect(LiveEditing.text(of: whole, left: 0, .undo) == "Undo move 🐝")
    #expect(
      LiveEditing.text(of: whole, left: 1, .undo)
        == "Undo move 🐝; 1 change stays as it is: later edits were about the same")
    let nothing = [try entry(2, .undo(first.id), nil, dropped: 1)]
    #expect(
      LiveEditing.text(of: nothing, left: 1, .undo)
        == "Undo move 🐝: nothing was left to undo, because later edits set or removed the same")
    let redo = [try entry(3, .redo(first.id), nil, dropped: 1)]
    #expect(
      LiveEditing.text(of: redo, left: 1, .redo)?.hasPrefix("Redo move 🐝: nothing was left to redo") == true)
    #expect(LiveEditing.text(of: [], left: 0, .undo) == nil)
  }

  @Test("messages of the live view name no command")
  func events() {
    let event = SessionEvent.document(.resync(version: 2))
    #expect(LiveEditing.text(of: event) == "much happened meanwhile")
    #expect(StreamMessages.text(of: event).contains("`show`"), "elsewhere it is a command")
    #expect(LiveEditing.text(of: .degraded("no inotify")) == StreamMessages.text(of: .degraded("no inotify")))
  }

  @Test("a gesture's deadline far in the past or the future is a timeout that poll takes")
  func deadlines() {
    let now = ContinuousClock.now
    let days = Duration.seconds(60 * 86_400)
    #expect(LiveShow.milliseconds(until: now - days, now: now) == 1)
    #expect(LiveShow.milliseconds(until: now + days, now: now) == 60_001)
    #expect(LiveShow.milliseconds(until: now + .milliseconds(400), now: now) == 401)
  }
}
