// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtModel
  import ArtSystem
  import ArtWeb
  import ArtWorkspace
  import Glibc
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOWebSocket

  /// A port of the server, with the gates of those whose names lead there.
  ///
  /// Another program may have had the port of a former server since, and what that has left in a browser counts as a page of that server's name and
  /// port: so only the page's files are there, by which a page finds what it has kept, and neither sessions nor launch codes are taken.
  struct Door: Sendable {
    let port: Int
    private let own: Gate?
    private let former: [Gate]

    /// The door at a port. `host` is that of this server, `former` are those of former servers of its folder; only those at the port count.
    init(port: Int, of host: ServerRecord.Host, former: [ServerRecord.Host]) {
      let gates = { (hosts: [ServerRecord.Host]) in
        hosts.filter { $0.port == port }.map { Gate(name: $0.name, port: port) }
      }
      (self.port, own, self.former) = (port, gates([host]).first, gates(former))
    }

    /// The gate of a request, and whether it is that of a former server. Throws a refusal for the name of no server.
    func gate(of request: WebRequest) throws(WebRefusal) -> (gate: Gate, isFormer: Bool) {
      if let own, own.isHost(of: request) { return (own, false) }
      guard let gate = former.first(where: { $0.isHost(of: request) }) else { throw .otherHost }
      return (gate, true)
    }
  }

  /// How a connection becomes requests or messages.
  enum Connection {
    /// The subprotocol of the WebSocket.
    static let subprotocol = "emojiart-1"

    /// Accepts connections at a bound socket. Throws `unavailable`.
    static func listen(
      _ descriptor: Int32, _ server: StudioServer, at door: Door, _ group: MultiThreadedEventLoopGroup
    ) async throws(ArtError) -> any Channel {
      do {
        return try await ServerBootstrap(group: group)
          .serverChannelOption(.backlog, value: 64)
          .childChannelOption(.writeBufferWaterMark, value: .init(low: 256 << 10, high: 1 << 20))
          .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture { try prepare(channel, server, door) }
          }
          .withBoundSocket(descriptor).get()
      } catch {
        throw ArtError(.unavailable, "the server cannot listen: \(error)")
      }
    }

    private static func prepare(_ channel: any Channel, _ server: StudioServer, _ door: Door) throws {
      // Before a byte is read: other users of this machine can connect to a port of loopback, too.
      guard let peer = channel.remoteAddress, let address = peer.ipAddress, let port = peer.port,
        LoopbackPeer.isOwn(address: address, port: port, at: door.port), server.connect()
      else {
        channel.close(promise: nil)
        return
      }
      channel.closeFuture.whenComplete { _ in server.disconnect() }
      try addHandlers(to: channel, server, at: door)
    }

    /// Adds what reads the requests and messages of a connection. Its deadlines are those of the channel's event loop.
    static func addHandlers(to channel: any Channel, _ server: StudioServer, at door: Door) throws {
      let pipeline = channel.pipeline.syncOperations
      let limit = ConnectionLimit(server.waiting)
      try pipeline.addHandler(limit)
      let handler = RequestHandler(server, door, limit)
      let (boundLimit, boundHandler) = (
        NIOLoopBound(limit, eventLoop: channel.eventLoop), NIOLoopBound(handler, eventLoop: channel.eventLoop)
      )
      let upgrader = NIOWebSocketServerUpgrader(
        maxFrameSize: PageMessage.limit, automaticErrorHandling: true,
        shouldUpgrade: { channel, head in
          channel.eventLoop.makeSucceededFuture(fields(toUpgrade: head, server, door))
        },
        upgradePipelineHandler: { channel, head in
          channel.eventLoop.makeCompletedFuture {
            let isFormer = try door.gate(of: WebRequest(head)).isFormer
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(FrameCheck(boundLimit.value))
            try pipeline.addHandler(
              NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 64,
                maxAccumulatedFrameSize: PageMessage.limit))
            try pipeline.addHandler(SocketHandler(server, isFormer: isFormer, boundLimit.value))
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
    private static func fields(
      toUpgrade head: HTTPRequestHead, _ server: StudioServer, _ door: Door
    ) -> HTTPHeaders? {
      do throws(WebRefusal) {
        guard try server.route(head, at: door) == .live else { return nil }
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
    func route(_ head: HTTPRequestHead, at door: Door) throws(WebRefusal) -> WebRoute {
      let bytes = head.headers.reduce(head.uri.utf8.count) {
        $0 + $1.name.utf8.count + $1.value.utf8.count + 4
      }
      guard bytes <= Gate.headBytes else { throw WebRefusal(431, "the head is too long") }
      let request = WebRequest(head)
      let (gate, isFormer) = try door.gate(of: request)
      let route = try withSessions { (sessions, _) throws(WebRefusal) in
        try gate.route(request) { !isFormer && sessions.isTicket($0) }
      }
      if case .session = route, isFormer {
        throw WebRefusal(403, "this address was a former server's; open the page by its link")
      }
      return route
    }
  }

  extension WebRequest {
    /// The head of a request as NIO parsed it.
    init(_ head: HTTPRequestHead) {
      self.init(
        method: head.method.rawValue, target: head.uri, fields: head.headers.map { ($0.name, $0.value) })
    }
  }
#endif
