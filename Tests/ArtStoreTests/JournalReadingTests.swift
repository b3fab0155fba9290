// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("Reading a journal") struct JournalReadingTests {
  /// An orphaned journal of three segments.
  private func sample(edits: Int = 12, seed: UInt64 = 1) throws -> JournalSample {
    let sample = try JournalSample(seed: seed)
    let journal = try sample.journal()
    for _ in 0..<3 {
      try journal.append(try sample.edits(edits / 3), on: sample.base)
      _ = journal.cut()
    }
    journal.abandon()
    return sample
  }

  private func contents(_ sample: JournalSample) throws -> JournalContents {
    try sample.lockedOrphan().contents()
  }

  @Test(
    "K5 a journal that is cut anywhere in its last segment gives the edits of its whole batches, and no damage"
  )
  func cutShort() throws {
    let sample = try JournalSample()
    let journal = try sample.journal()
    for count in [4, 1, 3, 1, 2] {
      try journal.append(try sample.edits(count), on: sample.base)
      if journal.bytes > 0, sample.made.count <= 5 { _ = journal.cut() }
    }
    journal.abandon()
    // The head, and batches of 3, 1 and 2 lines.
    let wholeEdits = [0, 0, 0, 0, 3, 4, 4, 6]
    let last = try bytes(sample.segment(3))
    let lines = last.indices.filter { last[$0] == UInt8(ascii: "\n") }
    for length in 0..<last.count {
      var contents = JournalContents(of: sample.id)
      for number in 1...2 {
        try bytes(sample.segment(number)).withUnsafeBufferPointer { contents.read($0, as: number) }
      }
      last[..<length].withUnsafeBufferPointer { contents.read($0, as: 3) }
      let whole = wholeEdits[lines.count { $0 < length }]
      try #require(contents.damage == nil)
      try #require(contents.entries == Array(sample.made.prefix(5 + whole)))
    }
    try write(Array(last.dropLast()), to: sample.segment(3))
    #expect(try contents(sample).entries == Array(sample.made.dropLast(2)))
  }

  @Test("K5 a segment with an unfinished last line may be followed by a segment that continues it")
  func tornBetween() throws {
    let sample = try sample()
    try write(try bytes(sample.segment(1)) + Array("0123456789abcdef {\"cha".utf8), to: sample.segment(1))
    #expect(try contents(sample).entries == sample.made)
    #expect(try contents(sample).damage == nil)
    try write([], to: sample.folder.path(of: JournalFormat.segment(4, of: sample.id)))
    #expect(try contents(sample).entries == sample.made)
  }

  @Test("K5 a missing segment is damage, and the edits before it can be read")
  func gap() throws {
    let sample = try sample()
    try FileManager.default.removeItem(atPath: sample.segment(2))
    let contents = try contents(sample)
    #expect(contents.entries == Array(sample.made.prefix(4)))
    let damage = try #require(contents.damage)
    #expect(damage.contains("000003.journal") && damage.contains("missing"), "\(damage)")
  }

  @Test("K5 a journal without its oldest segments, which a save removed, is not damaged")
  func oldestGone() throws {
    let sample = try sample()
    try FileManager.default.removeItem(atPath: sample.segment(1))
    let contents = try contents(sample)
    #expect(contents.damage == nil)
    #expect(contents.entries.map(\.id) == sample.made.dropFirst(4).map(\.id))
  }

  @Test("K5 a line that does not match its sum is damage, and the edits before it can be read")
  func badLine() throws {
    for number in 1...3 {
      let sample = try sample()
      var segment = try bytes(sample.segment(number))
      let ends = segment.indices.filter { segment[$0] == UInt8(ascii: "\n") }
      for line in 0..<5 {
        var bad = segment
        bad[ends[line] - 3] ^= 1
        try write(bad, to: sample.segment(number))
        let contents = try contents(sample)
        let damage = try #require(contents.damage)
        #expect(damage.contains("line \(line + 1) of ") && damage.contains("00000\(number)"), "\(damage)")
        #expect(contents.entries == Array(sample.made.prefix((number - 1) * 4 + max(0, line - 1))))
      }
      segment.append(contentsOf: Array("what is this\n".utf8))
      try write(segment, to: sample.segment(number))
      #expect(try contents(sample).damage != nil)
    }
  }

  @Test("K5 a head of another segment, origin, document or format is damage")
  func wrongHead() throws {
    let sample = try sample()
    let other = try self.sample(seed: 9)
    let good = try bytes(sample.segment(2))
    func fault(_ bytes: [UInt8]) throws -> String? {
      try write(bytes, to: sample.segment(2))
      return try contents(sample).damage
    }
    #expect(try fault(good) == nil)
    #expect(try fault(bytes(sample.segment(1)))?.contains("another segment") == true)
    #expect(try fault(bytes(other.segment(2)))?.contains("another segment") == true)
    let edits = good.split(separator: UInt8(ascii: "\n")).dropFirst().flatMap { $0 + [UInt8(ascii: "\n")] }
    #expect(try fault(edits) != nil, "a segment without a head is damage")
    let head = try #require(try contents(sample).head)
    func line(_ change: (JSON) -> JSON) throws -> [UInt8] {
      var json = JSONWriter()
      head.write(segment: 2, to: &json)
      return try Self.line(Self.edited(json.bytes, change)) + edits
    }
    #expect(try fault(line { $0 }) == nil)
    for (key, value) in [
      ("format", JSON.integer(2)), ("document", .string("000000000000")), ("path", .string("/elsewhere")),
      ("path", .string("relative")), ("inode", .integer(1)), ("device", .integer(-1)),
      ("origin", .string("x")),
      ("segment", .integer(0)), ("author", .string("")), ("author", .string("a\u{1B}b")),
      ("author", .integer(1)),
      ("base", .null), ("base", .object(["head": .null])),
      ("base", .object(["head": .null, "revision": .integer(-1)])),
      ("base", .object(["head": .string("x"), "revision": .integer(1)])), ("started", .number(0.5)),
      ("started", .integer(4)), ("process", .string("1")), ("new", .null), ("machine", .string("x")),
      ("machine", .string(String(repeating: "A", count: 32))), ("machine", .integer(1)), ("boot", .null),
      ("boot", .string(String(repeating: "0", count: 32))), ("namespace", .string("4")),
      ("namespace", .number(0.5)),
      ("processStart", .integer(1)), ("processStart", .null),
    ] {
      #expect(
        try fault(
          line { json in
            guard case .object(var members) = json else { return json }
            members[key] = value
            return .object(members)
          }) != nil, "\(key) \(value)")
    }
    for key in [
      "author", "base", "boot", "device", "document", "format", "inode", "machine", "namespace", "origin",
      "path",
      "process", "processStart",
    ] {
      #expect(
        try fault(
          line { json in
            guard case .object(var members) = json else { return json }
            members[key] = nil
            return .object(members)
          }) != nil, "without \(key)")
    }
  }

  @Test("K5 an edit's line that matches its sum but is invalid is damage")
  func wrongEdits() throws {
    let sample = try sample(edits: 3)
    let good = try bytes(sample.segment(3))
    let lines = good.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    let json = Array(lines[1].dropFirst(17))
    func fault(_ change: ([String: JSON]) -> [String: JSON]) throws -> String? {
      let edited = try Self.edited(json) { json in
        guard case .object(let members) = json else { return json }
        return .object(change(members))
      }
      try write(lines[0] + [UInt8(ascii: "\n")] + Self.line(edited), to: sample.segment(3))
      return try contents(sample).damage
    }
    #expect(try fault { $0 } == nil)
    #expect(
      try fault { $0.merging(["kind": .string("undo"), "of": .string("k3m9abcd0f2z:17")]) { $1 } } == nil)
    for (key, value) in [
      ("changes", JSON.null), ("changes", .array([.array([.string("fly")])])), ("kind", .string("undo")),
      ("kind", .string("")), ("of", .string("k3m9abcd0f2z:17")), ("of", .string("x")), ("name", .null),
      ("sequence", .integer(0)), ("sequence", .integer(-1)), ("sequence", .integer(.max)),
      ("sequence", .integer(4)),
      ("sequence", .integer(2)), ("time", .string("")), ("inverse", .object([:])), ("dropped", .null),
      ("x", .null),
    ] { #expect(try fault { $0.merging([key: value]) { $1 } } != nil, "\(key) \(value)") }
    for key in ["changes", "dropped", "inverse", "kind", "name", "sequence", "time"] {
      #expect(
        try fault {
          var members = $0
          members[key] = nil
          return members
        } != nil, "without \(key)")
    }
  }

  @Test("K5 a segment that is not a regular file, or is too large, is damage, and no reader waits for it")
  func strangeFiles() throws {
    let sample = try sample()
    let path = sample.segment(3)
    let elsewhere = sample.space["elsewhere"]
    try write(try bytes(path), to: elsewhere)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
    #expect(try contents(sample).damage?.contains("symbolic link") == true)
    try FileManager.default.removeItem(atPath: path)
    try #require(mkfifo(path, 0o600) == 0)
    #expect(try contents(sample).damage?.contains("no regular file") == true)
    #expect(try contents(sample).entries == Array(sample.made.prefix(8)))
    try FileManager.default.removeItem(atPath: path)
    try write([], to: path)
    try #require(truncate(path, off_t(JournalFormat.largest)) == 0)
    #expect(try contents(sample).damage?.contains("larger") == true)
  }

  @Test("K5 no journal traps its reader, and no reader gives an edit that was not written")
  func fuzz() throws {
    let sample = try sample(edits: 9)
    let segments = try (1...3).map { try bytes(sample.segment($0)) }
    let written = Dictionary(uniqueKeysWithValues: sample.made.map { ($0.id, $0) })
    let campaign = Campaign("fuzz-journals", smoke: 1_000)
    let count = campaign.count
    var (whole, damaged, shortened, edits) = (0, 0, 0, 0)
    for number in campaign.cases {
      var random = campaign.random(number)
      var changed = segments
      if number > campaign.seed {
        for _ in 0...random.below(2) {
          let index = random.below(3)
          if random.below(20) == 0 {
            changed.swapAt(index, random.below(3))
          } else if !changed[index].isEmpty {
            Self.mutate(&changed[index], &random)
          }
        }
      }
      var contents = JournalContents(of: sample.id)
      for (index, bytes) in changed.enumerated() {
        bytes.withUnsafeBufferPointer { contents.read($0, as: index + 1) }
      }
      for (index, entry) in contents.entries.enumerated() {
        let original = try #require(written[entry.id])
        try #require(
          entry.edit == original.edit && entry.inverse == original.inverse && entry.kind == original.kind)
        try #require(index == 0 || entry.id.sequence == contents.entries[index - 1].id.sequence + 1)
      }
      edits += contents.entries.count
      if contents.damage != nil {
        damaged += 1
      } else if contents.entries.count == sample.made.count {
        whole += 1
      } else {
        shortened += 1
      }
    }
    print(
      "K5 journals: \(count) mutations, \(whole) whole, \(shortened) shortened, \(damaged) damaged, \(edits) edits"
    )
    campaign.report(tried: whole + damaged + shortened)
    #expect(whole > 0 && damaged > 0 && shortened > 0 && edits > 0 && whole + damaged + shortened == count)
    // The control: the same reader accepts a changed edit with a new sum.
    var forged = JournalContents(of: sample.id)
    var lines = segments[0].split(separator: UInt8(ascii: "\n")).map { Array($0) }
    let text = String(decoding: lines[1].dropFirst(17), as: UTF8.self).replacing("\"edit ", with: "\"edit 9")
    lines[1] = Self.line(Array(text.utf8)).dropLast()
    Array(lines.joined(separator: [UInt8(ascii: "\n")]) + [UInt8(ascii: "\n")]).withUnsafeBufferPointer {
      forged.read($0, as: 1)
    }
    #expect(forged.damage == nil && forged.entries.first?.edit.name != sample.made[0].edit.name)
  }

  private static func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    let place = random.below(bytes.count)
    switch random.below(7) {
    case 0: bytes[place] ^= 1 << random.below(8)
    case 1: bytes.removeLast(bytes.count - place)
    case 2: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(40)))
    case 3:
      bytes.insert(contentsOf: bytes[place...].prefix(1 + random.below(400)), at: random.below(bytes.count))
    case 4: for index in place..<min(bytes.count, place + 1 + random.below(600)) { bytes[index] = 0 }
    case 5: bytes[place] = Array(#"[]{},:"\-e.0189 "#.utf8 + [10, 10, 10])[random.below(19)]
    default:
      // Lines are repeated, removed or swapped.
      var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
        Array($0)
      }
      let (one, two) = (random.below(lines.count), random.below(lines.count))
      switch random.below(3) {
      case 0: lines.insert(lines[one], at: two)
      case 1: lines.remove(at: one)
      default: lines.swapAt(one, two)
      }
      bytes = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }
  }

  /// A line with a matching sum.
  private static func line(_ json: [UInt8]) -> [UInt8] {
    let sum = json.withUnsafeBytes(JournalLines.sum(of:))
    let digits = String(sum, radix: 16)
    return Array("\(String(repeating: "0", count: 16 - digits.count))\(digits) ".utf8) + json + [
      UInt8(ascii: "\n")
    ]
  }

  private static func edited(_ json: [UInt8], _ change: (JSON) -> JSON) throws -> [UInt8] {
    let object = try JSONSerialization.jsonObject(with: Data(json))
    return Array(change(value(object)).text.utf8)
  }

  private static func value(_ object: Any) -> JSON {
    switch object {
    case let text as String: return .string(text)
    case let number as NSNumber:
      return Double(number.intValue) == number.doubleValue
        ? .integer(number.intValue) : .number(number.doubleValue)
    case let array as [Any]: return .array(array.map(value))
    case let members as [String: Any]: return .object(members.mapValues(value))
    default: return .null
    }
  }
}
