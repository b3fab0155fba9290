// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Editing streams that follow others' changes", .serialized)
struct StreamWatchTests {
  private static let savesOnRequest = ["--autosave-delay", "3600", "--autosave-changes", "100000"]

  private func withRun(_ body: @escaping @Sendable (OtherProgram) throws -> Void) async throws {
    let run = try CommandRun()
    _ = try await run.output(of: "emojiart new bees; emojiart add bees 🐝 --at 1,2")
    try await onThread { try body(OtherProgram(run)) }
    try run.remove()
  }

  @Test("D13 changes of others are reported at once")
  func atOnce() async throws {
    try await withRun { other in
      let stream = try other.stream(Self.savesOnRequest)
      // No timer wakes the stream between them, so it is notified, and does not find the changes by refreshing every two seconds.
      for round in 1...5 {
        try other.run("emojiart move bees 🐝 --to \(round),7")
        let lines = try stream.lines(until: #""changed""#)
        #expect(lines.count == 1 && lines[0].contains(#"["move","#) && lines[0].contains("\(round),7]"))
        #expect(try stream.children(1).count == 1, "a helper process watches")
      }
      stream.endInput()
      #expect(try stream.rest() == [#"{"state":"closed"}"#] && stream.end() == 0)
    }
  }

  @Test(
    "D12 a save rebases onto others' changes: different fields both stay, and of one field the later save's value"
  )
  func rebases() async throws {
    try await withRun { other in
      let stream = try other.stream(Self.savesOnRequest)
      try stream.send(#"{"move":{"ref":"🐝","to":[5,6]}}"#)
      _ = try stream.lines(until: #""unsaved":1"#)
      try other.run("emojiart resize bees 🐝 --to 99")
      #expect(
        try stream.lines(until: #"{"saved":{"revision":3}}"#).filter { $0.contains("changed") }.count == 1)
      let shown = "emojiart show bees --json | jq -c '.emojis[] | [.x, .y, .size]'"
      #expect(try other.run(shown) == "[5,6,99]\n")
      try stream.send(#"{"move":{"ref":"🐝","to":[7,8]}}"#)
      _ = try stream.lines(until: #""unsaved":1"#)
      try other.run("emojiart move bees 🐝 --to 9,9")
      #expect(
        try stream.lines(until: #"{"saved":{"revision":5}}"#).filter { $0.contains("changed") }.count == 1)
      #expect(try other.run(shown) == "[7,8,99]\n")
      stream.endInput()
      #expect(try stream.rest().last == #"{"state":"closed"}"# && stream.end() == 0)
    }
  }

  @Test("D13 a stream's own saves are not reported as others' changes, and do not start the next save early")
  func ownSaves() async throws {
    try await withRun { other in
      let stream = try other.stream(Self.savesOnRequest)
      let rounds = 15
      var lines: [String] = []
      for round in 1...rounds {
        // The last edit of each round is not saved before the next round requests it.
        try stream.send(#"{"save":true}"#, #"{"move":{"ref":"🐝","to":[\#(round),8]}}"#)
        lines += try stream.lines(until: #""unsaved":1"#)
        // A run of a program takes longer than the report of a change.
        for _ in 0..<3 { try other.run("emojiart show bees >/dev/null") }
      }
      try other.run("emojiart resize bees 🐝 --to 99")
      lines += try stream.lines(until: #""changed""#)
      let saved = lines.filter { $0.contains(#"{"saved""#) }
      print(
        "D13 own saves: \(saved.count) of \(rounds) that were asked for with something unsaved, none came back"
      )
      #expect(saved.count == rounds - 1, "\(lines)")
      #expect(lines.filter { $0.contains(#""changed""#) }.count == 1)
      stream.endInput()
      _ = try stream.rest()
      #expect(stream.end() == 0)
    }
  }

  @Test("W5 a stream and its helper process sleep while other programs read the document or write elsewhere")
  func idle() async throws {
    try await withRun { other in
      let stream = try other.stream(Self.savesOnRequest)
      try other.run("emojiart move bees 🐝 --to 3,3")
      _ = try stream.lines(until: #""changed""#)
      let (processes, rounds) = ([stream.processID] + (try stream.children(1)), 20)
      #expect(processes.count == 2)
      try other.run("mkdir elsewhere; emojiart new elsewhere/ants")
      func rest() throws -> [Activity] { try processes.map { try Activity(of: $0) } }
      func isAsleep(_ now: [Activity], since before: [Activity]) -> Bool {
        zip(now, before).allSatisfy { $0.isAsleep(since: $1) }
      }
      // Until the activity of its opening is over.
      var (before, tries) = (try rest(), 0)
      try wait(for: "a stream that comes to rest") {
        try other.run("emojiart show bees >/dev/null; emojiart show bees >/dev/null")
        let now = try rest()
        defer { (before, tries) = (now, tries + 1) }
        return isAsleep(now, since: before) && now.allSatisfy(\.isWaiting)
      }
      try other.run(
        """
        for i in $(seq \(rounds)); do
          emojiart show bees >/dev/null; emojiart history bees >/dev/null; emojiart list . >/dev/null
          cat bees.emojiart >/dev/null; emojiart add elsewhere/ants 🐜; touch elsewhere/$i
        done
        """)
      let after = try rest()
      #expect(isAsleep(after, since: before), "\(before) \(after)")
      #expect(after[1].processorTime == before[1].processorTime, "the helper process uses no processor time")
      print("W5 idle: \(rounds) rounds of readers and of writers elsewhere, after \(tries) to come to rest")
      // The control: a reported change costs processor time.
      for place in 1...rounds {
        try other.run("emojiart move bees 🐝 --to 4,\(place)")
        // A line that was written before would come first.
        let lines = try stream.lines(until: #""changed""#)
        #expect(lines.count == 1 && lines[0].contains("4,\(place)]"), "\(lines)")
      }
      let active = try rest()
      #expect(zip(after, active).allSatisfy { !$1.isAsleep(since: $0) }, "\(after) \(active)")
      let ticks = (
        after[0].processorTime - before[0].processorTime, active[0].processorTime - after[0].processorTime
      )
      #expect(ticks.0 < ticks.1, "\(ticks) ticks for as many readers and as many edits")
      stream.endInput()
      #expect(try stream.rest() == [#"{"state":"closed"}"#] && stream.end() == 0)
    }
  }

  @Test("W3 others' edits are reported once each after the helper process was killed or stopped")
  func killedHelper() async throws {
    try await withRun { other in
      let stream = try other.stream(Self.savesOnRequest)
      var seen: Set<Int32> = []
      for round in 1...4 {
        try other.run("emojiart move bees 🐝 --to \(round),1")
        #expect(try stream.changes(1).count == 1)
        let helper = try #require(try stream.children(1).first)
        seen.insert(helper)
        kill(helper, round == 2 ? SIGSTOP : SIGKILL)
        try other.run("emojiart move bees 🐝 --to \(round),2")
        #expect(try stream.changes(1).count == 1)
      }
      #expect(seen.count == 4)
      stream.endInput()
      #expect(try stream.rest().filter { $0.contains("changed") }.isEmpty && stream.end() == 0)
    }
  }

  @Test(
    "W4 without the helper process degraded watching is reported once, and others' edits are found by refreshes"
  )
  func missingHelper() async throws {
    try await withRun { other in
      try other.run("cp \"$(readlink -f ../bin/emojiart)\" ../bin/alone; mv ../bin/alone ../bin/emojiart")
      let stream = try other.begin(Self.savesOnRequest)
      var lines = try stream.lines(until: #"{"degraded":{"reason":""#)
      for round in 1...2 {
        try other.run("emojiart move bees 🐝 --to \(round),1")
        lines += try stream.lines(until: #""changed""#)
      }
      #expect(try lines.count == 3 && stream.children().isEmpty, "\(lines)")
      stream.endInput()
      #expect(try stream.rest() == [#"{"state":"closed"}"#] && stream.end() == 0)
    }
  }

  @Test(
    "G8 no helper process outlives its stream, however the stream ends", arguments: [SIGKILL, SIGTERM, 0])
  func leftHelpers(signal: Int32) async throws {
    try await withRun { other in
      let stream = try other.stream(Self.savesOnRequest)
      let helper = try #require(try stream.children(1).first)
      if signal == 0 { stream.endInput() } else { stream.signal(signal) }
      #expect(stream.end() == -signal)
      try other.run(
        "until ! kill -0 \(helper) 2>/dev/null || grep -q '^State:.Z' /proc/\(helper)/status; do sleep 0.02; done"
      )
    }
  }

  @Test("with --atomic nothing is watched, and others' changes are taken in at the end")
  func atomic() async throws {
    try await withRun { other in
      let stream = try other.stream(["--atomic"])
      try stream.send(#"{"move":{"ref":"🐝","to":[5,6]}}"#)
      #expect(try stream.line()?.contains("pending") == true)
      try other.run("emojiart resize bees 🐝 --to 99")
      try stream.send(#"{"move":{"ref":"🐝","by":[1,1]}}"#)
      #expect(try stream.line()?.contains("pending") == true)
      #expect(try stream.children().isEmpty)
      stream.endInput()
      #expect(try stream.rest().filter { $0.contains("changed") }.count == 1 && stream.end() == 0)
      #expect(
        try other.run("emojiart show bees --json | jq -c '.emojis[] | [.x, .y, .size]'") == "[6,7,99]\n")
    }
  }

  @Test("W4 without --json degraded watching is one line on stderr")
  func words() async throws {
    try await withRun { other in
      try other.run("cp \"$(readlink -f ../bin/emojiart)\" ../bin/alone; mv ../bin/alone ../bin/emojiart")
      try other.run(
        """
        mkfifo lines
        emojiart edit bees <lines >answers 2>errors &
        exec 3>lines
        awaiting 'heard of every two seconds' errors
        exec 3>&-
        wait
        [ "$(wc -l <errors)" = 1 ]
        """)
    }
  }

  @Test("D15 a document that is moved away and back is reported at once, once each")
  func moved() async throws {
    try await withRun { other in
      let stream = try other.stream(Self.savesOnRequest)
      try other.run("emojiart move bees 🐝 --to 3,3")
      _ = try stream.lines(until: #""changed""#)
      for _ in 1...5 {
        try other.run("mv bees.emojiart away")
        #expect(try stream.line()?.contains(#""noSuchDocument""#) == true)
        try other.run("mv away bees.emojiart")
        #expect(try stream.line() == #"{"state":"open"}"#)
      }
      stream.endInput()
      #expect(try stream.rest() == [#"{"state":"closed"}"#] && stream.end() == 0)
    }
  }

  @Test(
    "D17 a client that applies the lines of a stream with --own-changes to the answer of show has the document",
    arguments: [46, 47] as [UInt64])
  func followsByLines(seed: UInt64) async throws {
    try await withRun { other in
      var random = SplitMix64(seed: seed)
      let stream = try other.begin(Self.savesOnRequest + ["--own-changes", "--fetch", "none"])
      try other.run("emojiart add bees 🌸 🐛 🐜 --at 50,60; emojiart order bees 🐝 --front")
      try stream.send(#"{"show":true}"#)
      var (client, control) = (Follower(), Follower(ignoring: "added"))
      /// Reads and applies lines until one contains a text.
      func follow(until text: String) throws {
        for line in try stream.lines(until: text) {
          try client.receive(line)
          try control.receive(line)
        }
      }
      /// Applies lines up to the version that is shown now, and compares.
      func compare() throws -> DocumentContent {
        try stream.send(#"{"show":true}"#)
        try follow(until: #""document""#)
        let shown = try #require(client.shown)
        while client.version < shown.version { try follow(until: #""changed""#) }
        let content = try #require(client.content)
        #expect(client.version == shown.version)
        #expect(content.looksLike(shown.content), "\(ContentEffect(from: content, to: shown.content))")
        #expect(client.revision == shown.content.revision)
        return shown.content
      }
      try follow(until: #""document""#)

      var asked = 0
      /// Sends a request, and waits for the answer.
      func ask(_ request: String) throws {
        asked += 1
        try stream.send(#"{\#(request),"tag":\#(asked)}"#)
        try follow(until: #""tag":\#(asked)}"#)
      }
      for round in 1...40 {
        let place = Int.random(in: 0...500, using: &random)
        switch random.below(8) {
        case 0: try ask(#""add":{"text":"🦋","x":\#(place),"y":\#(round)}"#)
        case 1: try ask(#""move":{"all":true,"by":[\#(round),-1]}"#)
        case 2: try ask(#""order":{"ref":"🌸","\#(random.oneIn(2) ? "front" : "back")":true}"#)
        case 3: try ask(#""order":{"ref":"🐛","above":"🐜"}"#)
        case 4: try ask(#""resize":{"ref":"🐜","to":\#(round)}"#)
        case 5: try ask(#""background":{"later":true,"url":"https://example.org/\#(round).png"}"#)
        case 6: try ask(#""undo":\#(1 + random.below(3))"#)
        default: try ask(#""redo":1"#)
        }
        guard round % 5 == 0 else { continue }
        // Unsaved edits are rebased onto others' saves.
        if round % 10 == 0 {
          try ask(#""save":true"#)
        } else {
          try ask(#""move":{"ref":"🐝","to":[\#(place),7]}"#)
        }
        try other.run("emojiart add bees 🌼 --at \(place),\(round); emojiart order bees @last --back")
        try follow(until: round % 10 == 0 ? #""cause":"save""# : #""cause":"rebase""#)
        try other.run("emojiart undo bees")
        try follow(until: #""changed""#)
      }
      let content = try compare()
      #expect(
        control.content?.looksLike(content) == false, "the control: a client that ignores added emoji differs"
      )

      // A backup is put back: another state of the same document. What the stream had saved is merged into it.
      try ask(#""save":true"#)
      try other.run("cp bees.emojiart backup")
      try ask(#""remove":{"all":true}"#)
      try ask(#""add":{"texts":["🍄","🍄"]}"#)
      try ask(#""save":true"#)
      _ = try compare()
      try other.run("mv backup bees.emojiart")
      try follow(until: #""all":true"#)
      try follow(until: #""changed""#)
      try ask(#""order":{"ref":"🍄:1","front":true}"#)
      try ask(#""undo":1"#)
      try ask(#""redo":1"#)
      let last = try compare()
      #expect(last.emojiCount > 0)
      #expect(client.causes.isSuperset(of: ["edit", "undo", "redo", "background", "save", "rebase"]))
      print("D17: \(client.version) versions followed by their lines, by \(client.causes.sorted())")
      stream.endInput()
      _ = try stream.rest()
      #expect(stream.end() == 0)
    }
  }
}

/// A client that knows a document only by the lines of a stream.
private struct Follower {
  private static let id = DocumentID(lowBits: 46)
  /// The document after the lines that were read.
  private(set) var content: DocumentContent?
  private(set) var version = 0
  private(set) var revision = 0
  /// The last answer of `show`.
  private(set) var shown: ProtocolDocument?
  private(set) var causes: Set<String> = []
  /// An effect with this member is ignored: the control.
  private let ignoredMember: String?

  init(ignoring member: String? = nil) { ignoredMember = member }

  mutating func receive(_ line: String) throws {
    var bytes = line
    switch try bytes.withUTF8({ try ProtocolLine($0, of: Self.id) }) {
    case .answer(let answer):
      if case .failed(let error) = answer.outcome {
        // An answer that there is nothing to undo is fine.
        #expect(error.code == .nothingToUndo, "\(line)")
      }
      guard case .document(let shown) = answer.outcome else { return }
      #expect(shown.hasZ)
      self.shown = shown
      guard content == nil else { return }
      (content, version, revision) = (shown.content, shown.version, shown.content.revision)
    case .event(.changed(let change)):
      guard content != nil, change.version > version else { return }
      #expect(change.before == version, "\(line)")
      (version, revision) = (change.version, change.revision)
      causes.insert(change.cause.rawValue)
      if let ignoredMember, line.contains("\"\(ignoredMember)\":") { return }
      content?.apply(change.effect)
    case .event: break
    }
  }
}

/// Another program in the folder of a case. Its calls block: see `onThread`.
private struct OtherProgram {
  private let run: CommandRun

  init(_ run: CommandRun) { self.run = run }

  /// A stream that has opened its document.
  func stream(_ options: [String]) throws -> StreamProcess {
    let stream = try begin(options)
    try stream.send(#"{"show":true}"#)
    _ = try stream.lines(until: #""document""#)
    return stream
  }

  func begin(_ options: [String]) throws -> StreamProcess { try StreamProcess(in: run, options) }

  /// The output of a script, which must succeed.
  @discardableResult
  func run(_ script: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/timeout")
    process.arguments = ["-s", "KILL", "900", "sh", "-euc", script]
    process.currentDirectoryURL = run.place.appending(path: "work")
    process.environment = run.environment
    let output = Pipe.unshared()
    (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
    try process.start()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Project.Missing(what: script) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension StreamProcess {
  /// The processes that it has started; waits until there are this many.
  fileprivate func children(_ count: Int = 0) throws -> [Int32] {
    var found: [Int32] = []
    // No descriptor becomes readable at this.
    try wait(for: "\(count) programs that \(processID) has started") {
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/task")) ?? []
      found = threads.flatMap { thread in
        ((try? String(contentsOfFile: "/proc/\(processID)/task/\(thread)/children", encoding: .utf8)) ?? "")
          .split(separator: " ").compactMap { Int32($0) }
      }
      return found.count >= count
    }
    return found
  }

  /// The next changes of others; other lines are skipped.
  fileprivate func changes(_ count: Int) throws -> [String] {
    try (0..<count).flatMap { _ in try lines(until: #""changed""#).filter { $0.contains(#""changed""#) } }
  }
}
