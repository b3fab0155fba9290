// SPDX-License-Identifier: Apache-2.0

import ArtProtocol
import ArtSystem

/// The head of a request, before anything is done with it.
public struct WebRequest: Sendable {
  /// The method, such as `GET`.
  public let method: String
  /// The target, such as `/render?document=bees.emojiart`.
  public let target: String
  /// The fields in their order. Names are compared without case.
  public let fields: [(name: String, value: String)]

  /// A request with these values.
  public init(method: String, target: String, fields: [(name: String, value: String)]) {
    (self.method, self.target, self.fields) = (method, target, fields)
  }

  /// The values of a field.
  func values(_ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// The value of a field that occurs once; nil otherwise.
  func value(_ name: String) -> String? {
    let all = values(name)
    return all.count == 1 ? all[0] : nil
  }

  /// The ticket of `Authorization: Bearer TICKET`.
  public var ticket: String? {
    guard let value = value("authorization"), value.hasPrefix("Bearer ") else { return nil }
    return String(value.dropFirst("Bearer ".count))
  }

  /// Whether the client takes answers that are compressed with gzip.
  public var takesGzip: Bool {
    values("accept-encoding").contains { $0.split(separator: ",").contains { $0.contains(part: "gzip") } }
  }

  /// Whether a tab of the browser shows the answer. Frames, scripts and pictures ask otherwise.
  public var opensTab: Bool { value("sec-fetch-mode") == "navigate" && value("sec-fetch-dest") == "document" }

  /// The entity tag of what the client has.
  public var knownTag: String? { value("if-none-match") }
}

/// Why a request is refused.
public struct WebRefusal: Error, Hashable, Sendable {
  /// The status, such as 403.
  public let status: Int
  /// One line: what was wrong.
  public let reason: String

  /// A refusal with these values.
  public init(_ status: Int, _ reason: String) { (self.status, self.reason) = (status, reason) }

  /// Of a request without a ticket that is valid.
  public static let noTicket = WebRefusal(401, "no valid ticket; reload the page")
  /// Of a request for another host.
  public static let otherHost = WebRefusal(
    421, "the studio is not at this address; open it by a link of its server")
}

/// Decides which requests reach the server. Every request passes it before it is routed.
///
/// Any page of any site can send requests to a server on loopback. So the host must be this server's own name, which no other server has had
/// (decision 85); that also stops DNS rebinding. The browser must say that our own page sends the request. Everything but the page itself needs a ticket
/// of a page that proved itself.
public struct Gate: Sendable {
  /// The bounds of a request's head.
  public static let headBytes = 16 << 10
  /// The most fields.
  public static let fields = 64
  /// The most bytes of a body of JSON.
  public static let jsonBytes = 8 << 20
  /// The most bytes of a picture.
  public static let pictureBytes = 20 << 20
  /// The most bytes of a file that becomes a document.
  public static let documentBytes = 64 << 20

  private let hosts: [String]

  /// The gate of a server with this name, at this port.
  public init(name: String, port: Int) {
    // Browsers leave out the port of the scheme.
    hosts = ["\(name):\(port)"] + (port == 80 ? [name] : [])
  }

  /// Whether a request is for this server.
  public func isHost(of request: WebRequest) -> Bool { request.value("host").map(hosts.contains) ?? false }

  /// The route of a request. `isTicket` says whether a ticket is valid. Throws why it is refused.
  public func route(
    _ request: WebRequest, isTicket: (String) -> Bool
  ) throws(WebRefusal) -> WebRoute {
    guard request.fields.count <= Self.fields else {
      throw WebRefusal(431, "more than \(Self.fields) fields")
    }
    guard let host = request.value("host"), hosts.contains(host) else {
      throw .otherHost
    }
    let route = try WebRoute(request)
    try checkOrigin(request, host, route)
    try checkSite(request, route)
    if route.needsTicket {
      guard let ticket = request.ticket, isTicket(ticket) else {
        throw .noTicket
      }
    }
    return route
  }

  /// `Origin` is ours wherever it is sent, and is sent with all that changes something.
  private func checkOrigin(_ request: WebRequest, _ host: String, _ route: WebRoute) throws(WebRefusal) {
    let origins = request.values("origin")
    guard origins.allSatisfy({ $0 == "http://\(host)" }), origins.count <= 1 else {
      throw WebRefusal(403, "another site's request")
    }
    guard !origins.isEmpty || request.method != "POST" && route != .live else {
      throw WebRefusal(403, "no Origin")
    }
  }

  /// `Sec-Fetch-Site` says that our own page asks. The page itself may be opened from anywhere, as what a tab of the browser shows: by an address
  /// that was typed, by a link in a web terminal or a chat, and by a browser that has tried https before. It holds no secret, and the 80 random bits
  /// of its address are known only to whom the user has given it. A frame is no tab.
  private func checkSite(_ request: WebRequest, _ route: WebRoute) throws(WebRefusal) {
    let sites = request.values("sec-fetch-site")
    guard let site = sites.first else {
      // Browsers send no such field with the request for a WebSocket; that has its Origin.
      guard route == .live || request.values("origin").isEmpty && request.ticket != nil else {
        throw WebRefusal(403, "no Sec-Fetch-Site; use a current browser")
      }
      return
    }
    let isOpened = route == .asset(WebRoute.page) && request.method == "GET" && request.opensTab
    guard sites.count == 1, site == "same-origin" || isOpened else {
      throw WebRefusal(403, "another site's request")
    }
  }
}

/// What a request asks for.
public enum WebRoute: Hashable, Sendable {
  /// A file of the page.
  case asset(String)
  /// Trades a launch code for a session.
  case session
  /// The WebSocket.
  case live
  /// Draws labels.
  case glyphs
  /// The font of outlines that labels were drawn from.
  case font(tag: String)
  /// The designs of emoji.
  case fonts
  /// Chooses one.
  case chooseFont
  /// A document's background.
  case picture(document: String)
  /// An export of a document.
  case render(document: String, RenderQuery)
  /// A small picture of a document, at most `side` pixels wide and high.
  case thumbnail(document: String, side: Int)
  /// The bytes of a duplicate of a document.
  case copy(document: String)
  /// Makes a document from the file in the body.
  case upload(name: String, folder: String)
  /// Sets a document's background to the picture in the body.
  case background(document: String, keepsCanvas: Bool, tag: ProtocolTag?)

  /// The name of the page itself.
  public static let page = "index.html"

  /// Whether the request needs the ticket of a page.
  public var needsTicket: Bool {
    switch self {
    case .asset, .session, .live: false
    case .glyphs, .font, .fonts, .chooseFont, .picture, .render, .thumbnail, .copy, .upload, .background: true
    }
  }

  /// The most bytes of the request's body.
  public var bodyBytes: Int {
    switch self {
    case .asset, .live, .font, .fonts, .picture, .render, .thumbnail, .copy: 0
    case .session, .chooseFont: 4 << 10
    case .glyphs: Gate.jsonBytes
    case .background: Gate.pictureBytes
    case .upload: Gate.documentBytes
    }
  }

  /// Parses method, target and the type of the body. Throws `WebRefusal`.
  init(_ request: WebRequest) throws(WebRefusal) {
    let parts = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = String(parts.first ?? "")
    guard path.utf8.first == UInt8(ascii: "/"), request.target.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw WebRefusal(400, "no path of this server")
    }
    var query = try WebQuery(parts.count > 1 ? String(parts[1]) : "")
    let method: String
    switch path {
    case "/": (self, method) = (.asset(Self.page), "GET")
    case "/session": (self, method) = (.session, "POST")
    case "/live": (self, method) = (.live, "GET")
    case "/glyphs": (self, method) = (.glyphs, "POST")
    case "/fonts": (self, method) = (.fonts, "GET")
    case "/choose-font": (self, method) = (.chooseFont, "POST")
    case "/font": (self, method) = (.font(tag: try query.required("tag")), "GET")
    case "/picture": (self, method) = (.picture(document: try query.required("document")), "GET")
    case "/render":
      (self, method) = (.render(document: try query.required("document"), try RenderQuery(&query)), "GET")
    case "/thumbnail":
      let document = try query.required("document")
      guard let side = Int(try query.required("side")), StudioBodies.thumbnailSides.contains(side) else {
        throw WebRefusal(400, "a side is one of \(StudioBodies.thumbnailSides)")
      }
      (self, method) = (.thumbnail(document: document, side: side), "GET")
    case "/copy": (self, method) = (.copy(document: try query.required("document")), "GET")
    case "/upload":
      let name = try query.required("name")
      (self, method) = (.upload(name: name, folder: query.value("folder") ?? ""), "POST")
    case "/background":
      let document = try query.required("document")
      let keepsCanvas = try query.flag("keepCanvas")
      (self, method) = (
        .background(
          document: document, keepsCanvas: keepsCanvas,
          tag: query.value("tag").flatMap { ProtocolTag(text: $0) }),
        "POST"
      )
    default:
      let name = String(path.dropFirst())
      guard Assets.names.contains(name), name != Self.page else { throw WebRefusal(404, "nothing is here") }
      (self, method) = (.asset(name), "GET")
    }
    try query.end()
    guard request.method == method || method == "GET" && request.method == "HEAD" && self != .live else {
      throw WebRefusal(405, "\(path) takes \(method)")
    }
    guard method == "POST" else { return }
    let type = request.value("content-type") ?? ""
    let isExpected =
      switch self {
      case .background: Self.pictureTypes.contains(type)
      // A type that no form of another site can send.
      case .upload: type == "application/octet-stream"
      default: type == "application/json"
      }
    guard isExpected else { throw WebRefusal(415, "a body of another type") }
  }

  /// The media types of pictures that are taken: those that `emojiart-worker` decodes.
  static let pictureTypes: Set = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]
}

/// The members of a query, each of which is read once.
struct WebQuery {
  private var members: [String: String] = [:]

  /// Parses `a=1&b=x%20y`. Throws `WebRefusal` for two members of one name and for bytes that are no UTF-8.
  init(_ text: String) throws(WebRefusal) {
    for member in text.split(separator: "&") {
      let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let name = Self.decoded(parts[0]), let value = Self.decoded(parts[1]),
        members.updateValue(value, forKey: name) == nil
      else { throw WebRefusal(400, "a malformed query") }
    }
  }

  mutating func value(_ name: String) -> String? { members.removeValue(forKey: name) }

  mutating func required(_ name: String) throws(WebRefusal) -> String {
    guard let value = value(name) else { throw WebRefusal(400, "no \(name) in the query") }
    return value
  }

  /// `1`, or nothing for false.
  mutating func flag(_ name: String) throws(WebRefusal) -> Bool {
    guard let value = value(name) else { return false }
    guard value == "1" else { throw WebRefusal(400, "\(name) can only be 1") }
    return true
  }

  /// Throws if there are members that nothing has read.
  func end() throws(WebRefusal) {
    if let name = members.keys.min() { throw WebRefusal(400, "a query with \(name.prefix(40))") }
  }

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
        continue
      }
      guard rest.count >= 2, let digits = String(rest.prefix(2)), let value = UInt8(digits, radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
