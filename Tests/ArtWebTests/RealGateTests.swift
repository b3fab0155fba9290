// SPDX-License-Identifier: Apache-2.0

import ArtWeb
import Foundation
import TestSupport
import Testing

/// Each defence of the studio as a row for each route, against the real server over real connections. `GateTests` tries more values.
@Suite("The gate of the real server", .serialized, .timeLimit(.minutes(10))) struct RealGateTests {
  /// A request, and what comes to it.
  private struct Request {
    var method: String
    var target: String
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []

    /// The bytes on the wire. The length of a body is told unless another one is.
    var bytes: [UInt8] {
      let isSized = fields.contains { ["Content-Length", "Transfer-Encoding"].contains($0.name) }
      let length = body.isEmpty || isSized ? [] : [(name: "Content-Length", value: "\(body.count)")]
      let lines = (fields + length).map { "\($0.name): \($0.value)\r\n" }.joined()
      return Array("\(method) \(target) HTTP/1.1\r\n\(lines)\r\n".utf8) + body
    }

    /// The same with another value of a field, or without it.
    func with(_ name: String, _ value: String?) -> Request {
      var request = self
      request.fields.removeAll { $0.name == name }
      if let value { request.fields.append((name, value)) }
      return request
    }

    func adding(_ name: String, _ value: String) -> Request {
      var request = self
      request.fields.append((name, value))
      return request
    }

    func has(_ name: String) -> Bool { fields.contains { $0.name == name } }
  }

  /// A route with the request of our own page, and its status.
  private struct TriedRoute {
    let name: String
    let own: Request
    let status: Int
    /// The most bytes of a body.
    let bodyBytes: Int
  }

  /// A running server with a page, and the rows that were tried.
  private final class Matrix {
    let studio: Studio
    let server: ServerProgram
    let page: PageProgram
    let port: Int
    var host: String { server.host }
    private(set) var tally: [String: Int] = [:]
    private var total: Int { tally.values.reduce(0, +) }

    init() throws {
      studio = try Studio()
      server = try studio.serve()
      page = try studio.page(server.link, client: "ffffffffffff")
      try page.open()
      port = server.port
    }

    /// Sends a request over a connection of its own. Its answer must have one of these statuses, and the fields of every answer.
    @discardableResult
    func row(_ defence: String, _ request: Request, _ statuses: Int..., of name: String) throws -> RawAnswer?
    {
      tally[defence, default: 0] += 1
      let connection = try RawConnection(port: port)
      connection.send(request.bytes)
      let answer = try connection.answer(isHead: request.method == "HEAD")
      let what =
        "\(name): \(defence): \(request.method) \(request.target.prefix(100)) \(request.fields.prefix(12))"
      guard let answer else {
        Issue.record("no answer to \(what)")
        return nil
      }
      #expect(statuses.contains(answer.status), "\(answer.status) for \(what)")
      if answer.status != 101 { #expect(answer.faults == [], "\(what)") }
      let isLast = answer.fields.contains { $0.name == "connection" && $0.value == "close" }
      if isLast { try connection.waitForEnd() }
      #expect(
        isLast || [200, 404, 101].contains(answer.status) || defence == "target",
        "\(what) leaves it open")
      return answer
    }

    func say() {
      let parts = tally.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
      print("H1 real server: \(total) requests: \(parts)")
    }
  }

  private static let pixel = [UInt8](
    Data(
      base64Encoded:
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")
      ?? Data())

  /// All routes, with requests of our own page.
  private func routes(_ matrix: Matrix) throws -> [TriedRoute] {
    let host = matrix.host
    let common = [(name: "Host", value: host), (name: "Sec-Fetch-Site", value: "same-origin")]
    let origin = (name: "Origin", value: "http://\(host)")
    let ticket = (name: "Authorization", value: "Bearer \(matrix.page.ticket)")
    let json = (name: "Content-Type", value: "application/json")
    func get(_ target: String, _ more: [(name: String, value: String)]) -> Request {
      Request(method: "GET", target: target, fields: common + more)
    }
    func post(_ target: String, _ more: [(name: String, value: String)], _ body: [UInt8]) -> Request {
      Request(method: "POST", target: target, fields: common + [origin] + more, body: body)
    }
    let sheet = #"{"height":64,"labels":[{"size":20,"text":"🐝","x":32,"y":32}],"width":64}"#
    let code = try matrix.studio.link().split(separator: "=").last.map(String.init) ?? ""
    let upgrade = [
      (name: "Connection", value: "Upgrade"), (name: "Upgrade", value: "websocket"),
      (name: "Sec-WebSocket-Key", value: "AAAAAAAAAAAAAAAAAAAAAA=="),
      (name: "Sec-WebSocket-Version", value: "13"),
      (name: "Sec-WebSocket-Protocol", value: "emojiart-1"),
    ]
    let document = "document=bees.emojiart"
    return [
      TriedRoute(name: "page", own: get("/", []), status: 200, bodyBytes: 0),
      TriedRoute(name: "asset", own: get("/main.js", []), status: 200, bodyBytes: 0),
      TriedRoute(
        name: "session", own: post("/session", [json], Array(#"{"code":"\#(code)"}"#.utf8)), status: 200,
        bodyBytes: 4 << 10),
      TriedRoute(name: "live", own: get("/live", [origin]), status: 426, bodyBytes: 0),
      TriedRoute(name: "upgrade", own: get("/live", [origin] + upgrade), status: 101, bodyBytes: 0),
      TriedRoute(
        name: "glyphs", own: post("/glyphs", [json, ticket], Array(sheet.utf8)), status: 200,
        bodyBytes: 8 << 20),
      // No outlines were drawn yet.
      TriedRoute(name: "font", own: get("/font?tag=1-2", [ticket]), status: 404, bodyBytes: 0),
      TriedRoute(name: "fonts", own: get("/fonts", [ticket]), status: 200, bodyBytes: 0),
      TriedRoute(
        name: "choice", own: post("/choose-font", [json, ticket], Array(#"{"name":"noto"}"#.utf8)),
        status: 200,
        bodyBytes: 4 << 10),
      // The document has no background.
      TriedRoute(name: "picture", own: get("/picture?\(document)", [ticket]), status: 404, bodyBytes: 0),
      TriedRoute(
        name: "render", own: get("/render?\(document)&format=png&scale=0.1", [ticket]), status: 200,
        bodyBytes: 0),
      TriedRoute(
        name: "background",
        own: post(
          "/background?\(document)&tag=a", [(name: "Content-Type", value: "image/png"), ticket], Self.pixel),
        status: 200, bodyBytes: 20 << 20),
    ]
  }

  @Test(
    "H1 each route of the real server refuses each request with one wrong part, and every answer has the fields of all"
  )
  func matrix() throws {
    let matrix = try Matrix()
    let routes = try routes(matrix)
    let origin = "http://\(matrix.host)"
    for route in routes {
      func refused(_ defence: String, _ status: Int, _ requests: Request...) throws {
        for request in requests { try matrix.row(defence, request, status, of: route.name) }
      }
      let own = route.own
      let port = matrix.port
      for host in [
        "evil.example:\(port)", "127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)", "0.0.0.0:\(port)",
        String(matrix.host.prefix { $0 != ":" }), "emojiart.localhost:\(port)", "",
      ] {
        try refused("host", 421, own.with("Host", host))
      }
      try refused("host", 421, own.with("Host", nil), own.adding("Host", matrix.host))
      var absolute = own
      absolute.target = origin + own.target
      try refused("target", 400, absolute)
      for wrong in [
        "null", "http://evil.example", "http://127.0.0.1:\(port)", "https://\(matrix.host)", "",
        "\(origin), \(origin)",
      ] {
        try refused("origin", 403, own.with("Origin", wrong))
      }
      try refused("origin", 403, own.with("Origin", origin).adding("Origin", origin))
      if own.has("Origin") { try refused("origin", 403, own.with("Origin", nil)) }
      for site in ["cross-site", "same-site", "none", "", "same-origin, same-origin"] {
        try refused("site", 403, own.with("Sec-Fetch-Site", site))
      }
      try refused(
        "site", 403, own.adding("Sec-Fetch-Site", "same-origin"),
        own.with("Sec-Fetch-Site", "cross-site").adding("Sec-Fetch-Mode", "navigate"))
      for site in ["same-site", "cross-site"] {
        let opened = own.with("Sec-Fetch-Site", site).adding("Sec-Fetch-Mode", "navigate")
        for frame in ["iframe", "embed", "object"] {
          try refused("site", 403, opened.adding("Sec-Fetch-Dest", frame))
        }
        if own.target != "/" { try refused("site", 403, opened.adding("Sec-Fetch-Dest", "document")) }
      }
      if !own.target.hasPrefix("/live"), own.has("Origin") || !own.has("Authorization") {
        try refused("site", 403, own.with("Sec-Fetch-Site", nil))
      }
      if own.has("Authorization") {
        let ticket = matrix.page.ticket
        for wrong in [
          "Bearer \(String(repeating: "0", count: 32))", ticket, "Basic \(ticket)", "Bearer ",
          "Bearer \(ticket)0",
        ] {
          try refused("ticket", 401, own.with("Authorization", wrong))
        }
        var inQuery = own.with("Authorization", nil)
        inQuery.target += (own.target.contains("?") ? "&" : "?") + "ticket=\(ticket)"
        try refused(
          "ticket", 401, own.with("Authorization", nil), own.adding("Authorization", "Bearer \(ticket)"),
          own.with("Authorization", nil).adding("Cookie", "ticket=\(ticket)"))
        try refused("ticket", 400, inQuery)
      }
      for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"]
      where method != own.method {
        var other = own
        (other.method, other.body) = (method, [])
        let isHead = method == "HEAD" && own.method == "GET" && !own.target.hasPrefix("/live")
        try refused("method", isHead ? route.status : 405, other)
      }
      for method in ["CONNECT", "get", "BREW"] {
        var other = own
        (other.method, other.body) = (method, [])
        try refused("method", method == "CONNECT" ? 405 : 400, other)
      }
      let types = [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "image/svg+xml",
        "",
        "application/json; charset=utf-8",
        own.target.hasPrefix("/background") ? "application/json" : "image/png",
      ]
      if own.method == "POST" {
        for type in types { try refused("type", 415, own.with("Content-Type", type)) }
        try refused(
          "type", 415, own.with("Content-Type", nil), own.adding("Content-Type", "application/json"))
      }
      // Bytes that follow the request for a WebSocket are frames.
      if route.name != "upgrade" {
        var long = own
        long.body = [UInt8](repeating: 0x20, count: route.bodyBytes + 1)
        var chunked = own.adding("Transfer-Encoding", "chunked")
        chunked.body =
          Array("\(String(long.body.count, radix: 16))\r\n".utf8) + long.body + Array("\r\n0\r\n\r\n".utf8)
        // One that has no body at all is refused for what it is.
        try refused("body", route.name == "live" ? 426 : 413, long, chunked)
      }
      try refused("head", 431, own.adding("X-Long", String(repeating: "x", count: 16 << 10)))
      try refused("head", 431, (0..<64).reduce(own) { $0.adding("X-\($1)", "") })
      try refused(
        "syntax", 400, own.adding("Content-Length", "1").adding("Content-Length", "2"),
        own.adding("X y", "z"),
        own.adding("Content-Length", "1").adding("Transfer-Encoding", "chunked"), own.adding("X", "\u{0}"))
    }
    try targets(matrix, routes)
    try ownRequests(matrix, routes)
    matrix.say()
    #expect(
      matrix.tally.keys.sorted() == [
        "body", "head", "host", "method", "origin", "own", "site", "syntax", "target", "ticket", "type",
      ])
    #expect(matrix.tally.values.allSatisfy { $0 >= 10 })
    try matrix.server.end()
  }

  /// Targets that lead to nothing.
  private func targets(_ matrix: Matrix, _ routes: [TriedRoute]) throws {
    let own = try #require(routes.first { $0.name == "render" }).own
    for target in [
      "/../etc/passwd", "/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "//evil.example/", "/main.js/",
      "/main.js/..",
      "/index.html", "/nothing", "/main.js?x=1", "/picture", "/picture?document=a&document=b",
      "/picture?document=%ff",
      "/picture?document=a&other=1", "/picture?document=../bees.emojiart",
      "/picture?document=%2Fetc%2Fpasswd",
      "/render?document=bees.emojiart", "/render?document=bees.emojiart&format=exe",
      "/render?document=bees.emojiart&format=png&scale=0", "/render?document=bees.emojiart&format=png&dpi=0",
      "/render?document=../../etc/passwd&format=png", "/render?document=a%00.emojiart&format=png",
      "/.git/config",
    ] {
      var other = own
      other.target = target
      try matrix.row("target", other, 400, 404, of: "any")
    }
    for target in ["*", "main.js", "\\main.js", "evil.example:80"] {
      var other = own
      other.target = target
      try matrix.row("target", other, 400, of: "any")
    }
  }

  /// What our own page asks for is answered, and what the user opens.
  private func ownRequests(_ matrix: Matrix, _ routes: [TriedRoute]) throws {
    for route in routes { try matrix.row("own", route.own, route.status, of: route.name) }
    for name in Assets.names.sorted() where name != "index.html" {
      var asset = routes[1].own
      asset.target = "/\(name)"
      try matrix.row("own", asset, 200, of: name)
    }
    let opened = routes[0].own.adding("Sec-Fetch-Mode", "navigate").adding("Sec-Fetch-Dest", "document")
    for site in ["none", "same-site", "cross-site"] {
      try matrix.row("own", opened.with("Sec-Fetch-Site", site), 200, of: "page")
    }
    // What is refused in a tab is said to a person.
    let answer = try matrix.row(
      "host", opened.with("Host", "localhost:\(matrix.port)"), 421, of: "page")
    #expect(answer?.fields.contains { $0.name == "content-type" && $0.value.hasPrefix("text/plain") } == true)
    #expect(
      answer.map { String(decoding: $0.body, as: UTF8.self) }
        == "the studio is not at this address; open it by a link of its server\n")
    // A program with a ticket, as curl sends it.
    let curl = try #require(routes.first { $0.name == "render" }).own.with("Sec-Fetch-Site", nil)
    try matrix.row("own", curl, 200, of: "render")
  }

  @Test(
    "H2 H3 a used code, a foreign session, and the ticket of a page that has gone are refused by the real server"
  )
  func secrets() throws {
    let studio = try Studio()
    let server = try studio.serve()
    let page = try studio.page(server.link, client: "aaaaaaaaaaaa")
    let host = server.host
    func status(_ request: Request) throws -> Int? {
      let connection = try RawConnection(port: server.port)
      connection.send(request.bytes)
      let answer = try connection.answer()
      #expect(answer?.faults == [])
      return answer?.status
    }
    let own = [
      (name: "Host", value: host), (name: "Origin", value: "http://\(host)"),
      (name: "Sec-Fetch-Site", value: "same-origin"),
    ]
    let json = own + [(name: "Content-Type", value: "application/json")]
    func trade(_ code: String) -> Request {
      Request(method: "POST", target: "/session", fields: json, body: Array(#"{"code":"\#(code)"}"#.utf8))
    }
    let render = Request(
      method: "GET", target: "/render?document=bees.emojiart&format=svg",
      fields: own + [(name: "Authorization", value: "Bearer \(page.ticket)")])
    #expect(try status(render) == 200)
    page.leave()
    try wait(for: "the end of the ticket") { try status(render) == 401 }
    // The page has used the code of the link.
    let used = try #require(server.link.split(separator: "=").last.map(String.init))
    #expect(try status(trade(used)) == 403)
    let messages = [
      #"{"hello":{"nonce":"0123456789abcdef","session":"0000000000000000"}}"#,
      #"{"open":"bees.emojiart","tag":"1"}"#,
      #"{"answer":{"client":"0123456789ab","proof":"00"}}"#, "nonsense", "",
    ]
    let upgrade =
      own + [
        (name: "Connection", value: "Upgrade"), (name: "Upgrade", value: "websocket"),
        (name: "Sec-WebSocket-Key", value: "AAAAAAAAAAAAAAAAAAAAAA=="),
        (name: "Sec-WebSocket-Version", value: "13"),
        (name: "Sec-WebSocket-Protocol", value: "emojiart-1"),
      ]
    for message in messages {
      let connection = try RawConnection(port: server.port)
      connection.send(Request(method: "GET", target: "/live", fields: upgrade).bytes)
      #expect(try connection.answer()?.status == 101)
      connection.send(Frame.bytes(.text, message))
      let bye = try #require(try connection.frame())
      #expect(bye.text.contains(#""bye""#) && !bye.text.contains("welcome"), "\(bye.text)")
      #expect(try connection.frame()?.code == 1008)
      try connection.waitForEnd()
    }
    // The used code is one failure; a foreign session is none.
    for _ in 0..<9 { #expect(try status(trade("0")) == 403) }
    let fresh = try #require(studio.link().split(separator: "=").last.map(String.init))
    #expect(try status(trade(fresh)) == 429)
    try server.end()
  }

  @Test("H12 the server listens on 127.0.0.1 and ::1 only, and answers at both")
  func addresses() throws {
    guard LoopbackSocket.hasV6(for: "H12 both addresses") else { return }
    let studio = try Studio()
    let server = try studio.serve()
    for address in ["127.0.0.1", "::1"] {
      let connection = try RawConnection(address, port: server.port)
      connection.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nSec-Fetch-Site: none\r\n\r\n")
      let answer = try connection.answer()
      #expect(answer?.status == 421, "\(address)")
    }
    #expect(throws: ProgramError.self) { try RawConnection("127.0.0.2", port: server.port) }
    let listening =
      try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
      + String(contentsOfFile: "/proc/net/tcp6", encoding: .utf8)
    let suffix = ":" + String(format: "%04X", server.port)
    let places = listening.split(separator: "\n").map { $0.split(separator: " ") }.filter {
      $0.count > 3 && $0[1].hasSuffix(suffix) && $0[3] == "0A"
    }
    #expect(
      places.map { String($0[1]) } == ["0100007F" + suffix, "00000000000000000000000001000000" + suffix])
    try server.end()
  }

  @Test(
    "H12 a connection of another user is closed without an answer, also one that was closed before the server looked"
  )
  func otherUser() throws {
    guard isRoot(for: "H12 connections of other users") else { return }
    let studio = try Studio()
    let server = try studio.serve()
    let code = try #require(server.link.split(separator: "=").last)
    // A connection of the own user, whose port is tried from another address.
    let own = try RawConnection(port: server.port)
    // Sends a request that our own page could send, and prints what comes back.
    let script = """
      import socket, sys, time
      port, waits, body = int(sys.argv[1]), sys.argv[2] == "wait", '{"code":"%s"}' % sys.argv[3]
      end = socket.create_connection(("::1" if ":" in sys.argv[4] else "127.0.0.1", port), source_address=(sys.argv[4], int(sys.argv[5])))
      end.sendall((f"POST /session HTTP/1.1\\r\\nHost: {sys.argv[6]}\\r\\nOrigin: http://{sys.argv[6]}\\r\\n"
        f"Connection: close\\r\\nSec-Fetch-Site: same-origin\\r\\nContent-Type: application/json\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n{body}").encode())
      came = b""
      try:
        while waits and (part := end.recv(4096)): came += part
      except ConnectionError: pass
      own = ":%04X " % end.getsockname()[1]
      end.close()
      # The kernel forgets whose the end is when it has told the other end.
      def state(): return next((line.split()[3] for line in open("/proc/net/tcp") if own in line[:20]), "")
      while not waits and state() == "04": time.sleep(0.01)
      print("came:", came.split(b"\\r\\n")[0].decode())
      """
    let nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups"]
    func trade(
      _ user: [String], waits: Bool = true, from address: String = "127.0.0.1", _ port: Int = 0
    ) throws -> String {
      let words =
        user + [
          "/usr/bin/python3", "-c", script, "\(server.port)", waits ? "wait" : "leave", String(code), address,
          "\(port)", server.host,
        ]
      return try studio.output("/usr/bin/setpriv", words)
    }
    #expect(try trade(nobody) == "came: ")
    if LoopbackSocket.hasV6(for: "H12 another user at ::1") {
      #expect(try trade(nobody, from: "::1") == "came: ")
    }
    // 127.0.0.2 can have the port that an accepted connection of this user has at 127.0.0.1.
    #expect(try trade(nobody, from: "127.0.0.2", own.ownPort()) == "came: ")
    #expect(try trade(["--reuid", "0"], from: "127.0.0.2") == "came: ")
    // It is closed before the stopped server can look whose it is.
    kill(server.id, SIGSTOP)
    var status: Int32 = 0
    #expect(waitpid(server.id, &status, WUNTRACED) == server.id)
    #expect(try trade(nobody, waits: false) == "came: ")
    kill(server.id, SIGCONT)
    // The same request of this user is answered, and its code was not used.
    let address = LoopbackSocket.hasV6 ? "::1" : "127.0.0.1"
    #expect(try trade(["--reuid", "0"], from: address) == "came: HTTP/1.1 200 OK")
    print(
      "H12 other users: connections of nobody and from 127.0.0.2 got no answer, the same request of the own user did"
    )
    try server.end()
  }
}
