// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtModel
  import ArtProtocol
  import ArtSystem
  import ArtWeb
  import ArtWorkspace
  import NIOCore
  import NIOHTTP1
  import NIOWebSocket

  /// Answers the requests of a connection, one after the other.
  final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// A request whose body is being read.
    private struct Open {
      let request: WebRequest
      let route: WebRoute
      let keepsAlive: Bool
      var body = ByteBuffer()
    }

    private let server: StudioServer
    private let door: Door
    private let limit: ConnectionLimit
    private var open: Open?
    /// The answer that is being made.
    private var work: Task<Void, Never>?
    /// Whether a request was refused. Nothing more is performed then.
    private var isRefused = false

    init(_ server: StudioServer, _ door: Door, _ limit: ConnectionLimit) {
      (self.server, self.door, self.limit) = (server, door, limit)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let part = unwrapInboundIn(data)
      if isRefused {
        if case .end = part { context.close(promise: nil) }
        return
      }
      switch part {
      case .head(let head): begin(head, context)
      case .body(var part):
        guard let most = open?.route.bodyBytes, let length = open?.body.readableBytes else { return }
        guard length + part.readableBytes <= most else { return refuse(.longBody, context, hasMore: true) }
        guard limit.hold(part.readableBytes) else { return refuse(.tooMuchWaits, context, hasMore: true) }
        // In place: with a second reference to the body, each part would copy it.
        open?.body.writeBuffer(&part)
      case .end:
        guard let request = open else { return }
        open = nil
        limit.beginAnswer()
        answer(request, context)
      }
    }

    func channelInactive(context: ChannelHandlerContext) {
      // A page that scrolls on needs its thumbnails no more.
      work?.cancel()
      context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      guard event is ConnectionLimit.LateBody else { return context.fireUserInboundEventTriggered(event) }
      guard open != nil, !isRefused else { return context.close(promise: nil) }
      refuse(WebRefusal(408, "the body takes too long"), context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      // The request of an upgrade that is refused comes next.
      if error is NIOWebSocketUpgradeError { return }
      guard error is HTTPParserError, !isRefused else { return context.close(promise: nil) }
      refuse(WebRefusal(400, "no request of HTTP"), context)
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
      // A body is not read before it is known to be taken.
      let length = head.headers["content-length"].first.flatMap { Int($0) }
      let hasBody = length.map { $0 > 0 } ?? head.headers.contains(name: "transfer-encoding")
      do throws(WebRefusal) {
        let route = try server.route(head, at: door)
        guard route != .live else { throw WebRefusal(426, "this is for WebSockets only") }
        guard length ?? 0 <= route.bodyBytes else { throw .longBody }
        open = Open(request: WebRequest(head), route: route, keepsAlive: head.isKeepAlive)
        limit.beginBody(context.channel)
      } catch {
        refuse(
          error, context, isHead: head.method == .HEAD, isShown: WebRequest(head).opensTab, hasMore: hasBody)
      }
    }

    /// Answers with a refusal and ends the connection. If more of the request comes, it is read and dropped for a moment: a connection that is
    /// closed before would take the answer away from its sender.
    private func refuse(
      _ refusal: WebRefusal, _ context: ChannelHandlerContext, isHead: Bool = false, isShown: Bool = false,
      hasMore: Bool = false
    ) {
      (open, isRefused) = (nil, true)
      limit.releaseAll()
      limit.beginEnd(context.channel)
      let channel = context.channel
      let answer = isShown ? WebAnswer(shown: refusal) : WebAnswer(refusal)
      channel.write(Self.head(of: answer, keepsAlive: false), promise: nil)
      if !isHead { channel.write(Self.body(answer.body[...]), promise: nil) }
      let written: EventLoopFuture<Void> = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
      if !hasMore { written.whenComplete { _ in channel.close(promise: nil) } }
    }

    private func answer(_ open: Open, _ context: ChannelHandlerContext) {
      let writer = AnswerWriter(
        channel: context.channel, limit: NIOLoopBound(limit, eventLoop: context.eventLoop),
        waiting: server.waiting, keepsAlive: open.keepsAlive, isHead: open.request.method == "HEAD")
      work = Self.begin(open.request, open.route, Array(open.body.readableBytesView), server, writer)
    }

    private static func begin(
      _ request: WebRequest, _ route: WebRoute, _ body: [UInt8], _ server: StudioServer,
      _ writer: AnswerWriter
    ) -> Task<Void, Never> {
      Task { await writer.write(await server.answer(to: request, route, body)) }
    }

    fileprivate static func head(of answer: WebAnswer, keepsAlive: Bool) -> HTTPServerResponsePart {
      var fields = HTTPHeaders(answer.fields.map { ($0.name, $0.value) })
      if answer.status != 304 { fields.add(name: "Content-Length", value: "\(answer.body.count)") }
      if !keepsAlive { fields.add(name: "Connection", value: "close") }
      return .head(
        HTTPResponseHead(
          version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status), headers: fields))
    }

    fileprivate static func body(_ bytes: ArraySlice<UInt8>) -> HTTPServerResponsePart {
      .body(.byteBuffer(ByteBuffer(bytes: bytes)))
    }
  }

  /// Writes an answer part by part, each when the last one is read, so that a client that does not read is noticed.
  private struct AnswerWriter: Sendable {
    let channel: any Channel
    let limit: NIOLoopBound<ConnectionLimit>
    let waiting: WaitingBytes
    let keepsAlive: Bool
    let isHead: Bool

    private static let part = 1 << 20

    func write(_ answer: WebAnswer) async {
      // The request's body is performed. What cannot be done at an end of the connection need not be done.
      do { try await channel.eventLoop.submit { limit.value.releaseAll() }.get() } catch { return }
      let count = answer.body.count
      if waiting.add(count) {
        await writeWhole(answer)
        waiting.remove(count)
      } else {
        await writeWhole(WebAnswer(.tooMuchWaits))
      }
    }

    private func writeWhole(_ answer: WebAnswer) async {
      do {
        channel.write(RequestHandler.head(of: answer, keepsAlive: keepsAlive), promise: nil)
        var rest = isHead ? [] : answer.body[...]
        while rest.count > Self.part {
          try await write(RequestHandler.body(rest.prefix(Self.part)))
          rest = rest.dropFirst(Self.part)
        }
        if !rest.isEmpty { channel.write(RequestHandler.body(rest), promise: nil) }
        // Before the end, since the next request may come with it.
        if keepsAlive { try await channel.eventLoop.submit { limit.value.beginIdle(channel) }.get() }
        try await write(.end(nil))
      } catch {
        // A client that has gone gets nothing.
      }
      if !keepsAlive { channel.close(promise: nil) }
    }

    private func write(_ part: HTTPServerResponsePart) async throws {
      let slow = channel.eventLoop.scheduleTask(in: SocketHandler.slowLife) { channel.close(promise: nil) }
      let written: EventLoopFuture<Void> = channel.writeAndFlush(part)
      // In the turn of the loop in which it is written.
      written.whenComplete { _ in slow.cancel() }
      try await written.get()
    }
  }

  extension WebRefusal {
    fileprivate static let longBody = WebRefusal(413, "the body is too long")
    fileprivate static let tooMuchWaits = WebRefusal(503, "too much waits in the server; try again")
  }

  extension StudioServer {
    /// The answer to a request that passed the gate.
    fileprivate func answer(to request: WebRequest, _ route: WebRoute, _ body: [UInt8]) async -> WebAnswer {
      do throws(WebRefusal) { return try await answer(route, request, body) } catch {
        return WebAnswer(error)
      }
    }

    private func answer(
      _ route: WebRoute, _ request: WebRequest, _ body: [UInt8]
    ) async throws(WebRefusal) -> WebAnswer {
      // The session may have ended while the body came.
      let isAdmitted = withSessions { sessions, _ in request.ticket.map(sessions.isTicket) ?? false }
      guard !route.needsTicket || isAdmitted else { throw .noTicket }
      switch route {
      case .asset(let name): return try asset(name, request)
      case .session:
        let code = try WebAnswer.text("code", in: body)
        let session = try withSessions { (sessions, now) throws(WebRefusal) in
          try sessions.trade(code, at: now)
        }
        keepSessions()
        return WebAnswer(session: session.id, token: session.token, preferences: preferences())
      case .live: throw WebRefusal(426, "this is for WebSockets only")
      case .glyphs, .font, .fonts, .chooseFont, .picture, .render, .thumbnail, .copy, .upload, .background:
        do throws(ArtError) { return try await picture(route, request, body) } catch {
          return WebAnswer(error)
        }
      }
    }

    private func picture(
      _ route: WebRoute, _ request: WebRequest, _ body: [UInt8]
    ) async throws(ArtError) -> WebAnswer {
      switch route {
      case .glyphs: return WebAnswer(try await bodies.glyphs(body))
      case .fonts: return WebAnswer(try bodies.fonts())
      case .chooseFont: return WebAnswer(try bodies.choose(body))
      case .font(let tag):
        guard let font = try bodies.font(tag) else {
          return WebAnswer(WebRefusal(404, "another font has taken its place"))
        }
        return WebAnswer(font)
      case .picture(let document): return WebAnswer(try await bodies.picture(document))
      case .render(let document, let query): return WebAnswer(try await bodies.render(document, query))
      case .thumbnail(let document, let side):
        return WebAnswer(try await bodies.thumbnail(document, side: side))
      case .copy(let document): return WebAnswer(try await bodies.copy(document))
      case .upload(let name, let folder):
        return WebAnswer(try await hub.workspace.add(UploadedFile(name: name, bytes: body), to: folder))
      case .background(let document, let keepsCanvas, let tag):
        guard let ticket = request.ticket, let page = hub.page(ticket) else {
          throw ArtError(.closed, "the page has gone")
        }
        try await page.setBackground(body, of: document, keepsCanvas: keepsCanvas, tag: tag)
        return WebAnswer(fetching: "a picture", tag: tag)
      case .asset, .session, .live: throw ArtError(.usage, "no picture")
      }
    }

    /// A file of the page: the one in the program, or in the folder for developing.
    private func asset(_ name: String, _ request: WebRequest) throws(WebRefusal) -> WebAnswer {
      guard let folder = launch.assets else { return try assets.answer(name, request) }
      var bytes: [UInt8]?
      do throws(SystemError) { bytes = try SmallFile.read("\(folder)/\(name)", limit: 8 << 20) } catch {
        // It is as good as none.
      }
      guard let bytes else { throw WebRefusal(404, "no \(name) in the folder of assets") }
      return WebAnswer(asset: bytes, name)
    }
  }
#endif
