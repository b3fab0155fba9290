// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("The rows of the table origin") struct OriginRowTests {
  @Test("K9 a document records how far each journal is saved, and its digest follows")
  func rows() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 3, edits: 1, seed: 1)
    var random = SplitMix64(seed: 5)
    let (one, two) = (Origin(using: &random), Origin(using: &random))
    let before = try file.read()
    try file.edit { (transaction) throws(ArtError) in
      try transaction.setSaved(one, upTo: 3)
      try transaction.setSaved(two, upTo: 9)
      try transaction.setSaved(one, upTo: 12)
    }
    let saved = try file.read { (transaction) throws(ArtError) in
      [try transaction.savedSequence(of: one), try transaction.savedSequence(of: two)]
    }
    #expect(saved == [12, 9])
    #expect(try file.read() == before, "the document is whole and otherwise unchanged")
    try file.forget(one)
    let left = try file.read { (transaction) throws(ArtError) in
      [try transaction.savedSequence(of: one), try transaction.savedSequence(of: two)]
    }
    #expect(left == [nil, 9])
    #expect(try file.read() == before)
    #expect(try shell(file.path, "SELECT count(*) FROM origin") == "1\n")
  }

  @Test("K9 forgetting an unknown origin writes nothing")
  func forgetNothing() throws {
    let folder = try Workspace()
    let file = try folder.document()
    var random = SplitMix64(seed: 5)
    let print = try fingerprint(file.path)
    try file.forget(Origin(using: &random))
    #expect(try fingerprint(file.path) == print)
  }

  @Test("K9 a row that does not match its sum is refused")
  func damagedRow() throws {
    let folder = try Workspace()
    let file = try folder.document()
    var random = SplitMix64(seed: 5)
    let origin = Origin(using: &random)
    try file.edit { (transaction) throws(ArtError) in try transaction.setSaved(origin, upTo: 3) }
    try shell(file.path, "UPDATE origin SET sequence = 2")
    let error = failure {
      try file.read { (transaction) throws(ArtError) in try transaction.savedSequence(of: origin) }
    }
    #expect(error?.code == .damaged)
    #expect(failure { try file.forget(origin) }?.code == .damaged)
  }
}
