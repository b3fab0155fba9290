// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// The first line of each segment of a journal: which program made the edits, and of which document.
public struct JournalHead: Sendable, Hashable {
  /// The program that made the edits.
  public let origin: Origin
  /// The name of the program's user, if given. It is the author of every edit whose line names no other.
  public let author: String?
  /// The path of the document's file, with symbolic links resolved.
  package let filePath: FilePath
  /// The device of the file.
  public let device: UInt
  /// The inode of the file.
  public let inode: UInt
  /// The program's process id.
  public let process: Int
  /// When the program opened the document, in milliseconds since 1970.
  public let started: Int
  /// The document, and its stored state when the segment was created, as far as the program knew.
  public var base: DocumentBase
  /// The machine and process of the program; nil in journals of older versions.
  public var home: JournalHome?

  /// The path of the document's file, with symbolic links resolved.
  public var path: String { filePath.string }

  /// Whether this is the file on which the edits were made. The inode may have been reused for another
  /// document.
  public func isFile(_ identity: FileIdentity) -> Bool {
    identity == FileIdentity(device: device, inode: inode)
  }
}

extension JournalHead {
  /// `{"author":…,"base":{"head":…,"revision":…},"boot":"…","device":…,"document":"…","format":1,"inode":…,
  /// "machine":"…","namespace":…,"origin":"…","path":"…","process":…,"processStart":…,"segment":…,"started":…}`. Device
  /// and inode are 64 bits, as a signed number. Without a home, none of its four members.
  func write(segment: Int, to json: inout JSONWriter) {
    json.object { json in
      json.key("author")
      if let author { json.string(author) } else { json.null() }
      json.key("base")
      json.object { json in
        json.key("head")
        if let head = base.head { json.string(head.description) } else { json.null() }
        json.key("revision")
        json.integer(base.revision)
      }
      if let home { json.optional("boot", home.boot) }
      json.key("device")
      json.integer(Int(bitPattern: device))
      json.key("document")
      json.string(base.id.description)
      json.key("format")
      json.integer(JournalFormat.version)
      json.key("inode")
      json.integer(Int(bitPattern: inode))
      if let home {
        json.optional("machine", home.machine)
        json.optional("namespace", home.namespace)
      }
      json.key("origin")
      json.string(origin.description)
      json.key("path")
      json.string(path)
      json.key("process")
      json.integer(process)
      if let home { json.optional("processStart", home.processStart) }
      json.key("segment")
      json.integer(segment)
      json.key("started")
      json.integer(started)
    }
  }

  /// Reads what `write` writes, and the segment's number. Throws `badJSON`, `newerFormat` and what the values' checks
  /// throw.
  static func read(
    _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(ArtError) -> (head: JournalHead, segment: Int) {
    var fields = Fields()
    return try JSONReader.read(bytes) { (json) throws(ArtError) in
      try json.object { (key, json) throws(ArtError) in try fields.read(key, from: &json) }
      return try fields.head(json)
    }
  }

  /// The name that the journal's files have.
  var id: JournalID { JournalID(document: base.id, origin: origin) }

  /// Whether this may be the head of another segment of the same journal.
  func belongs(to first: JournalHead) -> Bool {
    var same = self
    guard base.id == first.base.id else { return false }
    same.base = first.base
    return same == first
  }
}

extension JSONWriter {
  fileprivate mutating func optional(_ name: String, _ value: String?) {
    key(name)
    if let value { string(value) } else { null() }
  }

  fileprivate mutating func optional(_ name: String, _ value: Int?) {
    key(name)
    if let value { integer(value) } else { null() }
  }
}

/// The members of a head that were read so far.
private struct Fields {
  private var author: String??
  private var base: (revision: Int, head: EditID?)?
  private var boot: String??
  private var device: Int?
  private var document: DocumentID?
  private var format: Int?
  private var inode: Int?
  private var machine: String??
  private var namespace: Int??
  private var origin: Origin?
  private var path: String?
  private var process: Int?
  private var processStart: Int??
  private var segment: Int?
  private var started: Int?

  mutating func read(_ key: String, from json: inout JSONReader) throws(ArtError) {
    switch key {
    case "author": author = .some(json.null() ? nil : try json.string())
    case "base": base = try Self.base(from: &json)
    case "boot": boot = .some(json.null() ? nil : try Self.digest(from: &json))
    case "device": device = try json.integer()
    case "document": document = DocumentID(try json.string())
    case "format": format = try json.integer()
    case "inode": inode = try json.integer()
    case "machine": machine = .some(json.null() ? nil : try Self.digest(from: &json))
    case "namespace": namespace = .some(json.null() ? nil : try json.integer())
    case "origin": origin = Origin(try json.string())
    case "path": path = try json.string()
    case "process": process = try json.integer()
    case "processStart": processStart = .some(json.null() ? nil : try json.integer())
    case "segment": segment = try json.integer()
    case "started": started = try json.integer()
    default: throw json.error("a journal's head with the key \"\(key)\"")
    }
  }

  /// A keyed hash: 32 hexadecimal digits.
  private static func digest(from json: inout JSONReader) throws(ArtError) -> String {
    let text = try json.string()
    guard text.utf8.count == 32,
      text.utf8.allSatisfy({
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      })
    else { throw json.error("a journal's head with an id that is no keyed hash") }
    return text
  }

  /// The four members of the home, which must be there together or not at all.
  private func home(_ json: JSONReader) throws(ArtError) -> JournalHome? {
    switch (machine, boot, namespace, processStart) {
    case (nil, nil, nil, nil): return nil
    case (let machine?, let boot?, let namespace?, let processStart?):
      return JournalHome(machine: machine, boot: boot, namespace: namespace, processStart: processStart)
    default: throw json.error("a journal's head that says in part where its program ran")
    }
  }

  private static func base(
    from json: inout JSONReader
  ) throws(ArtError) -> (revision: Int, head: EditID?) {
    var revision: Int?
    var head: EditID??
    try json.object { (key, json) throws(ArtError) in
      switch key {
      case "head":
        if json.null() {
          head = .some(nil)
        } else if let id = EditID(try json.string()) {
          head = id
        }
      case "revision": revision = try json.integer()
      default: throw json.error("a base with the key \"\(key)\"")
      }
    }
    guard let revision, (0...Format.largestNumber).contains(revision), let head else {
      throw json.error("a base without revision or head")
    }
    return (revision, head)
  }

  func head(_ json: JSONReader) throws(ArtError) -> (head: JournalHead, segment: Int) {
    guard let author, let base, let device, let document, let format, let inode, let origin, let path,
      let process, let segment, let started
    else { throw json.error("a journal's head that lacks a part") }
    guard format == JournalFormat.version else {
      throw json.error("a journal's head of the format \(format)")
    }
    guard FilePath(path).isAbsolute, segment >= 0 else {
      throw json.error("a journal's head that cannot be one")
    }
    let checked = try Author(origin: origin, name: author)
    let head = JournalHead(
      origin: origin, author: checked.name, filePath: FilePath(path), device: UInt(bitPattern: device),
      inode: UInt(bitPattern: inode), process: process, started: started,
      base: DocumentBase(id: document, revision: base.revision, head: base.head), home: try home(json))
    return (head, segment)
  }
}

// MARK: - Names and limits

/// The name of a journal: the document whose edits it has, which is the name of its folder, and the program that made them.
struct JournalID: Hashable, CustomStringConvertible {
  let document: DocumentID
  let origin: Origin

  /// `DOCUMENT/ORIGIN`, with which the paths of its files begin.
  var description: String { "\(document)/\(origin)" }
}

/// The files of a journal, format 1.
///
///     DOCUMENT/ORIGIN.lock              locked with `flock` while the program that edits runs
///     DOCUMENT/ORIGIN-000001.journal    a segment: a line with its head, then one line per edit
///     DOCUMENT/ORIGIN-000002.journal    …
enum JournalFormat {
  static let version = 1
  /// The bytes of unsaved edits from which on no more are accepted.
  static let capacity = 256 << 20
  /// The most bytes that one append may write.
  static let largestBatch = 256 << 20
  /// The most bytes of one journal's segments.
  static let largest = capacity + largestBatch
  /// The most bytes of a segment's head: a path of 4,096 bytes takes six times as many if each is escaped.
  static let largestHead = 64 << 10
  /// The least number of digits of a segment's number.
  static let digits = 6

  static func lock(of id: JournalID) -> String { "\(id).lock" }

  static func segment(_ number: Int, of id: JournalID) -> String {
    let text = String(number)
    return "\(id)-\(String(repeating: "0", count: max(0, digits - text.count)))\(text).journal"
  }
}

/// A file of a journal, as its name in the folder of its document says.
enum JournalName: Equatable {
  case lock(JournalID)
  case segment(JournalID, Int)

  /// Nil if the name does not have the form that `JournalFormat` gives it.
  init?(_ name: String, of document: DocumentID) {
    guard name.utf8.count > Origin.length, let origin = Origin(name.prefix(Origin.length)) else { return nil }
    let id = JournalID(document: document, origin: origin)
    let path = "\(document)/\(name)"
    if path == JournalFormat.lock(of: id) {
      self = .lock(id)
      return
    }
    let digits = name.dropFirst(Origin.length + 1).prefix { $0.isASCII && $0.isNumber }
    guard digits.count <= 15, let number = Int(digits), number > 0,
      path == JournalFormat.segment(number, of: id)
    else { return nil }
    self = .segment(id, number)
  }
}

// MARK: - Hashes of a machine's ids

/// SHA-256, and HMAC with it. machine-id(5) asks programs to publish only a keyed hash of a machine's id.
///
/// Sources: FIPS 180-4, RFC 2104.
enum KeyedDigest {
  private static let block = 64

  /// HMAC-SHA-256 of a message.
  static func hmac(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    let key = key.count > block ? sha256(key) : key
    let padded = key + [UInt8](repeating: 0, count: block - key.count)
    return sha256(padded.map { $0 ^ 0x5C } + sha256(padded.map { $0 ^ 0x36 } + message))
  }

  static func sha256(_ message: [UInt8]) -> [UInt8] {
    var bytes = message + [0x80]
    while bytes.count % block != block - 8 { bytes.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: (UInt64(message.count) * 8) >> UInt64(shift)))
    }
    var state = initial
    for start in stride(from: 0, to: bytes.count, by: block) {
      compress(bytes[start..<start + block], &state)
    }
    return state.flatMap { word in
      stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
  }

  private static func compress(_ bytes: ArraySlice<UInt8>, _ state: inout [UInt32]) {
    var words = stride(from: bytes.startIndex, to: bytes.endIndex, by: 4).map { at in
      bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<64 {
      let (old, recent) = (words[index - 15], words[index - 2])
      let one = rotated(old, 7) ^ rotated(old, 18) ^ old >> 3
      let two = rotated(recent, 17) ^ rotated(recent, 19) ^ recent >> 10
      words.append(words[index - 16] &+ one &+ words[index - 7] &+ two)
    }
    var now = state
    for index in 0..<64 {
      let (a, e) = (now[0], now[4])
      let choice = e & now[5] ^ ~e & now[6]
      let first =
        now[7] &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) &+ choice &+ rounds[index] &+ words[index]
      let majority = a & now[1] ^ a & now[2] ^ now[1] & now[2]
      let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
      now = [first &+ second, a, now[1], now[2], now[3] &+ first, e, now[5], now[6]]
    }
    for index in 0..<8 { state[index] &+= now[index] }
  }

  private static func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }

  private static let initial: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]

  private static let rounds: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
