// SPDX-License-Identifier: Apache-2.0

// A program that times the art of the oldest revision beside reading a document, for scripts/dev bench:
//   RevisionTimes FOLDER RUNS
// It makes documents of 10,000 and 100,000 emoji in the folder, each with a log of 1,000 edits, and prints the rows of a table: medians in milliseconds, the
// shortest and the longest run, the ratio to reading, and that of processor times. The runs of what is compared take turns.

import ArtModel
import ArtStore
import ArtWorkspace
import Glibc

/// The number of emoji of a document, and of the changes that each of its edits has.
private struct Size {
  let emojis: Int
  let changes: Int
}

private let editCount = 1_000

private func printLine(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = write(1, bytes, bytes.count)
}

/// Emoji in rows of a hundred, with ids that ascend.
private func emojis(_ count: Int) throws(ArtError) -> [Emoji] {
  var emojis: [Emoji] = []
  for number in 0..<count {
    guard let id = emojiID(number) else { continue }
    emojis.append(
      Emoji(
        id: id, text: try EmojiText(["🐝", "🌸", "❤️", "👩‍🚀"][number % 4]),
        position: try Point(x: Double(number % 100) * 10, y: Double(number / 100) * 7.5),
        size: try FontSize(8),
        z: number << 20))
  }
  return emojis
}

private func emojiID(_ number: Int) -> EmojiID? {
  let digits = String(number)
  return EmojiID(String(repeating: "0", count: EmojiID.length - digits.count) + digits)
}

/// The changes of an edit: of five edits three move emoji, one resizes or orders them, and one removes emoji or adds others.
private func changes(_ edit: Int, _ size: Size) throws(ArtError) -> [Change] {
  var changes: [Change] = []
  for part in 0..<size.changes {
    let count = edit * size.changes + part
    let number = count * 7_919 % size.emojis
    guard let id = emojiID(number), let new = emojiID(size.emojis + count) else { continue }
    switch edit % 10 {
    case 0..<6: changes.append(.move(id, to: try Point(x: Double(edit), y: Double(part))))
    case 6: changes.append(.resize(id, to: try FontSize(Double(9 + edit % 50))))
    case 7: changes.append(.order(id, to: count << 19 + 1))
    case 8: changes.append(.remove(id))
    default:
      changes.append(
        .add(
          Emoji(
            id: new, text: try EmojiText("🐛"), position: try Point(x: 1, y: Double(edit)), size: .standard,
            z: (size.emojis + edit) << 20)))
    }
  }
  return changes
}

private func make(_ path: String, _ size: Size) throws(ArtError) -> DocumentFile {
  let file = DocumentFile(path)
  var random = SystemRandomNumberGenerator()
  let id = DocumentID(using: &random)
  guard let content = DocumentContent(id: id, canvas: .standard, emojis: try emojis(size.emojis)) else {
    throw .notMade
  }
  try file.create(content)
  let origin = Origin(using: &random)
  try file.edit { (transaction) throws(ArtError) in
    var author = try Author(origin: origin)
    var edit = 0
    while transaction.revision < editCount {
      let stamp = author.stamp(at: WallClock.milliseconds())
      _ = try transaction.perform(Edit(name: "edit", changes: changes(edit, size)), stamp: stamp)
      edit += 1
    }
  }
  return file
}

extension ArtError {
  fileprivate static let notMade = ArtError(.usage, "RevisionTimes FOLDER RUNS")
}

/// Times in milliseconds, and those of the processor.
private struct Times {
  private var wall: [Double] = []
  private var processor: [Double] = []

  mutating func add(_ work: () throws(ArtError) -> Void) throws(ArtError) {
    let before = (Self.now(CLOCK_MONOTONIC), Self.now(CLOCK_THREAD_CPUTIME_ID))
    try work()
    wall.append(Self.now(CLOCK_MONOTONIC) - before.0)
    processor.append(Self.now(CLOCK_THREAD_CPUTIME_ID) - before.1)
  }

  private static func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }

  private static func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

  func row(_ name: String, _ base: Times? = nil) -> String {
    func ratio(_ times: KeyPath<Times, [Double]>) -> String {
      base.map { Self.text(Self.median(self[keyPath: times]) / Self.median($0[keyPath: times])) } ?? ""
    }
    let range = "\(Self.text(wall.min() ?? 0)) – \(Self.text(wall.max() ?? 0))"
    return
      "| \(name) | \(Self.text(Self.median(wall))) | \(range) | \(ratio(\.wall)) | \(ratio(\.processor)) |"
  }

  private static func text(_ value: Double) -> String { numberText((value * 100).rounded() / 100) }
}

private func measure(_ file: DocumentFile, _ size: Size, runs: Int) throws(ArtError) {
  let recovery = Recovery()
  let content = try recovery.content(of: file)
  let known = try content.reachableRevisions
  var (reading, oldest, alone, each, newest) = (Times(), Times(), Times(), Times(), Times())
  for _ in 0..<runs {
    try reading.add { () throws(ArtError) in _ = try recovery.content(of: file) }
    try oldest.add { () throws(ArtError) in _ = try recovery.content(of: file, at: known.lowerBound) }
    try alone.add { () throws(ArtError) in _ = try content.content(at: known.lowerBound) }
    try each.add { () throws(ArtError) in
      var content = content
      content.revert(content.log[...], to: nil)
    }
    try newest.add { () throws(ArtError) in _ = try content.content(at: known.upperBound - 1) }
  }
  let changes = content.log.reduce(0) { $0 + $1.edit.changes.count }
  printLine(
    reading.row("reading \(size.emojis) emoji and \(content.log.count) edits with \(changes) changes"))
  printLine(oldest.row("reading, and the art at revision \(known.lowerBound)", reading))
  printLine(alone.row("the art at revision \(known.lowerBound) alone", reading))
  printLine(each.row("the same, inverse by inverse", reading))
  printLine(newest.row("the art one edit ago alone", reading))
}

do throws(ArtError) {
  let arguments = CommandLine.arguments
  guard arguments.count == 3, let runs = Int(arguments[2]), runs > 0 else { throw .notMade }
  for (emojis, changes) in [(10_000, 1), (10_000, 20), (10_000, 100), (100_000, 20)] {
    let size = Size(emojis: emojis, changes: changes)
    try measure(make("\(arguments[1])/\(emojis)-\(changes).emojiart", size), size, runs: runs)
  }
} catch {
  printLine(error.cause)
  exit(1)
}
