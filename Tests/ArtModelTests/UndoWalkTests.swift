// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtModel

@Suite("Undo walks")
struct UndoWalkTests {
  @Test("M18 undoing all edits gives the first document, and redoing all of them the last one")
  func thereAndBack() throws {
    var random = RandomEdits(seed: 41)
    var edits = 0
    for _ in 0..<150 {
      var art = try random.document()
      var author = try author(1)
      var pictures = [Picture(art)]
      for _ in 0..<25 where try art.perform(random.edit(), by: &author) != nil {
        pictures.append(Picture(art))
      }
      for picture in pictures.dropLast().reversed() {
        #expect(try art.undo(by: &author) != nil)
        #expect(Picture(art) == picture)
      }
      #expect(try art.undo(by: &author) == nil)
      for picture in pictures.dropFirst() {
        #expect(try art.redo(by: &author) != nil)
        #expect(Picture(art) == picture)
      }
      #expect(try art.redo(by: &author) == nil)
      edits += pictures.count - 1
    }
    print("there and back: \(edits) edits")
    #expect(edits > 2_000)
  }

  @Test("M18 random edits, undos and redos walk along the list of the documents that there were")
  func walks() throws {
    var random = RandomEdits(seed: 42)
    var steps = 0
    for _ in 0..<150 {
      var art = try random.document()
      var author = try author(1)
      var pictures = [Picture(art)]
      var place = 0
      for _ in 0..<60 {
        switch random.int(0...4) {
        case 0, 1:
          let plan = try art.undo(by: &author)
          #expect((plan != nil) == (place > 0) && plan?.skipped.isEmpty != false)
          place = max(0, place - 1)
        case 2, 3:
          let plan = try art.redo(by: &author)
          #expect((plan != nil) == (place + 1 < pictures.count) && plan?.skipped.isEmpty != false)
          place = min(place + 1, pictures.count - 1)
        default:
          guard try art.perform(random.edit(), by: &author) != nil else { continue }
          pictures.removeSubrange((place + 1)...)
          pictures.append(Picture(art))
          place += 1
        }
        #expect(Picture(art) == pictures[place])
        art.checkInvariants()
        steps += 1
      }
    }
    print("walks: \(steps) steps along a list of documents")
    #expect(steps > 8_000)
  }

  @Test(
    "M19 M20 after undos and redos of two programs and a command line each field has the value of its last standing edit"
  )
  func threeAuthors() throws {
    var random = RandomEdits(seed: 43)
    var counts = WalkCounts()
    for _ in 0..<800 {
      var walk = try TwoPrograms()
      for _ in 0..<40 { try walk.step(&random, &counts) }
    }
    print("two programs: \(counts)")
    #expect(counts.edits > 8_000 && counts.undos > 8_000 && counts.redos > 1_000)
    #expect(counts.skipped > 2_000 && counts.restored > 8_000)
  }

  @Test("M19 after random edits, undos and redos of two programs the document is valid")
  func anything() throws {
    var random = RandomEdits(seed: 44)
    var steps = 0
    for _ in 0..<150 {
      var art = try random.document()
      var authors = [try author(1), try author(2)]
      for _ in 0..<60 {
        let program = random.int(0...1)
        let own = random.int(0...2) > 0
        switch random.int(0...3) {
        case 0: try art.undo(own: own, by: &authors[program])
        case 1: try art.redo(own: own, by: &authors[program])
        default: try art.perform(random.edit(), by: &authors[program])
        }
        art.checkInvariants()
        steps += 1
      }
      while try art.undo(by: &authors[0]) != nil { art.checkInvariants() }
    }
    print("anything: \(steps) steps of two programs")
    #expect(steps == 9_000)
  }
}
