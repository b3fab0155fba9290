// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// Random bytes for all readers of bytes. A reader passes if it does not trap and accepts no wrong value.
@Suite struct FuzzTests {
  @Test("F7 no bytes on page 2 trap, and only the row that matches its sum is accepted")
  func leafPage() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 3, edits: 8, seed: 5)
    let page = Array(try bytes(file.path)[4096..<8192])
    let truth = try #require(LeafPage(page).flatMap { ArtRow(onlyRowOf: $0) })
    let start = Int(page[8]) << 8 | Int(page[9])
    let campaign = Campaign("fuzz-page", smoke: 4_000)
    var (parsed, believed) = (0, 0)
    for number in campaign.cases {
      var random = campaign.random(number)
      var broken = page
      for _ in 0...random.below(4) {
        // Only the header and the row are read; the rest is almost never used.
        let place = random.below(3) == 0 ? random.below(12) : start + random.below(page.count - start)
        broken[place] = random.below(2) == 0 ? broken[place] ^ 1 << random.below(8) : UInt8(random.below(256))
      }
      if random.below(20) == 0 { broken.removeLast(random.below(broken.count)) }
      guard let leaf = LeafPage(broken) else { continue }
      parsed += 1
      guard let row = ArtRow(onlyRowOf: leaf) else { continue }
      believed += 1
      #expect(row == truth)
    }
    print("F7 page 2: \(campaign.count) mutations, \(parsed) parsed, \(believed) believed, none wrong")
    campaign.report(tried: campaign.count)
    #expect(parsed > campaign.count / 100 && believed < parsed)
  }

  @Test("F7 a file that another program makes larger than 2 GiB while it is read is refused")
  func growing() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.read { (transaction: DocumentTransaction) throws(ArtError) in
      let connection = transaction.connection
      #expect(truncate(file.path, off_t(3) << 30) == 0)
      #expect(failure { try connection.bytes(count: connection.size, at: 0) }?.code == .tooLarge)
    }
  }

  @Test("F7 no columns of a row trap, whatever their content")
  func rows() throws {
    let connection = try Connection(inMemory: "fuzz")
    let edit: [[UInt8]?] = [
      nil, Array("k3m9abcd0f2z".utf8), nil, nil, nil, Array("undo".utf8), Array("k3m9abcd0f2z:17".utf8),
      Array("move 🐝".utf8), Array("Ada".utf8), Array("5e5510n00001".utf8), Array(#"["drag-17","b"]"#.utf8),
      Array(#"[["add","k3m9abcd","🐝",1.5,-2e3,40,1048576],["move","k3m9abcd",0,0],["pending",null]]"#.utf8),
      Array(#"[["background",{"digest":"00","height":1,"mediaType":"image/png","url":"x","width":2}]]"#.utf8),
      Array(#"[["text","k3m9abcd","\ud83d\udc1d"],["order","k3m9abcd",-5],["canvas",3,4]]"#.utf8), nil,
    ]
    let campaign = Campaign("fuzz-rows", smoke: 2_000)
    var (understood, refused) = (0, 0)
    let places = (1...edit.count).map { edit[$0 - 1] == nil ? "?\($0)" : "CAST(?\($0) AS TEXT)" }
    let select = try Statement("SELECT \(places.joined(separator: ","))", on: connection)
    for number in campaign.cases {
      var random = campaign.random(number)
      var values: [Statement.Value] = edit.map { column in
        guard var column else { return .integer(1 + random.below(9)) }
        if random.below(4) == 0, !column.isEmpty { Self.mutate(&column, &random) }
        return .blob(column)
      }
      if random.below(3) == 0 {
        let extremes: [Statement.Value] = [.integer(.max), .integer(.min), .integer(0), .null, .blob([])]
        values[random.below(values.count)] = extremes[random.below(extremes.count)]
      }
      // In half of the cases the lists can be read.
      if number.isMultiple(of: 2) { values[12] = .blob(Array("[]".utf8)) }
      try select.bind(values)
      _ = try select.step()
      do {
        _ = try EditRow(unverified: select, of: "fuzz")
        understood += 1
      } catch { refused += 1 }
      _ = try? EditRow.verifiedSum(select, of: "fuzz")
      for table in PlainTable.allCases { _ = try? table.checkMeaning(select, of: "fuzz") }
      _ = try? ArtRow(ArtRow.stored(select))
      select.reset()
    }
    print("F7 rows: \(campaign.count) mutations, \(understood) understood, \(refused) refused")
    campaign.report(tried: understood + refused)
    #expect(understood > 0 && refused > 0 && understood + refused == campaign.count)
  }

  private static func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    for _ in 0...random.below(3) where !bytes.isEmpty {
      let place = random.below(bytes.count)
      switch random.below(4) {
      case 0: bytes[place] ^= 1 << random.below(8)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(contentsOf: bytes[place...].prefix(9), at: place)
      default: bytes[place] = Array(#"[]{},:"\-e.0189"#.utf8)[random.below(15)]
      }
    }
  }

  @Test("F7 hostile numbers with matching sums do not trap")
  func hostileCounts() throws {
    let folder = try Workspace()
    let cases: [(inout ArtRow) -> Void] = [
      { $0.logBytes = Format.largestNumber }, { $0.emojiCount = Limits.emojiCount }, { $0.logBytes = 0 },
      { $0.emojiCount = 0 }, { $0.revision = Format.largestNumber }, { $0.digest = Digest(.max) },
    ]
    for (index, change) in cases.enumerated() {
      let file = try folder.document("hostile\(index).emojiart", seed: UInt64(index))
      try file.fill(emojis: 3, edits: 2, seed: 1)
      let id = try #require(file.read().bottom()?.id)
      try file.edit { (transaction: DocumentTransaction) throws(ArtError) in change(&transaction.art) }
      #expect(failure { try file.read() } != nil)
      _ = failure { try file.add(seed: 5) }
      var maker = try EditMaker(seed: 6)
      let stamp = maker.stamp()
      _ = failure {
        try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
          _ = try transaction.perform(Edit(name: "x", changes: [.remove(id)]), stamp: stamp)
        }
      }
      _ = failure { try file.repair(.repair, stamp: stamp) }
    }
  }
}
