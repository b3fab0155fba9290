// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore

/// Lines of a journal, being written: 16 hexadecimal digits that are the XXH3-64 of the JSON behind them, a space, the
/// JSON, a line feed. The buffers are used again.
struct JournalLines {
  private(set) var bytes: [UInt8] = []
  private var json = JSONWriter(reserving: 1 << 10)
  /// Buffers larger than this go after use.
  private static let keptCapacity = 1 << 20

  /// Begins anew.
  mutating func removeAll() {
    guard bytes.capacity <= Self.keptCapacity else {
      self = JournalLines()
      return
    }
    bytes.removeAll(keepingCapacity: true)
  }

  mutating func append(_ head: JournalHead, segment: Int) {
    json.restart()
    head.write(segment: segment, to: &json)
    endLine()
  }

  mutating func append(_ entry: LoggedEdit) {
    json.restart()
    entry.writeJournalLine(to: &json)
    endLine()
  }

  private mutating func endLine() {
    let sum = json.bytes.withUnsafeBytes(Self.sum(of:))
    for shift in stride(from: 60, through: 0, by: -4) {
      bytes.append(Self.hexadecimal[Int(truncatingIfNeeded: sum >> UInt64(shift)) & 15])
    }
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: json.bytes)
    bytes.append(UInt8(ascii: "\n"))
  }

  private static let hexadecimal = Array("0123456789abcdef".utf8)

  /// The JSON of a line, which has no line feed at its end; nil where it does not fit its sum.
  static func json(of line: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    guard line.count > 17, line[16] == UInt8(ascii: " ") else { return nil }
    var stored: UInt64 = 0
    for byte in line[..<16] {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): stored = stored << 4 | UInt64(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): stored = stored << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    let json = UnsafeBufferPointer(rebasing: line[17...])
    return sum(of: UnsafeRawBufferPointer(json)) == stored ? json : nil
  }

  static func sum(of json: UnsafeRawBufferPointer) -> UInt64 { XXH3_64bits(json.baseAddress, json.count) }
}

extension LoggedEdit {
  /// `{"changes":[…],"dropped":[…],"inverse":[…],"kind":"undo","name":"…","of":"ORIGIN:SEQUENCE","sequence":…,
  /// "time":…}`; `of` only where the kind is `undo` or `redo`.
  fileprivate func writeJournalLine(to json: inout JSONWriter) {
    json.object { json in
      json.key("changes")
      edit.changes.write(to: &json)
      json.key("dropped")
      dropped.write(to: &json)
      json.key("inverse")
      inverse.write(to: &json)
      json.key("kind")
      switch kind {
      case .edit: json.string("edit")
      case .undo: json.string("undo")
      case .redo: json.string("redo")
      }
      json.key("name")
      json.string(edit.name)
      switch kind {
      case .edit: break
      case .undo(let other), .redo(let other):
        json.key("of")
        json.string(other.description)
      }
      json.key("sequence")
      json.integer(id.sequence)
      json.key("time")
      json.integer(time)
    }
  }
}

/// What a line says of an edit.
struct JournalEntry {
  private var changes: [Change]?
  private var dropped: [Change]?
  private var inverse: [Change]?
  private var word: String?
  private var name: String?
  private var of: EditID?
  private var number: Int?
  private var made: Int?

  /// Reads what `writeJournalLine` writes. Throws `badJSON` and what the values' checks throw.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    var entry = Self()
    try JSONReader.read(bytes) { (json) throws(ArtError) in
      try json.object { (key, json) throws(ArtError) in try entry.read(key, from: &json) }
    }
    self = entry
  }

  private init() {}

  private mutating func read(_ key: String, from json: inout JSONReader) throws(ArtError) {
    switch key {
    case "changes": changes = try [Change](from: &json)
    case "dropped": dropped = try [Change](from: &json)
    case "inverse": inverse = try [Change](from: &json)
    case "kind": word = try json.string()
    case "name": name = try json.string()
    case "of":
      of = EditID(try json.string())
      guard of != nil else { throw json.error("an undo of what is no edit") }
    case "sequence": number = try json.integer()
    case "time": made = try json.integer()
    default: throw json.error("an edit with the key \"\(key)\"")
    }
  }

  /// The edit, as the one after `count` others of a journal with that head.
  func edit(after count: Int, in head: JournalHead) throws(ArtError) -> LoggedEdit {
    guard let changes, let dropped, let inverse, let name, let number, let made, let kind,
      (1...Format.largestNumber).contains(number), changes.count == inverse.count
    else { throw .badJSON("an edit that lacks a part", atByte: 0) }
    return LoggedEdit(
      id: EditID(origin: head.origin, sequence: number), revision: head.base.revision + count + 1, time: made,
      save: head.base.revision + 1, kind: kind, author: head.author, edit: Edit(name: name, changes: changes),
      inverse: inverse, dropped: dropped)
  }

  private var kind: LoggedEdit.Kind? {
    switch (word, of) {
    case ("edit", nil): .edit
    case ("undo", let id?): .undo(id)
    case ("redo", let id?): .redo(id)
    default: nil
    }
  }
}
