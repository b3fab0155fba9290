// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("Pictures in a document") struct PictureTests {
  private let folder: Workspace
  private var maker: EditMaker

  init() throws {
    folder = try Workspace()
    maker = try EditMaker(seed: 8)
  }

  /// The numbers of the stored pictures, the newest first.
  private func storedNumbers(_ file: DocumentFile, of numbers: ClosedRange<Int>, bytes: Int = 100) throws
    -> [Int]
  {
    let digests = try Dictionary(
      uniqueKeysWithValues: numbers.map { (try picture($0, bytes: bytes).digest, $0) })
    return try file.pictures().compactMap { digests[$0.digest] }
  }

  @Test("B17 a picture's bytes are stored once, with the edit that sets it, and are read back unchanged")
  mutating func set() throws {
    let file = try folder.document()
    #expect(try file.background() == nil)
    let one = try picture(1, bytes: 10_000)
    let entry = try file.set(one, from: url(1), maker.stamp())
    let found = try #require(try file.background())
    #expect(found.bytes == one.bytes)
    #expect(try found.background == Background(one, from: url(1)))
    #expect(try file.read().canvas == one.size && entry?.revision == 1)
    // The same bytes from another URL are the same row.
    try file.set(one, from: url(2), maker.stamp())
    #expect(try file.background()?.background.url == url(2))
    #expect(try file.pictures().count == 1)
    #expect(try file.set(one, from: url(2), maker.stamp()) == nil)
    #expect(try file.read().revision == 2)
    try file.checkPictures()
    #expect(try file.check().faults == [])
    #expect(
      try shell(file.path, "SELECT count(*), max(length(bytes)) FROM image") == "1|10000\n")
  }

  @Test("B17 a background keeps its picture and drops a URL that is too long")
  mutating func longURL() throws {
    let file = try folder.document()
    let long = "data:image/png;base64," + String(repeating: "A", count: Limits.urlBytes)
    try file.set(picture(1), from: long, maker.stamp())
    #expect(try file.background()?.background.url == nil)
    #expect(try file.background()?.bytes == picture(1).bytes)
  }

  @Test("B17 a new document is created with its background, or not at all")
  func create() throws {
    var random = SplitMix64(seed: 4)
    let one = try picture(1, bytes: 3 << 20)
    for (name, canvas) in [("own", nil), ("given", try Canvas(width: 7, height: 8))] as [(String, Canvas?)] {
      let file = DocumentFile(folder["\(name).emojiart"])
      _ = try file.create(canvas: canvas, background: (one, url(1)), using: &random)
      let content = try file.read()
      #expect(content.canvas == canvas ?? one.size && content.revision == 0 && content.head == nil)
      #expect(try file.background()?.bytes == one.bytes && content.background?.url == url(1))
      #expect(try file.check().faults == [])
      try file.checkPictures()
      #expect(failure { try file.create(background: (one, nil), using: &random) }?.code == .exists)
    }
    let nowhere = DocumentFile(folder["none/bees.emojiart"])
    #expect(failure { try nowhere.create(background: (one, nil), using: &random) }?.code == .noSuchDocument)
    let bad = CheckedPicture(bytes: [1], mediaType: "text/html", size: .standard, isAnimated: false)
    let other = DocumentFile(folder["bad.emojiart"])
    #expect(failure { try other.create(background: (bad, nil), using: &random) }?.code == .badValue)
    #expect(try folder.names == ["given.emojiart", "own.emojiart"])
  }

  @Test(
    "B20 the bytes of the last four backgrounds are stored, including the present one"
  )
  mutating func lastFour() throws {
    let file = try folder.document()
    for number in 1...6 { try file.set(picture(number), from: url(number), maker.stamp()) }
    #expect(try storedNumbers(file, of: 1...6) == [6, 5, 4, 3])
    try file.perform(.clear, maker.stamp())
    #expect(try storedNumbers(file, of: 1...6) == [6, 5, 4, 3])
    try file.checkPictures()
    // After three undos the background is the oldest stored one, and the next picture displaces another one.
    for _ in 0..<3 { try file.step(.undo, maker.stamp()) }
    #expect(try file.background()?.bytes == picture(4).bytes)
    try file.set(picture(7), from: url(7), maker.stamp())
    #expect(try storedNumbers(file, of: 1...7) == [7, 6, 5, 4])
    try file.set(picture(8), from: url(8), maker.stamp())
    #expect(try storedNumbers(file, of: 1...8) == [8, 7, 5, 4])
    try file.step(.undo, maker.stamp())
    try file.step(.undo, maker.stamp())
    #expect(try file.background()?.bytes == picture(4).bytes)
    // A picture that is set again is the newest again.
    for number in [5, 9, 10] { try file.set(picture(number), from: nil, maker.stamp()) }
    #expect(try Set(storedNumbers(file, of: 1...10)) == [10, 9, 5, 4])
    try file.checkPictures()
  }

  @Test("B20 older pictures are stored while all together have at most 64 MiB, and the present one always is")
  mutating func capacity() throws {
    let file = try folder.document()
    let large = 20 << 20
    for number in 1...3 { try file.set(picture(number, bytes: large), from: nil, maker.stamp()) }
    #expect(try file.pictures().count == 3)
    try file.set(picture(4, bytes: large), from: nil, maker.stamp())
    #expect(try storedNumbers(file, of: 1...4, bytes: large) == [4, 3, 2])
    try file.checkPictures()
    // There is still capacity for a small picture.
    try file.set(picture(5, bytes: 4 << 20), from: nil, maker.stamp())
    #expect(try file.pictures().count == 4)
    try file.checkPictures()
    // Removed pictures leave their pages to new ones: the file does not grow.
    let size = try file.summary().size
    for number in 6...8 { try file.set(picture(number, bytes: large), from: nil, maker.stamp()) }
    #expect(try file.summary().size <= size + (20 << 20))
    try file.checkPictures()
    #expect(try file.check().faults == [])
  }

  @Test("B20 a picture that would make the document larger than 256 MiB is refused, and nothing is changed")
  mutating func full() throws {
    let file = try folder.document()
    let filling = [UInt8](repeating: 5, count: 62 << 20)
    // Rows in the quarantine are not pictures, and stay.
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      do {
        let text = String(decoding: filling.map { _ in UInt8(ascii: "x") }, as: UTF8.self)
        for number in 1...4 {
          try transaction.insertPlain(
            .aside, [.integer(number), .text("emoji"), .text(text), .text("full"), .integer(0)])
        }
      } catch {
        throw error as? ArtError ?? .busy("aside")
      }
    }
    let before = try fingerprint(file.path).prefix(4)
    let stamp = maker.stamp()
    #expect(failure { try file.set(picture(1, bytes: 20 << 20), from: nil, stamp) }?.code == .tooLarge)
    #expect(try file.read().background == nil)
    #expect(try file.pictures() == [])
    #expect(try fingerprint(file.path).prefix(2) == before.prefix(2))
    try file.set(picture(1), from: nil, stamp)
    try file.checkPictures()
  }

  @Test("W7 a picture that is stored before its edit does not change the document for others")
  mutating func storedBeforeEdit() throws {
    let file = try folder.document()
    try file.set(picture(1), from: url(1), maker.stamp())
    let before = try file.read()
    let digests = try file.keep(picture(2), in: before.id)
    #expect(try digests == [picture(1).digest, picture(2).digest])
    let after = try file.read()
    #expect(after == before && after.pictures == digests)
    #expect(try file.base() == DocumentBase(before) && file.quickBase() == DocumentBase(before))
    #expect(try file.check().faults == [])
    // A picture that is stored already is made durable again, and nothing else changes.
    let changes = try bytes(file.path)[24..<28]
    #expect(try file.keep(picture(2), in: before.id) == digests)
    #expect(try bytes(file.path)[24..<28] != changes && file.base() == DocumentBase(before))
    let other = try folder.document("other.emojiart", seed: 9)
    let id = try other.read().id
    #expect(failure { try file.keep(try picture(3), in: id) }?.code == .replaced)
    // Others' pictures do not displace the one of a later edit.
    for number in 3...4 { _ = try file.keep(picture(number), in: before.id) }
    try file.set(picture(5), from: nil, maker.stamp())
    #expect(try storedNumbers(file, of: 1...5) == [5, 4, 3, 1])
    try file.checkPictures()
  }

  @Test("B17 check reports a background without bytes, and a repair makes its URL pending")
  mutating func missing() throws {
    let file = try folder.document()
    try file.set(picture(1), from: url(1), maker.stamp())
    let one = try background(1, url: url(1))
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      let digest = transaction.background?.digest ?? ""
      transaction.setBackground(nil)
      // No edit leaves this state.
      for picture in try transaction.storedPictures() where picture.digest == digest {
        try transaction.remove(picture)
      }
      transaction.setBackground(one)
    }
    #expect(try file.background() == nil)
    #expect(try file.check().faults == ["the picture of the background is not in it"])
    let report = try #require(try file.repair(.repair, stamp: maker.stamp()))
    #expect(report.lost.count == 1 && report.lost[0].contains("fetched again"), "\(report.lost)")
    let content = try file.read()
    #expect(content.background == nil && content.pending?.url == url(1) && content.pending?.reason == "undo")
    #expect(try file.check().faults == [])
  }

  @Test("B17 a damaged picture is never shown, and a repair moves its row to the quarantine")
  mutating func damaged() throws {
    let file = try folder.document()
    let size = 2 << 20
    try file.set(picture(1, bytes: size), from: url(1), maker.stamp())
    try file.set(picture(2, bytes: size), from: nil, maker.stamp())
    let whole = try bytes(file.path)
    var random = SplitMix64(seed: 3)
    var (present, older) = (0, 0)
    for _ in 0..<12 {
      try write(whole, to: file.path)
      let isPresent = random.below(2) == 0
      let damaged = try picture(isPresent ? 2 : 1, bytes: size).digest
      let place = 1 + random.below(size)
      try shell(
        file.path,
        "UPDATE image SET bytes = CAST(substr(bytes, 1, \(place - 1)) || x'00ff00' || substr(bytes, \(place + 3)) AS BLOB) "
          + "WHERE digest = '\(damaged)'")
      #expect(failure { try file.read() }?.code == .damaged)
      #expect(try !file.check().faults.isEmpty)
      // Storing the same picture again does not accept the damaged row.
      let again = try picture(isPresent ? 2 : 1, bytes: size)
      let id = try file.base().id
      #expect(failure { try file.keep(again, in: id) }?.code == .damaged)
      if isPresent {
        #expect(failure { try file.background() }?.code == .damaged)
      } else {
        #expect(try file.background()?.bytes == picture(2, bytes: size).bytes)
      }
      let report = try #require(try file.repair(.repair, stamp: maker.stamp()))
      #expect(report.quarantined.count == 1)
      #expect(
        try file.check().faults == []
          && file.read().background == (isPresent ? nil : background(2, bytes: size, url: nil)))
      try file.checkPictures()
      if isPresent { present += 1 } else { older += 1 }
      // An undo to the removed picture.
      guard !isPresent else { continue }
      let lost = try #require(try file.step(.undo, maker.stamp())).lost
      #expect(try lost == [background(1, bytes: size, url: url(1))])
      #expect(try file.read().pending?.url == url(1))
    }
    #expect(present > 2 && older > 2)
  }

  @Test("B19 an undo to a background whose bytes are no longer stored makes its URL pending and reports it")
  mutating func undoBeyond() throws {
    let file = try folder.document()
    for number in 1...6 {
      try file.set(picture(number), from: number == 2 ? nil : url(number), maker.stamp())
    }
    for number in [5, 4, 3] {
      #expect(try file.step(.undo, maker.stamp())?.lost == [])
      #expect(try file.background()?.bytes == picture(number).bytes)
    }
    // The second had no URL, the first had one.
    #expect(try file.step(.undo, maker.stamp())?.lost == [background(2, url: nil)])
    #expect(try file.read().background == nil && file.read().pending == nil)
    #expect(try file.read().canvas == picture(2).size)
    let done = try #require(try file.step(.undo, maker.stamp()))
    #expect(try done.lost == [background(1, url: url(1))] && done.left == 0)
    #expect(try file.read().pending?.url == url(1) && file.read().canvas == picture(1).size)
    #expect(try file.step(.undo, maker.stamp())?.lost == [])
    #expect(try file.read().pending == nil && file.read().canvas == .standard)
    // Redo all the way forward.
    #expect(try file.step(.redo, maker.stamp())?.lost == [])
    #expect(try file.read().pending?.url == url(1))
    #expect(try file.step(.redo, maker.stamp())?.lost == [])
    #expect(try file.read().pending == nil && file.read().background == nil)
    for number in 3...6 {
      #expect(try file.step(.redo, maker.stamp())?.lost == [])
      #expect(try file.background()?.bytes == picture(number).bytes)
      try file.checkPictures()
    }
    #expect(try file.step(.redo, maker.stamp()) == nil)
  }
}
