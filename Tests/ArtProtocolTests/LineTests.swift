// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import TestSupport
import Testing

/// The kinds of lines, each with a random line and its reader.
enum LineKind: CaseIterable {
  case request, answer, event, notice

  private static let document = DocumentID(lowBits: 7)

  /// A random line without its line break, and whether the value that is read from it is the value that was written.
  func line(of random: inout RandomProtocol) throws -> (line: [UInt8], isSame: () throws -> Bool) {
    switch self {
    case .request:
      let request = try random.request()
      let line = Array(request.line.dropLast())
      return (line, { try line.withUnsafeBufferPointer { try ProtocolRequest($0) } == request })
    case .answer:
      let answer = try random.answer(of: Self.document)
      let line = Array(answer.line().dropLast())
      return (line, { try Self.streamLine(line) == .answer(answer) })
    case .event:
      let event = try random.event()
      let line = Array(event.line().dropLast())
      return (line, { try Self.streamLine(line) == .event(event) })
    case .notice:
      let notice = try random.notice()
      let line = Array(notice.line.dropLast())
      return (line, { try Self.notice(line) == notice })
    }
  }

  /// Reads a line and writes it again, without its line break; nil for an empty line.
  func reread(_ line: [UInt8]) throws -> [UInt8]? {
    switch self {
    case .request: try line.withUnsafeBufferPointer { try ProtocolRequest($0)?.line.dropLast() }
    case .answer, .event:
      switch try Self.streamLine(line) {
      case .answer(let answer): answer.line().dropLast()
      case .event(let event): event.line().dropLast()
      }
    case .notice: try Self.notice(line).line.dropLast()
    }
  }

  private static func streamLine(_ line: [UInt8]) throws -> ProtocolLine {
    try line.withUnsafeBufferPointer { try ProtocolLine($0, of: document) }
  }

  private static func notice(_ line: [UInt8]) throws -> ProtocolNotice {
    try line.withUnsafeBufferPointer { (bytes) throws(ArtError) in
      try JSONReader.read(bytes) { (reader) throws(ArtError) in try ProtocolNotice(from: &reader) }
    }
  }
}

@Suite("Lines of the protocol") struct LineTests {
  @Test(
    "J2 each line that ArtProtocol writes is read back as the same value, and written again as the same bytes",
    arguments: LineKind.allCases)
  func roundTrip(_ kind: LineKind) throws {
    var random = RandomProtocol(seed: 47)
    for _ in 0..<500 {
      let (line, isSame) = try kind.line(of: &random)
      let text = String(decoding: line, as: UTF8.self)
      #expect(try isSame(), "\(text)")
      #expect(try kind.reread(line) == line, "\(text)")
    }
    // A control: another line is written differently.
    let (line, _) = try kind.line(of: &random)
    var other = try kind.line(of: &random)
    while other.line == line { other = try kind.line(of: &random) }
    #expect(try kind.reread(other.line) != line, "another line is written differently")
  }

  @Test("J8 the line of an error has the words of the front end, and its code, subject and remedy")
  func wordedErrors() throws {
    let error = ArtError(.noSuchEmoji, "no emoji 🐝", about: "🐝", remedy: .listEmoji)
    let words = { (error: ArtError) in "\(error.cause); look at \(error.remedy.map(\.rawValue) ?? "")" }
    let members =
      #""code":"noSuchEmoji","message":"no emoji 🐝; look at listEmoji","remedy":"listEmoji","subject":"🐝""#
    func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self) }
    #expect(text(ProtocolAnswer(.failed(error)).line(message: words)) == "{\"error\":{\(members)}}\n")
    #expect(text(ProtocolEvent.failed(error, tag: nil).line(message: words)) == "{\"error\":{\(members)}}\n")
    #expect(
      text(ProtocolEvent.state(.error(error)).line(message: words))
        == #"{"code":"noSuchEmoji","reason":"no emoji 🐝; look at listEmoji","remedy":"listEmoji","state":"error","subject":"🐝"}"#
        + "\n")
    let notices = ProtocolNotice.notices(
      .damaged("bees", reason: error), folder: "art", name: { $0 }, message: words)
    #expect(notices == [.damaged("bees", reason: words(error))])
    // Without words of a front end the message is the cause, and only what the error has is a member.
    #expect(
      text(ProtocolAnswer(.failed(ArtError(.busy, "in use"))).line())
        == #"{"error":{"code":"busy","message":"in use"}}"# + "\n")
    for line in [
      #"{"error":{"code":"busy","message":"","remedy":"dance"}}"#, #"{"state":"open","remedy":"check"}"#,
      #"{"state":"open","subject":"bees"}"#,
    ] {
      #expect(throws: ArtError.self) {
        try Array(line.utf8).withUnsafeBufferPointer { try ProtocolLine($0, of: DocumentID(lowBits: 7)) }
      }
    }
  }

  @Test(
    "J3 a line with an unknown key, two equal keys or a value of another type is refused",
    arguments: LineKind.allCases)
  func malformed(_ kind: LineKind) throws {
    var random = RandomProtocol(seed: 48)
    var count = 0
    for _ in 0..<200 {
      let line = try kind.line(of: &random).line
      for member in try Member.all(of: line) where member.key != "tag" {
        for (what, bytes) in member.invalidVariants(of: line) {
          count += 1
          #expect(throws: (any Error).self, "\(what): \(String(decoding: bytes, as: UTF8.self))") {
            _ = try kind.reread(bytes)
          }
        }
      }
    }
    print("protocol: \(count) lines of the kind \(kind) that are off were refused")
    #expect(count > 1_000)
  }

  @Test(
    "J3 lines with random changes are read or refused, and never trap the reader",
    arguments: LineKind.allCases)
  func mutations(_ kind: LineKind) throws {
    var random = RandomProtocol(seed: 4)
    var (read, bad) = (0, 0)
    for _ in 0..<3_000 {
      var bytes = try kind.line(of: &random).line
      for _ in 0...random.int(0...2) where !bytes.isEmpty {
        let place = random.int(0...bytes.count - 1)
        switch random.int(0...3) {
        case 0: bytes[place] = UInt8(random.int(0...255))
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(try random.pick(Array(#"{}[]",:01-eE.\"#.utf8)), at: place)
        default: bytes.replaceSubrange(place..<bytes.count, with: bytes[place...].reversed())
        }
      }
      do {
        _ = try kind.reread(bytes)
        read += 1
      } catch is ArtError {
        bad += 1
      } catch is ProtocolRequest.Unreadable {
        bad += 1
      }
    }
    print("protocol: of lines of the kind \(kind), \(read) were read, \(bad) refused")
    #expect(read > 20 && bad > 1_000)
  }
}

/// A member of an object in a line, at any depth.
private struct Member {
  let key: String
  /// The range of its value.
  let value: Range<Int>
  private let kind: JSONReader.Kind?

  /// All members but those within tags: a tag may be any JSON.
  static func all(of line: [UInt8]) throws -> [Member] {
    var members: [Member] = []
    try line.withUnsafeBufferPointer { bytes in
      try JSONReader.read(bytes) { (reader) throws(ArtError) in try gather(&reader, in: bytes, &members) }
    }
    return members
  }

  private static func gather(
    _ reader: inout JSONReader, in line: UnsafeBufferPointer<UInt8>, _ members: inout [Member]
  ) throws(ArtError) {
    switch reader.kind() {
    case .object:
      try reader.object { (key, reader) throws(ArtError) in
        var copy = reader
        let kind = copy.kind()
        let value = try copy.verbatim()
        guard let start = value.baseAddress, let first = line.baseAddress else { return }
        members.append(Member(key: key, value: start - first..<start - first + value.count, kind: kind))
        if key == "tag" { try reader.skip() } else { try gather(&reader, in: line, &members) }
      }
    case .array: try reader.array { (reader) throws(ArtError) in try gather(&reader, in: line, &members) }
    default: try reader.skip()
    }
  }

  /// The line with this member twice, with an unknown one beside it, and with a value of another type.
  func invalidVariants(of line: [UInt8]) -> [(String, [UInt8])] {
    var (twice, unknown, other) = (line, line, line)
    twice.insert(contentsOf: Array(",\"\(key)\":".utf8) + line[value], at: value.upperBound)
    unknown.insert(contentsOf: Array(#","unknown":1"#.utf8), at: value.upperBound)
    other.replaceSubrange(value, with: Array((kind == .object ? "7" : "{}").utf8))
    return [("twice", twice), ("unknown", unknown), ("another kind", other)]
  }
}
