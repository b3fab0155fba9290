// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore
@testable import ArtSystem

@Suite("Merging files") struct MergeFileTests {
  /// Copies of one document, with edits of their own.
  private struct Copies {
    let folder: Workspace
    var files: [DocumentFile] = []
    var random: SplitMix64
    private var number = 0

    /// - Parameter edits: The edits of the document before it was copied.
    init(seed: UInt64, count: Int, edits: Int) throws {
      folder = try Workspace()
      random = SplitMix64(seed: seed)
      let file = try folder.document(seed: seed)
      files = [file]
      if edits > 0 { try edit(0, saves: edits / 25, perSave: 25) }
      for _ in 1..<count { files.append(try copy(file)) }
    }

    mutating func copy(_ file: DocumentFile) throws -> DocumentFile {
      number += 1
      let path = folder.path + "/copy\(number).emojiart"
      try write(bytes(file.path), to: path)
      return DocumentFile(path)
    }

    /// Saves edits, undos and redos as programs do; some with pictures, some with a journal.
    mutating func edit(_ index: Int, saves: Int, perSave: Int = 3) throws {
      let file = files[index]
      for _ in 0..<saves {
        var maker = try EditMaker(seed: random.next(), name: ["Ada", nil][random.below(2)])
        var random = random
        try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
          do {
            if random.oneIn(4) { try transaction.keep(CheckedPicture.sample(random.below(8))) }
            for _ in 0...random.below(perSave) {
              switch random.below(10) {
              case 0:
                if let plan = try UndoPlan.undo(in: transaction) {
                  _ = try transaction.perform(plan, stamp: maker.stamp())
                }
              case 1:
                if let plan = try UndoPlan.redo(in: transaction) {
                  _ = try transaction.perform(plan, stamp: maker.stamp())
                }
              case 2:
                let stored = try transaction.storedPictures().map(\.digest)
                let background = try stored.randomElement(using: &random).map {
                  try Background(
                    digest: $0, mediaType: "image/png", size: .standard, url: "https://example.org/\($0)")
                }
                _ = try transaction.perform(
                  Edit(name: "background", changes: [.setBackground(background)]), stamp: maker.stamp())
              default: _ = try transaction.perform(maker.edit(on: transaction), stamp: maker.stamp())
              }
            }
            let last = maker.stamp().id
            if random.oneIn(8) { try transaction.setSaved(last.origin, upTo: last.sequence) }
            if random.oneIn(8) {
              let named = random.oneIn(2)
              try transaction.insertPlain(
                .version,
                [
                  .text(last.description), named ? .text("v") : .null, .integer(transaction.revision), .null,
                  .null,
                  .integer(1), named ? .text(#"{"background":null}"#) : .null,
                ])
            }
          } catch {
            throw error as? ArtError ?? ArtError(.inputOutput, "\(error)")
          }
        }
        self.random = random
        _ = self.random.next()
      }
    }

    /// A merge of two files, in a new file.
    mutating func merge(_ one: DocumentFile, _ other: DocumentFile) throws -> DocumentFile {
      let merged = try copy(one)
      let outcome = try merged.merge([other])
      #expect(outcome.hasChanged == (try bytes(merged.path) != bytes(one.path)))
      return merged
    }
  }

  private static func isEqual(_ one: DocumentFile, _ other: DocumentFile) throws -> Bool {
    try bytes(one.path) == bytes(other.path)
  }

  @Test(
    "F30 whoever merges whatever files in whatever order gets the same bytes, and they are a valid document")
  func laws() throws {
    let campaign = Campaign("merge-files", smoke: 24)
    var (triples, broken) = (0, 0)
    for number in campaign.cases {
      // Most logs are full.
      var copies = try Copies(seed: number, count: 3, edits: [1_200, 1_200, 25, 0][Int(number % 4)])
      func check(_ one: DocumentFile, _ other: DocumentFile, _ law: Comment) throws {
        let holds = try Self.isEqual(one, other)
        broken += holds ? 0 : 1
        #expect(holds, "case \(number): \(law)")
      }
      for index in 0..<3 { try copies.edit(index, saves: copies.random.below(8)) }
      let (x, y, z) = (copies.files[0], copies.files[1], copies.files[2])
      let (xy, yx, yz) = (try copies.merge(x, y), try copies.merge(y, x), try copies.merge(y, z))
      try check(xy, yx, "not commutative")
      let (left, right) = (try copies.merge(xy, z), try copies.merge(x, yz))
      try check(left, right, "not associative")
      let atOnce = try copies.copy(x)
      _ = try atOnce.merge([y, z])
      try check(atOnce, left, "not the same at once")
      for one in [x, y, z, xy, yz, left] { try check(try copies.merge(left, one), left, "not absorbing") }
      try check(try copies.merge(x, left), left, "not absorbed")
      #expect(try left.check().faults == [])
      triples += 1
    }
    print("F30 merging files: \(triples) triples, \(broken) laws broken")
    campaign.report(tried: triples)
  }
}

extension CheckedPicture {
  /// A picture of a few bytes that no decoder has seen.
  fileprivate static func sample(_ number: Int) -> CheckedPicture {
    CheckedPicture(
      bytes: Array("picture \(number)".utf8) + Array(repeating: UInt8(number), count: number * 700),
      mediaType: "image/png", size: .standard, isAnimated: false)
  }
}
