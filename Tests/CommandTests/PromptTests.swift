// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import emojiart

/// A prompt on a terminal that records its output.
private final class Session {
  private final class Screen {
    var bytes: [UInt8] = []
  }

  private let screen = Screen()
  var prompt: Prompt

  init(columns: Int = 60, history: HistoryFile? = nil) {
    let screen = screen
    prompt = Prompt(
      status: "bees>", columns: columns, history: history, candidates: { _, _ in ["add", "move"] },
      write: { screen.bytes += $0 })
  }

  /// The events of typed text.
  func events(_ typed: String) -> [PromptEvent] {
    prompt.feed(Array(typed.utf8)[...])
    var events: [PromptEvent] = []
    while let event = next() { events.append(event) }
    return events
  }

  func next() -> PromptEvent? { prompt.next() }

  /// The output since the last call.
  func written() -> String {
    defer { screen.bytes = [] }
    return String(decoding: screen.bytes, as: UTF8.self)
  }
}

@Suite("The prompt") struct PromptTests {
  private func row(_ before: String, _ after: String = "") -> String {
    "\r\u{1B}[?7l\(before)\u{1B}7\(after)\u{1B}[K\u{1B}8\u{1B}[?7h"
  }

  @Test(
    "the row is drawn with saved cursor positions, and does not depend on the widths of characters")
  func drawing() {
    let session = Session()
    session.prompt.redraw()
    #expect(session.written() == row("bees> "))
    #expect(session.events("add 👩‍🚀 x\u{1B}[D\u{1B}[D") == [])
    #expect(session.written() == row("bees> add 👩‍🚀", " x"), "one drawing for all that was read")
    #expect(session.events("\u{1B}") == [])
    #expect(session.written() == "")
    session.prompt.hide()
    #expect(session.written() == "\r\u{1B}[J")
    #expect(session.events("[C") == [])
    #expect(session.written() == row("bees> add 👩‍🚀 ", "x"), "the typed text is still there")
  }

  @Test("a long line shows the part around the cursor, in one row of any width")
  func window() throws {
    let text = Array("add 👨‍👩‍👧‍👦🏳️‍🌈👍🏽 1️⃣❤️🇩🇪 \u{202E} 👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀 --at 10,20 --size 48 e\u{301}ééé 🐝🐝🐝🐝🐝🐝")
    let shown = text.map { safe(String($0)) }
    var (cases, scrolled) = (0, 0)
    for columns in [1, 5, 12, 40, 80, 300] {
      var view = LineView(columns: columns)
      let walk = Array(0...text.count) + (0...text.count).reversed() + [text.count, 0, 7, 30]
      for cursor in walk {
        let drawn = view.drawing(status: "bees* (3 unsaved)>", text: text, cursor: cursor)
        let parts = try #require(drawn.wholeMatch(of: #/\r\x1B\[\?7l(.*)\x1B7(.*)\x1B\[K\x1B8\x1B\[\?7h/#))
        let (before, after) = (String(parts.1), String(parts.2))
        cases += 1
        guard columns >= 40 else { continue }
        #expect(before.contains("> "))
        if cursor > 0 { #expect(before.hasSuffix(shown[cursor - 1]), "\(columns) \(cursor)") }
        if cursor < text.count { #expect(after.hasPrefix(shown[cursor]), "\(columns) \(cursor)") }
        if after.hasSuffix("…") || before.contains("> …") { scrolled += 1 }
        // No terminal needs more than two columns for a scalar that is no mark, joiner or tag.
        let widest = (before + after).unicodeScalars.reduce(0) {
          $0
            + ($1.isASCII
              ? 1
              : [.nonspacingMark, .enclosingMark, .format].contains($1.properties.generalCategory) ? 0 : 2)
        }
        #expect(widest < columns)
      }
    }
    print("prompt: \(cases) rows drawn, \(scrolled) of them scrolled")
    #expect(scrolled > 200)
  }

  @Test("a new status is drawn at once while a line is being typed, and an unchanged one is not")
  func status() {
    let session = Session()
    session.prompt.status = "bees"
    #expect(session.written() == "", "nothing is drawn before the prompt is shown")
    session.prompt.redraw()
    _ = session.events("add")
    _ = session.written()
    session.prompt.status = "bees* (1 unsaved)>"
    #expect(session.written() == row("bees* (1 unsaved)> add"))
    session.prompt.status = "bees* (1 unsaved)>"
    #expect(session.written() == "")
    session.prompt.resize(columns: 30)
    #expect(session.written() == row("…(1 unsaved)> add"))
  }

  @Test("C6 a line is printed above the typed line, with its control characters escaped")
  func above() {
    let session = Session()
    session.prompt.printAbove("before")
    #expect(session.written() == "before\r\n")
    session.prompt.redraw()
    _ = session.events("ad")
    _ = session.written()
    session.prompt.printAbove("two\nlines \u{1B}[2J\u{202E}\r")
    #expect(session.written() == "\r\u{1B}[Jtwo\r\nlines \\u{1b}[2J\\u{202e}\\u{d}\r\n" + row("bees> ad"))
    session.prompt.status = "\u{1B}]0;x\u{7}"
    #expect(session.written() == row("\\u{1b}]0;x\\u{7} ad"))
  }

  @Test("each entered line is an event of its own, and stays on the screen")
  func lines() {
    let session = Session()
    session.prompt.redraw()
    _ = session.written()
    session.prompt.feed(Array("\u{1B}[200~one\ntwo\n\nth\u{1B}[201~".utf8)[...])
    #expect(session.next() == .line("one"))
    #expect(session.written() == row("bees> one") + "\r\n")
    session.prompt.printAbove("ok")
    #expect(session.written() == "ok\r\n")
    #expect(session.next() == .line("two"))
    #expect(session.next() == .line(""))
    _ = session.written()
    #expect(session.next() == nil)
    #expect(session.written() == row("bees> th"))
  }

  @Test("Ctrl-C clears a line and interrupts where there is none; Ctrl-D ends and Ctrl-Z suspends")
  func signals() {
    let session = Session()
    #expect(session.events("add\u{3}") == [])
    _ = session.events("x")
    _ = session.written()
    #expect(session.events("\u{8}\u{3}") == [.interrupt])
    #expect(session.written() == row("bees> "), "the removed character is no longer shown")
    #expect(session.events("\u{3}") == [.interrupt])
    #expect(session.events("ab\u{1B}[D\u{4}\u{4}") == [], "Ctrl-D removes the character behind the cursor")
    #expect(session.events("\u{1A}\r") == [.suspend, .line("a")])
    _ = session.written()
    session.prompt.feed([0x04])
    #expect(session.next() == .end)
    #expect(session.written() == "\r\u{1B}[J")
  }

  @Test("Tab, Ctrl-L, the bell and a line that is too long have their output on the terminal")
  func shownOutput() {
    let session = Session()
    session.prompt.redraw()
    _ = session.written()
    _ = session.events("\t")
    #expect(session.written() == "\r\u{1B}[Jadd   move\r\n" + row("bees> "))
    _ = session.events("m\t")
    #expect(session.written() == row("bees> move "))
    _ = session.events("\u{C}")
    #expect(session.written() == "\u{1B}[H\u{1B}[2J" + row("bees> move "))
    _ = session.events("\u{1B}[C")
    #expect(session.written() == "\u{7}")
    #expect(session.events(String(repeating: "x", count: 70_000) + "\r") == [])
    #expect(session.written().contains("a line has at most 65536 bytes; this one was dropped\r\n"))
  }

  @Test("entered lines are recalled in the next session, and a history that cannot be read is one notice")
  func history() throws {
    let folder = try Folder()
    let file = HistoryFile(path: folder.path("history"))
    let first = Session(history: file)
    #expect(first.events("one\rtwo\rtwo\r \r").count == 4)
    let second = Session(history: file)
    #expect(second.events("\u{10}\u{10}\r") == [.line("one")])
    #expect(try file.load() == ["one", "two", "one"])
    #expect(try folder.mode("history") == 0o600)
    let third = Session(history: HistoryFile(path: folder.path("")))
    let notice = third.written()
    #expect(notice.hasPrefix("cannot read the history ") && notice.hasSuffix("for this session only\r\n"))
    #expect(third.events("x\r\u{10}\r") == [.line("x"), .line("x")], "the session has a history of its own")
    #expect(!third.written().contains("cannot"), "the notice comes once")
  }

  @Test("several programs add to one history without tearing a line, and it is cut to its capacity")
  func together() throws {
    let folder = try Folder()
    // The smaller capacity causes one cut in a round, while all programs write.
    for (round, limit) in ([1 << 20] + Array(repeating: 20_000, count: 10)).enumerated() {
      let file = HistoryFile(path: folder.path("history-\(round)"), byteLimit: limit, lineLimit: 10_000)
      let failures = Mutex(0)
      // Each append opens the file anew, so that threads are like programs.
      DispatchQueue.concurrentPerform(iterations: 8) { program in
        for number in 0..<200 {
          let line = "program \(program) line \(number) 👩‍🚀"
          do { try file.append(line) } catch { failures.withLock { $0 += 1 } }
        }
      }
      #expect(failures.withLock { $0 } == 0)
      let found = try String(contentsOfFile: file.path, encoding: .utf8).split(separator: "\n")
      #expect(found.allSatisfy { $0.wholeMatch(of: #/program \d line \d+ 👩‍🚀/#) != nil })
      #expect(limit == 20_000 ? (500..<1_600).contains(found.count) : found.count == 1_600)
      // Cutting removes the oldest lines. A gap would be a line that was written to a replaced file.
      for program in 0..<8 {
        let left = found.filter { $0.hasPrefix("program \(program) ") }.map {
          String($0.split(separator: " ")[3])
        }
        #expect(left == (200 - left.count..<200).map { "\($0)" }, "program \(program)")
      }
      #expect(try folder.mode("history-\(round)") == 0o600)
      #expect(!FileManager.default.fileExists(atPath: file.path + ".new"))
    }
  }

  @Test("a damaged history gives its lines of valid text, and a history that is no regular file is refused")
  func damaged() throws {
    let folder = try Folder()
    let file = HistoryFile(path: folder.path("history"))
    #expect(try file.load() == [])
    try Data([UInt8]("ok\n\n".utf8) + [0xFF, 0xFE, 0x0A] + [UInt8]("two\ntorn".utf8)).write(
      to: URL(filePath: file.path))
    #expect(try file.load() == ["ok", "two", "torn"])
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    #expect(throws: ArtError.self) { try HistoryFile(path: folder.path("pipe")).load() }
    #expect(symlink(file.path, folder.path("link")) == 0)
    #expect(throws: ArtError.self) { try HistoryFile(path: folder.path("link")).load() }
    #expect(throws: ArtError.self) { try HistoryFile(path: folder.path("none/history")).append("x") }
    var small = file
    small.byteLimit = 8
    #expect(try small.load() == ["torn"], "a line without its beginning is dropped")
  }

  @Test(
    "P3 while a line is edited the terminal gives keys at once and marks pastes, and afterwards its settings are as before"
  )
  func terminal() throws {
    let (ours, theirs) = try openTerminal()
    defer {
      close(ours)
      close(theirs)
    }
    #expect(TerminalMode(input: theirs, output: theirs, term: "dumb") == nil)
    #expect(TerminalMode(input: theirs, output: theirs, term: nil) == nil)
    let null = open("/dev/null", O_RDWR)
    defer { close(null) }
    #expect(TerminalMode(input: null, output: theirs, term: "xterm") == nil)
    #expect(TerminalMode(input: theirs, output: null, term: "xterm") == nil)
    let mode = try #require(TerminalMode(input: theirs, output: theirs, term: "xterm"))
    #expect(mode.columns == 80, "a new terminal has no size")
    var size = winsize(ws_row: 10, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0)
    #expect(ioctl(ours, UInt(TIOCSWINSZ), &size) == 0)
    #expect(mode.columns == 40)
    let before = try settings(theirs)
    #expect(before.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == tcflag_t(ICANON | ECHO | ISIG))
    // What was never changed is not restored.
    mode.restore()
    for _ in 0..<2 {
      #expect(try mode.enter())
      #expect(try mode.enter())
      let raw = try settings(theirs)
      #expect(raw.c_lflag & tcflag_t(ICANON | ECHO | ISIG | IEXTEN) == 0)
      #expect(raw.c_iflag & tcflag_t(ICRNL | IXON) == 0)
      #expect(raw.c_oflag == before.c_oflag, "the output of others still has its line breaks")
      mode.restore()
      mode.restore()
      let after = try settings(theirs)
      #expect(
        (after.c_lflag, after.c_iflag, after.c_oflag) == (before.c_lflag, before.c_iflag, before.c_oflag))
    }
    let (on, off) = ("\u{1B}[?2004h", "\u{1B}[?2004l")
    let expected = on + on + off + off + on + on + off + off
    #expect(try written(to: ours, bytes: expected.utf8.count) == expected)
  }

  /// The output of a terminal, of a given number of bytes.
  private func written(to terminal: Int32, bytes count: Int) throws -> String {
    var found: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: count)
    while found.count < count {
      try waitUntilReadable(
        terminal,
        for: "\(count) bytes of a terminal after \(String(decoding: found, as: UTF8.self).debugDescription)")
      let count = read(terminal, &buffer, buffer.count)
      guard count > 0 else { break }
      found += buffer.prefix(count)
    }
    return String(decoding: found, as: UTF8.self)
  }

  private func settings(_ terminal: Int32) throws -> termios {
    var settings = termios()
    try #require(tcgetattr(terminal, &settings) == 0)
    return settings
  }

  private func openTerminal() throws -> (Int32, Int32) {
    let ours = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2), which Glibc's module lacks.
    var (locked, number): (Int32, Int32) = (0, 0)
    try #require(
      ours >= 0 && ioctl(ours, 0x4004_5431, &locked) == 0 && ioctl(ours, 0x8004_5430, &number) == 0)
    let theirs = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(theirs >= 0)
    return (ours, theirs)
  }
}

/// A temporary folder.
private final class Folder {
  private let place = FileManager.default.temporaryDirectory.appending(
    path: "emojiart-prompt-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: place) }

  func path(_ name: String) -> String { name.isEmpty ? place.path : place.appending(path: name).path }

  func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
  }
}
