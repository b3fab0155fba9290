// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Testing

@testable import ArtDocument

@Suite("The life of a document") struct DocumentLifeTests {
  private let failure = ArtError(.diskFull, "no room")

  @Test("D1 a save goes from open to saving and back, and each change of state is returned once")
  func save() {
    var life = DocumentLife()
    #expect(life.state == .closed)
    #expect(life.opened(readOnlyBecause: nil) == .open)
    #expect(life.saveBegan() == .saving)
    #expect(life.saveSucceeded() == .open)
    #expect(life.closed() == .closed)
    #expect(life.closed() == nil)
  }

  @Test("D7 an error that lasts is reported once, and the first success goes back to open")
  func error() {
    var life = DocumentLife()
    _ = life.opened(readOnlyBecause: nil)
    _ = life.saveBegan()
    #expect(life.saveFailed(failure) == .error(failure))
    #expect(life.saveBegan() == nil)
    #expect(life.saveFailed(failure) == nil)
    _ = life.saveBegan()
    #expect(life.saveFailed(ArtError(.busy, "in use")) == .error(ArtError(.busy, "in use")))
    _ = life.saveBegan()
    #expect(life.saveSucceeded() == .open)
  }

  @Test("D8 a document that can only be read opens with editing disabled and the reason")
  func readOnly() {
    var life = DocumentLife()
    #expect(
      life.opened(readOnlyBecause: "the file is read-only") == .editingDisabled("the file is read-only"))
  }
}
