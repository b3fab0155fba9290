// SPDX-License-Identifier: Apache-2.0

/// A reply of `emojiart-worker`, one line of JSON.
package enum WorkerReply: Sendable, Hashable {
  /// The length of a line in bytes, at most.
  package static let lineLimit = 1 << 16
  /// The length of a part in bytes, at most.
  package static let partLimit = 1 << 20

  /// The first line, with the version of requests that the worker accepts.
  case hello(version: Int)
  /// Progress of a fetch in bytes. The total is nil if unknown.
  case progress(received: Int, total: Int?)
  /// The body of a fetch; that many bytes follow the line.
  case body(bytes: Int)
  /// The picture can be decoded.
  case picture(mediaType: String, size: Canvas, isAnimated: Bool)
  /// The fetch failed, or the bytes are not a picture.
  case refused(Refusal)
  /// The next part of the drawing; that many bytes, at least one, follow the line.
  case part(bytes: Int)
  /// The drawing is complete.
  case drawn(Drawn)
  /// The drawing failed, or the words cannot be measured. Parts sent before are to be discarded.
  case notDrawn(DrawingRefusal)
  /// The box of the words.
  case measured(TextBox)
  /// The response of an object store; its body of that many bytes follows the line.
  case exchanged(status: Int, fields: [String: String], bytes: Int)
  /// The system's support for a sandbox.
  case sandbox(SandboxAbility)
}

// MARK: - JSON

extension WorkerReply {
  /// Writes the line, without its line break:
  ///
  ///     {"hello":1}  {"progress":{"received":…,"total":…}}  {"body":…}
  ///     {"picture":{"isAnimated":…,"mediaType":"…","size":{…}}}  {"refused":{"detail":"…","isTransient":…,"reason":"…"}}
  ///     {"part":…}  {"drawn":{…}}  {"notDrawn":{"detail":"…","reason":"…"}}
  ///     {"exchanged":{"bytes":…,"fields":{…},"status":200}}  {"measured":[6.2,1.362]}  {"sandbox":{"hasSeccomp":…,"landlock":…}}
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      switch self {
      case .hello(let version):
        writer.key("hello")
        writer.integer(version)
      case .progress(let received, let total):
        writer.key("progress")
        writer.object {
          $0.key("received")
          $0.integer(received)
          if let total {
            $0.key("total")
            $0.integer(total)
          }
        }
      case .body(let bytes):
        writer.key("body")
        writer.integer(bytes)
      case .picture(let mediaType, let size, let isAnimated):
        writer.key("picture")
        writer.object {
          $0.key("isAnimated")
          $0.boolean(isAnimated)
          $0.key("mediaType")
          $0.string(mediaType)
          $0.key("size")
          size.write(to: &$0)
        }
      case .refused(let refusal):
        writer.key("refused")
        refusal.write(to: &writer)
      case .part(let bytes):
        writer.key("part")
        writer.integer(bytes)
      case .drawn(let drawn):
        writer.key("drawn")
        drawn.write(to: &writer)
      case .notDrawn(let refusal):
        writer.key("notDrawn")
        refusal.write(to: &writer)
      case .exchanged(let status, let fields, let bytes):
        writer.key("exchanged")
        StoreResponse.write(status, fields, bytes: bytes, to: &writer)
      case .measured(let box):
        writer.key("measured")
        box.write(to: &writer)
      case .sandbox(let ability):
        writer.key("sandbox")
        ability.write(to: &writer)
      }
    }
  }

  /// Reads what `write` writes. Throws `badJSON`, and `badValue` for a number out of bounds.
  package init(from reader: inout JSONReader) throws(ArtError) {
    var reply: WorkerReply?
    try reader.object { (key, reader) throws(ArtError) in
      guard reply == nil else { throw reader.error("two replies in one") }
      switch key {
      case "body": reply = .body(bytes: try reader.count(0...WorkerRequest.bodyLimit, "bytes"))
      case "drawn": reply = .drawn(try Drawn(from: &reader))
      case "exchanged": reply = try StoreResponse.reply(from: &reader)
      case "hello": reply = .hello(version: try reader.integer())
      case "measured": reply = .measured(try TextBox(from: &reader))
      case "notDrawn": reply = .notDrawn(try DrawingRefusal(from: &reader))
      case "part": reply = .part(bytes: try reader.count(1...WorkerReply.partLimit, "bytes"))
      case "picture": reply = try Self.picture(from: &reader)
      case "progress": reply = try Self.progress(from: &reader)
      case "refused": reply = .refused(try Refusal(from: &reader))
      case "sandbox": reply = .sandbox(try SandboxAbility(from: &reader))
      default: throw reader.error("no reply \"\(key.prefix(40))\"")
      }
    }
    guard let reply else { throw reader.error("no reply") }
    self = reply
  }

  private static func progress(from reader: inout JSONReader) throws(ArtError) -> WorkerReply {
    var received: Int?
    var total: Int?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "received": received = try reader.count(0...Int.max, "bytes")
      case "total": total = try reader.count(0...Int.max, "bytes")
      default: throw reader.error("progress with the key \"\(key.prefix(40))\"")
      }
    }
    guard let received else { throw reader.error("progress without received") }
    return .progress(received: received, total: total)
  }

  private static func picture(from reader: inout JSONReader) throws(ArtError) -> WorkerReply {
    var isAnimated: Bool?
    var mediaType: String?
    var size: Canvas?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "isAnimated": isAnimated = try reader.boolean()
      case "mediaType": mediaType = try reader.string()
      case "size": size = try Canvas(from: &reader)
      default: throw reader.error("a picture with the key \"\(key.prefix(40))\"")
      }
    }
    guard let isAnimated, let mediaType, let size else {
      throw reader.error("a picture without isAnimated, mediaType or size")
    }
    return .picture(mediaType: mediaType, size: size, isAnimated: isAnimated)
  }
}

extension SandboxAbility {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object {
      $0.key("hasSeccomp")
      $0.boolean(hasSeccomp)
      if let landlock {
        $0.key("landlock")
        $0.integer(landlock)
      }
    }
  }

  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    var hasSeccomp: Bool?
    var landlock: Int?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "hasSeccomp": hasSeccomp = try reader.boolean()
      case "landlock": landlock = try reader.integer()
      default: throw reader.error("sandbox with the key \"\(key.prefix(40))\"")
      }
    }
    guard let hasSeccomp else { throw reader.error("sandbox without hasSeccomp") }
    self.init(landlock: landlock, hasSeccomp: hasSeccomp)
  }
}

extension Refusal {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object {
      $0.key("detail")
      $0.detail(detail)
      $0.key("isTransient")
      $0.boolean(isTransient)
      $0.key("reason")
      $0.string(reason.rawValue)
    }
  }

  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    var detail: String?
    var isTransient: Bool?
    var reason: Reason?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "detail": detail = try reader.detail()
      case "isTransient": isTransient = try reader.boolean()
      case "reason":
        let name = try reader.string()
        reason = Reason(rawValue: name)
        guard reason != nil else { throw reader.error("no reason \"\(name.prefix(40))\"") }
      default: throw reader.error("a refusal with the key \"\(key.prefix(40))\"")
      }
    }
    guard let detail, let isTransient, let reason else {
      throw reader.error("a refusal without detail, isTransient or reason")
    }
    self.init(reason, detail, isTransient: isTransient)
  }
}
