// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// A document that is damaged in many ways.
struct DamageCase: CustomTestStringConvertible, Sendable {
  let emojis: Int
  let edits: Int
  let imageBytes: Int
  /// The percentage of the campaign's files that are made from this document.
  let share: Int
  var testDescription: String { "\(emojis) emoji, \(edits) edits, a picture of \(imageBytes) bytes" }
}

@Suite struct DamageTests {
  private static let campaign = Campaign("damage", smoke: 500)
  static let documents = [
    DamageCase(emojis: 10, edits: 6, imageBytes: 0, share: 44),
    DamageCase(emojis: 40, edits: 150, imageBytes: 0, share: 20),
    DamageCase(emojis: 60, edits: 12, imageBytes: 40_000, share: 30),
    DamageCase(emojis: 2_000, edits: 4, imageBytes: 0, share: 6),
  ]

  private struct Tally {
    var tried = 0
    var refused = 0
    var same = 0
    /// Every page that differs is of one earlier moment: the file is a whole, older document.
    var older = 0
    var wrong = 0
    var edited = 0
    var unverified = 0
    var repaired = 0
    var processes = 0
  }

  @Test(
    "F7 a damaged file is refused or read as the whole document or an older state, never as anything else",
    arguments: documents)
  func damage(_ document: DamageCase) throws {
    let folder = try Workspace()
    let seed = UInt64(document.emojis)
    let file = try folder.document()
    try file.fill(
      emojis: document.emojis, edits: document.edits / 2, imageBytes: document.imageBytes, seed: seed)
    let earlier = try bytes(file.path)
    let before = try file.read()
    for step in 0..<(document.edits + 1) / 2 { try file.add(seed: 1_000 + UInt64(step)) }
    let whole = try bytes(file.path)
    let truth = try file.read()
    var tally = Tally()
    let cases = Self.campaign.share(document.share)
    for round in cases {
      var random = Self.campaign.random(round, salt: seed)
      var broken = whole
      let kind = Damage.allCases[random.below(Damage.allCases.count)]
      kind.apply(to: &broken, earlier: earlier, &random)
      if broken == whole { broken[random.below(broken.count)] ^= 1 }
      try write(broken, to: file.path)
      tally.tried += 1
      let about = "case \(round) of \(document.emojis) emoji, \(kind)"
      try checkRead(file, truth, before, about, &tally)
      if try !readsUnverified(file, truth) { tally.unverified += 1 }
      if round.isMultiple(of: 40) { try runPrograms(file, about, &tally) }
      try write(broken, to: file.path)
      try edit(file, truth, before, about, &tally)
      if round.isMultiple(of: 20) { try repair(file, broken, truth, about, &tally) }
      for name in try folder.names where name != "bees.emojiart" { unlink(folder[name]) }
    }
    print(
      """
      F7 damage, \(document.testDescription): \(tally.tried) files, \(tally.refused) refused, \(tally.same) unharmed, \
      \(tally.older) whole and older, \(tally.edited) edited, \(tally.repaired) mended, \(tally.processes) processes; wrong content shown \(tally.wrong), by the \
      control without sums \(tally.unverified)
      """)
    Self.campaign.report(tried: tally.tried)
    #expect(tally.tried == cases.count)
    #expect(tally.refused + tally.same + tally.older == tally.tried && tally.wrong == 0)
    #expect(tally.unverified > 0, "the control finds wrong content")
    #expect(
      tally.edited > 0 && tally.repaired > 0, "edits and repairs were tried and have succeeded")
  }

  private func checkRead(
    _ file: DocumentFile, _ truth: DocumentContent, _ before: DocumentContent, _ about: String,
    _ tally: inout Tally
  ) throws {
    var truth = truth
    do throws(ArtError) {
      let content = try file.read()
      if content == truth {
        tally.same += 1
      } else if content == before {
        tally.older += 1
        truth = before
      } else {
        wrong("wrong content shown: \(about)", &tally)
      }
    } catch { tally.refused += 1 }
    guard let summary = try? file.summary() else { return }
    let counts = (summary.emojiCount, summary.revision)
    if counts != (truth.emojiCount, truth.revision), counts != (before.emojiCount, before.revision) {
      wrong("wrong summary shown: \(about)", &tally)
    }
  }

  private func wrong(_ what: String, _ tally: inout Tally) {
    tally.wrong += 1
    Issue.record("\(what)")
  }

  /// The control: whether the rows as SQLite gives them, without a check of their sums, are the right content.
  private func readsUnverified(_ file: DocumentFile, _ truth: DocumentContent) throws -> Bool {
    var emojis: [EmojiID: Emoji] = [:]
    do throws(ArtError) {
      let connection = try Connection(
        path: file.path, name: "control", mode: .readOnly, deadline: Deadline(.zero))
      let rows = try Statement(EmojiRow.select, on: connection)
      while try rows.step() {
        let emoji = try EmojiRow.emoji(
          id: rows.utf8(0), z: rows.integer(1), fields: rows.utf8(2), of: "control")
        emojis[emoji.id] = emoji
      }
    } catch { return true }
    return emojis.count == truth.emojiCount && truth.emojisInOrder().allSatisfy { emojis[$0.id] == $0 }
  }

  /// An edit fails, or the document afterwards is refused or has all that it had and the edit.
  private func edit(
    _ file: DocumentFile, _ truth: DocumentContent, _ before: DocumentContent, _ about: String,
    _ tally: inout Tally
  ) throws {
    let found = (try? file.read()) ?? truth
    guard failure({ try file.add(seed: 424_242) }) == nil else { return }
    tally.edited += 1
    guard let now = try? file.read() else { return }
    let expected = found == before ? before : truth
    let kept = expected.emojisInOrder().allSatisfy { now.emoji($0.id) == $0 }
    if !kept || now.emojiCount != expected.emojiCount + 1 || now.revision != expected.revision + 1 {
      wrong("an edit lost something: \(about)", &tally)
    }
  }

  /// A repair invents nothing: every emoji in the repaired document was in the whole one.
  private func repair(
    _ file: DocumentFile, _ broken: [UInt8], _ truth: DocumentContent, _ about: String, _ tally: inout Tally
  ) throws {
    try write(broken, to: file.path)
    var maker = try EditMaker(seed: 9)
    do throws(ArtError) {
      guard try file.repair(.repair, stamp: maker.stamp()) != nil else { return }
    } catch {
      // There is no header, or too much damage to recognise a document.
      if error.code != .notADocument, error.code != .newerFormat, error.code != .damaged {
        wrong("repair failed: \(error), \(about)", &tally)
      }
      return
    }
    tally.repaired += 1
    do throws(ArtError) {
      let repaired = try file.read()
      let invented = repaired.emojisInOrder().contains { truth.emoji($0.id) != $0 }
      if invented, !about.hasSuffix("stalePages") { wrong("a repair invented content: \(about)", &tally) }
    } catch { wrong("a repaired document is refused: \(error), \(about)", &tally) }
  }

  /// Runs the real program, which must end by itself with one of its own exit statuses.
  private func runPrograms(_ file: DocumentFile, _ about: String, _ tally: inout Tally) throws {
    for arguments in [["show", "--json"], ["check"], ["add", "🐝"]] {
      let ended = try run(emojiart, [arguments[0], file.path] + arguments.dropFirst())
      tally.processes += 1
      if ended.isCrash || ![0, 65, 66, 74, 77].contains(ended.status) {
        wrong("\(arguments) ended with \(ended.status): \(about) \(ended.errors)", &tally)
      }
    }
  }
}
