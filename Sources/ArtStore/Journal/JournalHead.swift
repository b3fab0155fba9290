// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// What the first line of each segment of a journal says: whose edits these are, and of which document.
public struct JournalHead: Sendable, Hashable {
  /// The program that made the edits.
  public let origin: Origin
  /// The person's name, if given.
  public let author: String?
  /// Where the document's file was, symbolic links resolved.
  public let path: String
  /// The file system that it was on.
  public let device: UInt
  /// The file there.
  public let inode: UInt
  /// The number that the system gave the program.
  public let process: Int
  /// When the program opened the document, in milliseconds since 1970.
  public let started: Int
  /// The document, and the state of its file when the segment was begun, as far as the program knew.
  public var base: DocumentBase
  /// Where the program ran; nil in journals of programs that did not say it yet.
  public var home: JournalHome?

  /// Whether that is the very file that the edits were made on. Another document may have been given its inode since.
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

  /// Whether it may be another segment's head of the same journal.
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

/// The members of a head, as they come.
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

  /// Its four members stand together or not at all.
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
    guard path.hasPrefix("/"), segment >= 0 else { throw json.error("a journal's head that cannot be one") }
    let checked = try Author(origin: origin, name: author)
    let head = JournalHead(
      origin: origin, author: checked.name, path: path, device: UInt(bitPattern: device),
      inode: UInt(bitPattern: inode), process: process, started: started,
      base: DocumentBase(id: document, revision: base.revision, head: base.head), home: try home(json))
    return (head, segment)
  }
}
