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
    private struct Open: Sendable {
      let request: WebRequest
      let route: WebRoute
      let keepsAlive: Bool
      var body = ByteBuffer()
    }

    private let server: StudioServer
    private let limit: OpeningLimit
    private var open: Open?
    /// The answer that is being made.
    private var work: Task<Void, Never>?
    /// Whether a request was refused. Nothing more is read then.
    private var isRefused = false

    init(_ server: StudioServer, _ limit: OpeningLimit) { (self.server, self.limit) = (server, limit) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isRefused else { return }
      switch unwrapInboundIn(data) {
      case .head(let head): begin(head, context)
      case .body(var part):
        guard let limit = open?.route.bodyBytes, let length = open?.body.readableBytes else { return }
        guard length + part.readableBytes <= limit else {
          return refuse(WebRefusal(413, "the body is too long"), context)
        }
        // In place: with a second reference to the body, each part would copy it.
        open?.body.writeBuffer(&part)
      case .end:
        guard let request = open else { return }
        open = nil
        answer(request, context)
      }
    }

    func channelInactive(context: ChannelHandlerContext) {
      // A page that scrolls on needs its thumbnails no more.
      work?.cancel()
      context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      // The request of an upgrade that is refused comes next.
      if error is NIOWebSocketUpgradeError { return }
      guard error is HTTPParserError, !isRefused else { return context.close(promise: nil) }
      refuse(WebRefusal(400, "no request of HTTP"), context)
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
      limit.lift()
      do throws(WebRefusal) {
        let route = try server.route(head)
        guard route != .live else { throw WebRefusal(426, "this is for WebSockets only") }
        open = Open(request: WebRequest(head), route: route, keepsAlive: head.isKeepAlive)
      } catch {
        refuse(error, context, isHead: head.method == .HEAD)
      }
    }

    /// Answers with a refusal and ends the connection, because the rest of the request is not read.
    private func refuse(_ refusal: WebRefusal, _ context: ChannelHandlerContext, isHead: Bool = false) {
      (open, isRefused) = (nil, true)
      Self.write(WebAnswer(refusal), to: context.channel, keepsAlive: false, isHead: isHead)
    }

    private func answer(_ open: Open, _ context: ChannelHandlerContext) {
      work = Self.begin(open, server, context.channel)
    }

    private static func begin(_ open: Open, _ server: StudioServer, _ channel: any Channel) -> Task<
      Void, Never
    > {
      let work = Task {
        let answer = await server.answer(to: open.request, open.route, Array(open.body.readableBytesView))
        write(answer, to: channel, keepsAlive: open.keepsAlive, isHead: open.request.method == "HEAD")
      }
      return work
    }

    private static func write(
      _ answer: WebAnswer, to channel: any Channel, keepsAlive: Bool, isHead: Bool
    ) {
      var fields = HTTPHeaders(answer.fields.map { ($0.name, $0.value) })
      if answer.status != 304 { fields.add(name: "Content-Length", value: "\(answer.body.count)") }
      if !keepsAlive { fields.add(name: "Connection", value: "close") }
      let head = HTTPResponseHead(
        version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status), headers: fields)
      channel.write(HTTPServerResponsePart.head(head), promise: nil)
      if !isHead, !answer.body.isEmpty {
        channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: answer.body))), promise: nil)
      }
      let written = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
      if !keepsAlive { written.whenComplete { _ in channel.close(promise: nil) } }
    }
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
      switch route {
      case .asset(let name): return try asset(name, request)
      case .session:
        let code = try WebAnswer.text("code", in: body)
        let session = try withSessions { (sessions, now) throws(WebRefusal) in
          try sessions.trade(code, at: now)
        }
        keepSessions()
        return WebAnswer(session: session.id, token: session.token)
      case .code:
        return WebAnswer(code: withSessions { sessions, now in sessions.makeCode(at: now) })
      case .live: throw WebRefusal(426, "this is for WebSockets only")
      case .glyphs, .picture, .render, .thumbnail, .copy, .upload, .background:
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
      case .asset, .session, .code, .live: throw ArtError(.usage, "no picture")
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
