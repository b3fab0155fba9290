// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// A document with an emoji for each of four programs, and rounds in which the programs are killed.
final class KillField {
  /// The counts of all rounds.
  struct Count: Sendable {
    var kills = 0
    var killsOfRecoveries = 0
    var roundsOfFour = 0
    /// Acknowledged lines.
    var answered = 0
    var sent = 0
    /// Rounds after which edits were in a journal.
    var journals = 0
    var lost = 0
    var faults: [String] = []

    mutating func add(_ other: Count) {
      kills += other.kills
      killsOfRecoveries += other.killsOfRecoveries
      roundsOfFour += other.roundsOfFour
      answered += other.answered
      sent += other.sent
      journals += other.journals
      lost += other.lost
      faults += other.faults
    }
  }

  private(set) var count = Count()
  private var random: SplitMix64
  private let seed: UInt64
  private let folder: Workspace
  private let state: Workspace
  private let file: DocumentFile
  private let writers: [EmojiID]
  private let fresh: (bytes: [UInt8], content: DocumentContent)
  /// The document after the last round.
  private var content: DocumentContent
  private var environment: [String: String]
  private var round = 0
  /// The time that a program needs to answer its first lines, in microseconds.
  private var span = 1

  init(seed: UInt64) throws {
    self.seed = seed
    random = SplitMix64(seed: seed)
    (folder, state) = (try Workspace(), try Workspace())
    let made = try folder.document()
    file = made
    writers = try (0..<4).map { try made.add("🐝", seed: seed + $0) }
    fresh = (try bytes(made.path), try made.read())
    content = fresh.content
    environment = ProcessInfo.processInfo.environment
    environment["EMOJIART_STATE"] = state.path
    environment["TMPDIR"] = state.path
    try measure()
  }

  private func measure() throws {
    var writer = try StreamWriter(writers[0], in: content, row: 0)
    let clock = ContinuousClock()
    let began = clock.now
    let stream = try start(["edit", file.path, "--json"])
    stream.send(writer.lines(50, &random))
    while writer.answered.count < 50, let lines = try stream.lines() { writer.receive(lines) }
    span = Int((clock.now - began) / .microseconds(1))
    stream.endInput()
    while try stream.lines() != nil {}
    guard try stream.wait() == 0 else {
      throw ProgramError(what: "the stream does not work: \(try errors())")
    }
    content = try file.read()
  }

  /// Runs rounds until this number of programs was killed, and restores the acknowledged edits after each round. The control
  /// removes the journals before that.
  func run(kills: Int, removingJournals isControl: Bool = false) throws {
    while count.kills < kills {
      guard round < 10 + 4 * kills else {
        throw ProgramError(what: "\(count.kills) kills in \(round) rounds")
      }
      try next(isControl)
    }
  }

  private func next(_ isControl: Bool) throws {
    // The document is used for six rounds, and then reset, so that it does not grow.
    if round.isMultiple(of: 6) {
      try write(fresh.bytes, to: file.path)
      content = fresh.content
    }
    round += 1
    let isOfFour = random.below(6) == 0
    var programs = try writers.prefix(isOfFour ? 4 : 1).enumerated().map { index, id in
      let stream = try start(["edit", file.path, "--json"])
      return (stream: stream, writer: try StreamWriter(id, in: content, row: 1_000 + round * 4 + index))
    }
    for index in programs.indices { try feed(programs[index].stream, &programs[index].writer) }
    for index in programs.indices {
      let stream = programs[index].stream
      // Four programs are not killed at one moment.
      if random.below(2) == 0 { pause(3_000) }
      stream.kill()
      while let lines = try stream.lines() { programs[index].writer.receive(lines) }
      if try stream.wait() == nil { count.kills += 1 }
    }
    if isOfFour { count.roundsOfFour += 1 }
    if try journals().contains(where: { $0.contains("/") }) { count.journals += 1 }
    if isControl { try removeJournals() } else { try recover() }
    check(programs.map(\.writer), isControl)
  }

  /// Sends lines to a program until a random moment of its life: while it starts, between two answers, in a save, or while it
  /// closes.
  private func feed(_ stream: SpawnedProgram, _ writer: inout StreamWriter) throws {
    switch random.below(4) {
    case 0:
      stream.send(writer.lines(1 + random.below(150), &random))
      pause(span * 3 / 2)
    case 1:
      stream.send(writer.lines(1 + random.below(60), &random))
      stream.endInput()
      try readAnswers(stream, &writer, 1 + random.below(writer.sent.count))
      pause(20_000)
    default:
      for _ in 0...random.below(3) {
        try readAnswers(stream, &writer, writer.sent.count)
        stream.send(writer.lines(1 + random.below(80), &random))
      }
      try readAnswers(
        stream, &writer, writer.answered.count + 1 + random.below(writer.sent.count - writer.answered.count))
      pause(6_000)
    }
  }

  /// Reads until this number of lines is answered.
  private func readAnswers(_ stream: SpawnedProgram, _ writer: inout StreamWriter, _ goal: Int) throws {
    while writer.answered.count < goal, writer.unexpected == nil {
      guard let lines = try stream.lines() else {
        throw ProgramError(what: "the stream ended by itself: \(try errors())")
      }
      writer.receive(lines)
    }
  }

  private func pause(_ most: Int) { usleep(UInt32(random.below(most))) }

  /// Restores the acknowledged edits, sometimes after a recovery that is killed, too.
  private func recover() throws {
    let command = [["restore", file.path], ["add", file.path, "🌼"], ["edit", file.path, "--json"]][
      random.below(3)]
    if random.below(3) == 0 {
      let killed = try start(["restore", file.path])
      pause(span)
      killed.kill()
      while try killed.lines() != nil {}
      if try killed.wait() == nil { count.killsOfRecoveries += 1 }
    }
    let recovery = try start(command)
    recovery.endInput()
    while try recovery.lines() != nil {}
    let status = try recovery.wait()
    if status != 0 {
      fault("\(command[0]) ends with \(status.map(String.init) ?? "a signal"): \(try errors())")
    }
  }

  private func check(_ writers: [StreamWriter], _ isControl: Bool) {
    do {
      content = try file.read()
      for writer in writers {
        count.answered += writer.answered.count
        count.sent += writer.sent.count
        switch writer.verdict(on: content) {
        case .kept: break
        case .lost(let lines):
          count.lost += lines
          if !isControl { fault("\(lines) answered lines lost") }
        case .wrong(let what): fault(what)
        }
      }
      if !isControl {
        let names = try folder.names
        if names != ["bees.emojiart"] { fault("beside the document: \(names)") }
        let journals = try journals()
        if !journals.isEmpty { fault("left in the folder of journals: \(journals)") }
        if round.isMultiple(of: 8) { try compareWithShow() }
      } else {
        // An edit repairs what other saves of the killed programs left.
        try file.add("🌼", seed: 900_000 + UInt64(round))
        content = try file.read()
      }
    } catch {
      fault("\(error)")
    }
  }

  /// The program must show what the library reads.
  private func compareWithShow() throws {
    let show = try start(["show", file.path, "--json"])
    var text = ""
    while let lines = try show.lines() { text += lines.joined() }
    try show.wait()
    for emoji in content.emojisInOrder() where text.components(separatedBy: "\"\(emoji.id)\"").count != 2 {
      fault("`show` does not show \(emoji.id) once")
    }
  }

  private func fault(_ what: String) { count.faults.append("seed \(seed), round \(round): \(what)") }

  private func start(_ arguments: [String]) throws -> SpawnedProgram {
    try SpawnedProgram(emojiart, arguments, environment: environment, errors: state["errors"])
  }

  private func errors() throws -> String {
    String(decoding: try bytes(state["errors"]).suffix(500), as: UTF8.self)
  }

  private func journals() throws -> [String] {
    try leaves(of: state["journal"])
  }

  private func removeJournals() throws {
    for name in try journals() { unlink("\(state["journal"])/\(name)") }
  }
}
