// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtModel
  import ArtSystem
  import ArtWeb
  import Glibc
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOWebSocket

  /// How a connection becomes requests or messages.
  enum Connection {
    /// The subprotocol of the WebSocket.
    static let subprotocol = "emojiart-1"

    /// Accepts connections at a bound socket. Throws `unavailable`.
    static func listen(
      _ descriptor: Int32, _ server: StudioServer, _ group: MultiThreadedEventLoopGroup
    ) async throws(ArtError) -> any Channel {
      do {
        return try await ServerBootstrap(group: group)
          .serverChannelOption(.backlog, value: 64)
          .childChannelOption(.writeBufferWaterMark, value: .init(low: 256 << 10, high: 1 << 20))
          .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture { try prepare(channel, server) }
          }
          .withBoundSocket(descriptor).get()
      } catch {
        throw ArtError(.unavailable, "the server cannot listen: \(error)")
      }
    }

    private static func prepare(_ channel: any Channel, _ server: StudioServer) throws {
      // Before a byte is read: other users of this machine can connect to a port of loopback, too.
      guard let peer = channel.remoteAddress, let address = peer.ipAddress, let port = peer.port,
        LoopbackPeer.isOwn(address: address, port: port, at: server.port), server.connect()
      else {
        channel.close(promise: nil)
        return
      }
      channel.closeFuture.whenComplete { _ in server.disconnect() }
      try addHandlers(to: channel, server)
    }

    /// Adds what reads the requests and messages of a connection. Its deadlines are those of the channel's event loop.
    static func addHandlers(to channel: any Channel, _ server: StudioServer) throws {
      let pipeline = channel.pipeline.syncOperations
      let limit = OpeningLimit()
      try pipeline.addHandler(limit)
      let handler = RequestHandler(server, limit)
      let (boundLimit, boundHandler) = (
        NIOLoopBound(limit, eventLoop: channel.eventLoop), NIOLoopBound(handler, eventLoop: channel.eventLoop)
      )
      let upgrader = NIOWebSocketServerUpgrader(
        maxFrameSize: PageMessage.limit, automaticErrorHandling: true,
        shouldUpgrade: { channel, head in
          channel.eventLoop.makeSucceededFuture(fields(toUpgrade: head, server))
        },
        upgradePipelineHandler: { channel, _ in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(MaskCheck())
            try pipeline.addHandler(
              NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 64,
                maxAccumulatedFrameSize: PageMessage.limit))
            try pipeline.addHandler(SocketHandler(server, boundLimit.value))
          }
        })
      try pipeline.configureHTTPServerPipeline(
        withServerUpgrade: (
          upgraders: [upgrader],
          completionHandler: { context in
            context.pipeline.syncOperations.removeHandler(boundHandler.value, promise: nil)
          }
        ),
        // The handler itself answers what is no request, with the fields of every answer.
        withErrorHandling: false)
      try pipeline.addHandler(handler)
    }

    /// The fields of the answer that accepts a WebSocket; nil if the request is refused.
    private static func fields(toUpgrade head: HTTPRequestHead, _ server: StudioServer) -> HTTPHeaders? {
      do throws(WebRefusal) {
        guard try server.route(head) == .live else { return nil }
      } catch {
        return nil
      }
      let offered = head.headers["sec-websocket-protocol"].flatMap { $0.split(separator: ",") }
      guard offered.contains(where: { $0.filter { $0 != " " } == subprotocol }) else { return nil }
      return ["Sec-WebSocket-Protocol": subprotocol]
    }
  }

  extension StudioServer {
    /// The route of a request. Throws why it is refused.
    func route(_ head: HTTPRequestHead) throws(WebRefusal) -> WebRoute {
      let bytes = head.headers.reduce(head.uri.utf8.count) {
        $0 + $1.name.utf8.count + $1.value.utf8.count + 4
      }
      guard bytes <= Gate.headBytes else { throw WebRefusal(431, "the head is too long") }
      return try withSessions { (sessions, _) throws(WebRefusal) in
        try gate.route(WebRequest(head)) { sessions.isTicket($0) }
      }
    }
  }

  extension WebRequest {
    /// The head of a request as NIO parsed it.
    init(_ head: HTTPRequestHead) {
      self.init(
        method: head.method.rawValue, target: head.uri, fields: head.headers.map { ($0.name, $0.value) })
    }
  }

  /// Ends a connection that takes too long for the head of its first request, or whose page sends too much or takes too long until it has
  /// proved its session.
  ///
  ///     head (5 s) ──a head──▶ open ◀──admitted── proving (5 s, 4 KiB)
  ///        └─────────────────upgraded────────────────▲
  ///
  /// It stays in front of what parses, so bytes count before they are one message.
  final class OpeningLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// How long the head, and the proof, may take.
    static let life = TimeAmount.seconds(5)
    /// The most bytes of a page that has not proved its session.
    static let proofBytes = 4 << 10

    private var deadline: Scheduled<Void>?
    /// How many bytes may still come; nil for any number.
    private var bytes: Int?

    func channelActive(context: ChannelHandlerContext) {
      limit(context.channel)
      context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if let bytes {
        let left = bytes - unwrapInboundIn(data).readableBytes
        guard left >= 0 else { return context.close(promise: nil) }
        self.bytes = left
      }
      context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
      deadline?.cancel()
      context.fireChannelInactive()
    }

    /// The head is read whole, or the page is admitted.
    func lift() {
      deadline?.cancel()
      bytes = nil
    }

    /// The connection has become a WebSocket.
    func beginProof(_ channel: any Channel) {
      limit(channel)
      bytes = Self.proofBytes
    }

    private func limit(_ channel: any Channel) {
      deadline?.cancel()
      deadline = channel.eventLoop.scheduleTask(in: Self.life) { channel.close(promise: nil) }
    }
  }
#endif
