// SPDX-License-Identifier: Apache-2.0

/// A request to an object store, and its response: HTTP, as the store's protocol uses it.
package struct StoreRequest: Sendable, Hashable {
  /// The methods that are used.
  package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case put = "PUT"
    case delete = "DELETE"
  }

  /// A field of a head.
  package struct HeaderField: Sendable, Hashable {
    /// The name, in lower case.
    package var name: String
    /// The value.
    package var value: String

    /// A field.
    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    /// Whether both can stand in a head: a name of letters, digits and hyphens, a value of visible ASCII and spaces.
    var isValid: Bool {
      let isLetter = { (byte: UInt8) in
        byte == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
      return !name.isEmpty && name.utf8.count <= 100 && name.utf8.allSatisfy(isLetter)
        && value.utf8.count <= StoreResponse.fieldLimit
        && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
  }

  /// The method.
  package var method: Method
  /// The whole URL, with its path and query encoded.
  package var url: String
  /// The fields of the head besides those that HTTP itself needs.
  package var fields: [HeaderField]
  /// The body; only of `put`.
  package var body: [UInt8]

  /// A request.
  package init(_ method: Method, _ url: String, fields: [HeaderField] = [], body: [UInt8] = []) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
  }
}

/// The response of an object store.
package struct StoreResponse: Sendable, Hashable {
  /// The fields of a head that are passed on.
  package static let fieldNames = [
    "date", "etag", "retry-after", "x-amz-bucket-region", "x-amz-meta-emojiart-state",
  ]

  /// The most bytes of a field.
  package static let fieldLimit = 8_192

  /// The status of HTTP.
  package var status: Int
  /// The fields of the head that matter, by their names.
  package var fields: [String: String]
  /// The body.
  package var body: [UInt8]

  /// A response.
  package init(status: Int, fields: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}

// MARK: - As requests and replies of the worker

extension WorkerRequest {
  /// The line of a request to a store; the body follows it.
  package struct Exchange: Sendable, Hashable {
    /// The request, without its body.
    package var request: StoreRequest
    /// The number of bytes of its body.
    package var bytes: Int
    /// The user's proxies.
    package var proxies: ProxySettings
    /// The limits. `bytes` is that of the response's body.
    package var limits: FetchLimits

    /// The line of a request.
    package init(_ request: StoreRequest, proxies: ProxySettings, limits: FetchLimits) {
      self.request = StoreRequest(request.method, request.url, fields: request.fields)
      bytes = request.body.count
      self.proxies = proxies
      self.limits = limits
    }
  }
}

extension WorkerRequest.Exchange {
  /// Writes `{"bytes":…,"fields":[["name","value"]],"limits":{…},"method":"PUT","proxies":{…},"url":"…"}`.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("bytes")
      writer.integer(bytes)
      writer.key("fields")
      writer.array { writer in
        for field in request.fields {
          writer.array { writer in
            writer.string(field.name)
            writer.string(field.value)
          }
        }
      }
      writer.key("limits")
      limits.write(to: &writer)
      writer.key("method")
      writer.string(request.method.rawValue)
      writer.key("proxies")
      proxies.write(to: &writer)
      writer.key("url")
      writer.string(request.url)
    }
  }

  /// Reads what `write` writes. Throws `badJSON`, `badValue`.
  init(from reader: inout JSONReader) throws(ArtError) {
    var (bytes, method, url): (Int?, StoreRequest.Method?, String?)
    var (fields, limits, proxies): ([StoreRequest.HeaderField], FetchLimits?, ProxySettings?) = ([], nil, nil)
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "bytes": bytes = try reader.count(0...WorkerRequest.bodyLimit, "bytes")
      case "fields":
        try reader.array { (reader) throws(ArtError) in
          var texts: [String] = []
          try reader.array { (reader) throws(ArtError) in
            guard texts.count < 2 else { throw reader.error("a field of more than a name and a value") }
            texts.append(try reader.string())
          }
          guard texts.count == 2, fields.count < 32 else { throw reader.error("a bad field") }
          let field = StoreRequest.HeaderField(texts[0], texts[1])
          guard field.isValid else { throw reader.error("a bad field") }
          fields.append(field)
        }
      case "limits": limits = try FetchLimits(from: &reader)
      case "method":
        let name = try reader.string()
        method = StoreRequest.Method(rawValue: name)
        guard method != nil else { throw reader.error("no method \"\(name.prefix(40))\"") }
      case "proxies": proxies = try ProxySettings(from: &reader)
      case "url": url = try reader.string()
      default: throw reader.error("an exchange with the key \"\(key.prefix(40))\"")
      }
    }
    guard let bytes, let method, let url, let limits, let proxies else {
      throw reader.error("an exchange without bytes, limits, method, proxies or url")
    }
    self.init(StoreRequest(method, url, fields: fields), proxies: proxies, limits: limits)
    self.bytes = bytes
  }
}

extension StoreResponse {
  /// Writes `{"bytes":…,"fields":{"etag":"…"},"status":200}`.
  static func write(_ status: Int, _ fields: [String: String], bytes: Int, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("bytes")
      writer.integer(bytes)
      writer.key("fields")
      writer.object { writer in
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
          writer.key(name)
          writer.string(value)
        }
      }
      writer.key("status")
      writer.integer(status)
    }
  }

  /// Reads what `write` writes. Throws `badJSON`, `badValue`.
  static func reply(from reader: inout JSONReader) throws(ArtError) -> WorkerReply {
    var (bytes, status): (Int?, Int?)
    var fields: [String: String] = [:]
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "bytes": bytes = try reader.count(0...WorkerRequest.bodyLimit, "bytes")
      case "fields":
        try reader.object { (name, reader) throws(ArtError) in
          guard fieldNames.contains(name) else { throw reader.error("no field \"\(name.prefix(40))\"") }
          let value = try reader.string()
          guard value.utf8.count <= fieldLimit else { throw reader.error("a long field") }
          fields[name] = value
        }
      case "status": status = try reader.count(100...999, "as a status")
      default: throw reader.error("a response with the key \"\(key.prefix(40))\"")
      }
    }
    guard let bytes, let status else { throw reader.error("a response without bytes or status") }
    return .exchanged(status: status, fields: fields, bytes: bytes)
  }
}
