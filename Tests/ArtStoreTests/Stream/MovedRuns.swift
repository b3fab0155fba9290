// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtModel
@testable import ArtStore

/// When the file is moved.
enum MovedPhase: String, CaseIterable {
  case before = "before a save"
  case early = "during a save, before it writes"
  case late = "during a save, before it commits"
  case after = "after a save"

  var isDuring: Bool { self == .early || self == .late }
  /// The edits that no save held when the file was moved, and those after it.
  var unsaved: ClosedRange<Int> {
    switch self {
    case .before: 4...5
    case .early, .late: 1...5
    case .after: 6...7
    }
  }
}

/// The result of a case.
struct MovedRow {
  var text = ""
  var failures: [String] = []
  var details = ""

  mutating func check(_ isSo: Bool, _ what: String) {
    if !isSo { failures.append(what) }
  }
}

extension MovedCase {
  /// Whether a save must fail; nil where it may or may not.
  private func fails(_ phase: MovedPhase) -> Bool? {
    switch kind {
    case _ where kind.isHarmless: false
    // A save that has its rollback journal needs no more space.
    case .diskFull where phase.isDuring: nil
    default: true
    }
  }

  /// Runs a stream whose file is moved.
  func stream(_ phase: MovedPhase, comesBack: Bool, losingJournal: Bool = false) throws -> MovedRow {
    var row = MovedRow()
    let held = held(phase)
    let live = try LiveStream(stream, under: (held?.wrapper ?? []) + wrapper)
    try live.edit(1...3)
    if phase == .before { try live.save("first") }
    try live.edit(4...5)
    if phase == .after { try live.save("first") }
    if phase.isDuring { try live.send([LiveStream.save("second")]) }
    try held?.waitUntilHeld()
    let reportedBefore = live.lines.count
    // A file that is written in place would be found half-written by chance, so the program is stopped meanwhile. Half-written
    // files are the subject of another test.
    let isFrozen = kind.isWrittenInPlace && !phase.isDuring
    if isFrozen { try live.freeze() }
    try move()
    if isFrozen { live.thaw() }
    try held?.release(for: live.processID)
    let sent = phase.unsaved.upperBound
    if phase == .after { try live.edit(6...7) }
    if !phase.isDuring { try live.send([LiveStream.save("second")]) }
    let isSaved = try live.answer(to: "second")["ok"] != nil
    // Events come behind the answers: the `open` of the first save may come only now.
    let state = isSaved ? "open" : "error"
    try live.wait(for: state) { $0.dropFirst(reportedBefore).contains { $0["state"] as? String == state } }
    row.check(fails(phase) != isSaved, "the save was answered with \(isSaved ? "ok" : "an error")")
    row.text = isSaved ? "saved" : "error told once"
    if !isSaved, !phase.isDuring {
      try live.send([LiveStream.save("again")])
      row.check(try live.answer(to: "again")["error"] != nil, "a second try was answered with ok")
    }
    // A repeated failure is not reported again, but an interrupted save may fail for another reason when it is repeated.
    let reasons = live.lines.dropFirst(reportedBefore).filter { $0["state"] as? String == "error" }
      .map { "\($0["reason"] ?? "")" }
    row.check(reasons.count == Set(reasons).count, "reported twice: \(reasons)")
    // The file that is there meanwhile is reported, too, once for each reason.
    let isMore = kind.isWrittenInPlace || phase.isDuring && !isSaved
    row.check(isSaved || !reasons.isEmpty, "no reason")
    row.check(isMore || reasons.count <= (isSaved ? 0 : 1), "\(reasons)")
    if comesBack {
      let count = live.lines.count
      try comeBack()
      try live.save("third")
      try live.wait(for: "open") { $0.dropFirst(count).contains { $0["state"] as? String == "open" } }
      let states = live.lines.dropFirst(count).compactMap { $0["state"] as? String }
      // An interrupted save may report its second reason only now.
      let later = live.lines.dropFirst(count).filter { $0["state"] as? String == "error" }
        .map { "\($0["reason"] ?? "")" }
      row.check(later.count <= (phase.isDuring && !isSaved ? 1 : 0), "back, and reported \(later)")
      row.check(Set(later).isDisjoint(with: reasons), "reported again: \(later)")
      row.check(states.first { $0 != "error" } == "open", "back, and the states were \(states)")
      row.text += ", then open"
    }
    let end = try live.end()
    row.details = end.errors
    row.check((end.status == 0) == (isSaved || comesBack), "status \(end.status)")
    row.check(
      end.status == 0 || end.errors.contains("kept in the journal"), "the place of the edits was not reported"
    )
    row.text += ", status \(end.status)"
    if losingJournal { try FileManager.default.removeItem(atPath: stream.journals.path) }
    try restoreAll(
      phase.unsaved, to: results(phase, sent: sent), isSaved: isSaved || comesBack, isBack: comesBack, &row)
    return row
  }

  /// Restores the journal of a killed stream whose document is moved.
  func restore() throws -> MovedRow {
    var row = MovedRow()
    let lines = (1...3).map(StreamCase.line) + [StreamCase.save] + (4...5).map(StreamCase.line)
    _ = try stream.leaveJournal(lines, edits: 5, under: wrapper)
    try move()
    row.text = "killed"
    let isDropped = kind == .backupMovedBack || kind == .backupCopiedBack
    if isDropped {
      let ended = try command(["restore"])
      row.check(ended.status == 0 && ended.output.contains("left out"), "\(ended)")
      let dropped = try stream.file.read().log.last?.dropped.count
      row.check(dropped == 2, "\(String(describing: dropped)) changes are in the history")
      row.text += "; the backup is as it was, and the history has the 2 edits, which did not fit it"
      return row
    }
    try restoreAll(
      4...5, to: [StreamCase.Places(after: 1...5)], isSaved: kind.isHarmless, isBack: false, &row)
    return row
  }

  /// Restores the orphaned edits, puts the document back, and restores again.
  private func restoreAll(
    _ unsaved: ClosedRange<Int>, to results: [StreamCase.Places], isSaved: Bool, isBack: Bool,
    _ row: inout MovedRow
  ) throws {
    row.check(try violated.isEmpty, "wrote into \(try violated)")
    let journal = try inJournals()
    let isLeft = !isSaved || row.text == "killed"
    row.check(isLeft == !journal.isEmpty, "in the journal: \(journal)")
    row.check(!isLeft || unsaved.allSatisfy(journal.contains), "in the journal: \(journal)")
    row.text += isLeft ? ", \(journal.count) edits in the journal" : ""
    var restoredPlaces: StreamCase.Places?
    if !isBack {
      let restored = try command(["restore"])
      row.details += restored.errors
      let finds = isSaved || kind == .renamed
      row.check((restored.status == 0) == finds, "restore: \(restored)")
      row.check(try violated.isEmpty, "restored into \(try violated)")
      if finds {
        restoredPlaces = try shown()
        row.check(
          try results.contains { $0 == restoredPlaces } && inJournals().isEmpty,
          "restored, and the document shows \(String(describing: restoredPlaces)) instead of \(results)")
      } else {
        row.check(try inJournals() == journal, "the journal is gone")
      }
      row.text += isLeft ? finds ? ", restored" : ", kept with status \(restored.status)" : ""
      try editStranger(&row)
      try comeBack()
    }
    let ended = try command(["add", stream.file.path, "🌻"])
    row.check(ended.status == 0, "\(ended)")
    let found = StreamCase.Places(in: try stream.file.read())
    row.check(
      results.contains { $0 == found } && (restoredPlaces ?? found) == found,
      "back, and the document shows \(String(describing: found)) instead of \(results)")
    row.check(try stream.journalNames.isEmpty && stream.file.check().faults.isEmpty, "something is left")
    row.text += found == results.first ? "; back with all edits" : "; back with the edits since the backup"
  }

  /// Edits the other document at the path, into which no edit of the stream may get.
  private func editStranger(_ row: inout MovedRow) throws {
    guard kind == .replaced || kind == .copiedOver else { return }
    let before = try stream.file.read()
    let ended = try command(["add", stream.file.path, "🌻"])
    let after = try stream.file.read()
    row.check(ended.status == 0 && after.revision == before.revision + 1, "\(ended)")
    row.check(after.emojiCount == before.emojiCount + 1, "the other document got more than it was given")
  }

  /// Holds up the save at the sync of the phase.
  private func held(_ phase: MovedPhase) -> HeldSync? {
    guard phase.isDuring else { return nil }
    return HeldSync(
      of: stream.file.path + (phase == .early ? "-journal" : ""), tracing: stream.space["trace"])
  }
}

extension LiveStream {
  static func save(_ tag: String) -> String { #"{"save":true,"tag":"\#(tag)"}"# }

  /// Makes edits, and waits for their answers.
  func edit(_ edits: ClosedRange<Int>) throws {
    try send(edits.map(StreamCase.line))
    for edit in edits { try #require(try answer(to: "\(edit)")["ok"] != nil, "\(lines)") }
  }

  /// Saves, which must succeed.
  func save(_ tag: String) throws {
    try send([Self.save(tag)])
    try #require(try answer(to: tag)["ok"] != nil, "\(lines)")
  }
}
